"""Embedded clusters that have CRDs and namespaces: made once in a process, and then copied."""

import atexit
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from kedge.aio.clock import Clock
from kedge.kube.kind import Object
from kedge.testing import Cluster, cluster

SHARED_MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 2**30
NAMESPACES = "/api/v1/namespaces"

_molds: dict[bytes, Path] = {}


@asynccontextmanager
async def founded(
    kinds: Iterable[Object], *namespaces: str, clock: Clock | None = None
) -> AsyncIterator[Cluster]:
    """Run a cluster of one's own that knows these CRDs and has these namespaces."""
    mold = await _mold(list(kinds), namespaces, clock)
    with TemporaryDirectory(prefix="kedge-copy-", dir=_fast()) as folder:
        data = shutil.copytree(mold, Path(folder) / "data")
        async with cluster(data, clock=clock) as kube:
            yield kube


async def _mold(kinds: list[Object], namespaces: tuple[str, ...], clock: Clock | None) -> Path:
    """Give the data of such a cluster, whose objects are as old as the clock says."""
    born = None if clock is None else clock.now()
    key = msgspec.json.encode((kinds, namespaces, born))
    if key not in _molds:
        folder = TemporaryDirectory(prefix="kedge-mold-", dir=_fast())
        atexit.register(folder.cleanup)
        data = Path(folder.name) / "data"
        async with cluster(data, clock=clock) as kube:
            for crd in kinds:
                await kube.define(crd)
            for name in namespaces:
                await kube.client.create(NAMESPACES, {"metadata": {"name": name}})
        _molds[key] = data
    return _molds[key]


def _fast() -> Path | None:
    """Give a folder that never waits for a disk, where there is one; None: the usual place."""
    is_large = SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free > ENOUGH_BYTES
    return SHARED_MEMORY if is_large else None
