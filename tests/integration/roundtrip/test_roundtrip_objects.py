"""The same round trip, asked for with a Backup and a Restore, done by `kedge server`."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.testing.client import Client
from tests.integration.apiserver_process import running as api_running
from tests.integration.roundtrip.buckets import BUCKET, FILESYSTEM
from tests.integration.roundtrip.compare import State, differences, state
from tests.integration.roundtrip.scene import Scene
from tests.real_cluster import Programs, Setup
from tests.real_cluster import running as cluster_running
from tests.real_cluster.cluster import CONTROLLERS
from tests.velero.kedge_server import kedge_server
from tests.velero.s3 import S3Server
from tests.velero.server import NAMESPACE, Object, available, location

ENDED = {"Completed", "PartiallyFailed", "Failed", "FailedValidation"}
SECONDS = 120


@dataclass(frozen=True)
class Site:
    """A cluster, and the file with which `kedge server` finds it."""

    client: Client
    kubeconfig: Path
    is_embedded: bool


Opening = Callable[[Path], AbstractAsyncContextManager[Site]]


@asynccontextmanager
async def embedded(folder: Path) -> AsyncIterator[Site]:
    with api_running(folder, folder=folder.parent) as api:
        async with Client(api.url, "", api.tls) as client:
            yield Site(client, api.kubeconfig, is_embedded=True)


def real(programs: Programs) -> Opening:
    @asynccontextmanager
    async def opened(folder: Path) -> AsyncIterator[Site]:
        with cluster_running(programs, folder, Setup(controllers=CONTROLLERS)) as kube:
            async with Client(kube.url, kube.tokens["admin"], kube.tls) as client:
                yield Site(client, kube.kubeconfig, is_embedded=False)

    return opened


@asynccontextmanager
async def served(site: Site, folder: Path, objects: list[Object]) -> AsyncIterator[Scene]:
    """Install our kinds and a location, and run the controllers."""
    scene = Scene(site.client)
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    await scene.create([*crds(), space, *objects])
    flags = (f"--objects-dir={folder / 'objects'}", "--client-qps=0")
    with kedge_server(site.kubeconfig, folder, *flags):
        await available(scene)
        yield scene


async def ended(client: Client, resource: str, spec: Object) -> Object:
    """Create a Backup or a Restore, and wait for its end."""
    path = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/{resource}"
    kind = resource.removesuffix("s").capitalize()
    obj = {"apiVersion": "velero.io/v1", "kind": kind, "metadata": {"name": "trip"}, "spec": spec}
    await client.create(path, obj)
    return await client.until(
        f"{path}/trip", lambda one: one.get("status", {}).get("phase") in ENDED, SECONDS
    )


async def travel(opening: Opening, folder: Path, objects: list[Object]) -> None:
    """Back up in one cluster; in the other one the backup is found, and restored."""
    before = await depart(opening, folder, objects)
    async with opening(folder / "target") as site, served(site, folder, objects):
        path = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/backups/trip"
        await site.client.until(path, _is_complete, SECONDS)
        restore = await ended(site.client, "restores", {"backupName": "trip"})
        assert restore["status"]["phase"] == "Completed", restore["status"]
        assert list(differences(before, await state(site.client))) == []


async def depart(opening: Opening, folder: Path, objects: list[Object]) -> State:
    """Fill a cluster, and back it up; what the server itself uses does not take part."""
    async with opening(folder / "source") as site:
        await Scene(site.client).make(is_embedded=site.is_embedded)
        before = await state(site.client)
        async with served(site, folder, objects):
            spec = {
                "excludedNamespaces": [NAMESPACE, "kube-system"],
                "includeClusterResources": True,
                "snapshotVolumes": False,
            }
            backup = await ended(site.client, "backups", spec)
            assert backup["status"]["phase"] == "Completed", backup["status"]
    return {key: obj for key, obj in before.items() if key[1] != "kube-system"}


def _is_complete(backup: dict[str, Any]) -> bool:
    return bool(backup.get("status", {}).get("phase") == "Completed")


@pytest.mark.asyncio
async def test_embedded_through_s3(s3: S3Server, tmp_path: Path) -> None:
    await travel(embedded, tmp_path, location(s3, BUCKET, "objects"))


@pytest.mark.asyncio
@pytest.mark.slow
async def test_real_through_a_folder(programs: Programs, tmp_path: Path) -> None:
    place = {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {"name": "default", "namespace": NAMESPACE},
        "spec": {"provider": FILESYSTEM, "default": True, "objectStorage": {"bucket": BUCKET}},
    }
    await travel(real(programs), tmp_path, [place])
