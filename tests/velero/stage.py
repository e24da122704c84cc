"""A real cluster with the original's kinds in it, where ours and the original take turns."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from kedge.testing.client import Client
from tests.integration.roundtrip.manifests import HUGE_BYTES, config_map, everything, fits_a_file
from tests.integration.roundtrip.scene import Object, Scene
from tests.real_cluster import Programs, RealCluster, Setup, running
from tests.real_cluster.cluster import CONTROLLERS
from tests.velero.kedge_server import add_kinds, kedge_server
from tests.velero.programs import VeleroPrograms
from tests.velero.s3 import S3Server
from tests.velero.server import NAMESPACE, Velero, available, location, prepare, velero_server

LARGE = 50_000
"""Bytes of a manifest that is left out: fixtures are kept in the repository."""
SECONDS = 180
ENDED = {"Completed", "PartiallyFailed", "Failed", "FailedValidation"}


@dataclass(frozen=True)
class Stage:
    """A cluster, and what can be done there."""

    scene: Scene
    velero: Velero
    s3: S3Server
    cluster: RealCluster

    @asynccontextmanager
    async def original(self, bucket: str, *flags: str) -> AsyncIterator[None]:
        """Run the original with a bucket as its location."""
        await self._locate(bucket)
        with velero_server(self.velero, *flags):
            await available(self.scene)
        # It looks for backups when it starts, if it knows by then that the bucket is there;
        # the next time is after a minute.
        with velero_server(self.velero, *flags):
            yield

    @asynccontextmanager
    async def ours(self, bucket: str) -> AsyncIterator[None]:
        """Run ours, once in this cluster, with a bucket as its location."""
        await self._locate(bucket)
        await add_kinds(self.scene)
        with kedge_server(self.cluster.kubeconfig, self.velero.folder):
            await available(self.scene)
            yield

    async def run(self, *words: str) -> str:
        """Run a command of the original to its end."""
        return await asyncio.to_thread(self.velero.run, *words)

    async def ended(self, kind: str, name: str) -> Object:
        """Wait for the end of a Backup or Restore."""
        path = await self.scene.path(("velero.io/v1", kind, NAMESPACE, name))
        return await self.scene.client.until(
            path, lambda obj: obj.get("status", {}).get("phase") in ENDED, SECONDS
        )

    async def _locate(self, bucket: str) -> None:
        for obj in location(self.s3, bucket):
            await self.scene.put(obj)


@asynccontextmanager
async def staged(
    real: Programs, original: VeleroPrograms, s3: S3Server, folder: Path
) -> AsyncIterator[Stage]:
    """Run a cluster, and put the original's kinds into it."""
    with running(real, folder / "cluster", Setup(controllers=CONTROLLERS)) as cluster:
        async with Client(cluster.url, cluster.tokens["admin"], cluster.tls) as client:
            scene = Scene(client)
            velero = Velero(original, cluster.kubeconfig, folder / "velero")
            (folder / "velero").mkdir()
            await prepare(scene, velero)
            yield Stage(scene, velero, s3, cluster)


async def make_small(scene: Scene) -> None:
    """Make the trouble without what cannot be packed, and what the original cannot restore."""
    found = [one for one in everything() if len(str(one)) < LARGE and fits_a_file(one)]
    await scene.create([*found, config_map("big", {"zeros": "0" * (HUGE_BYTES - 100)})])
    await scene.finish()
