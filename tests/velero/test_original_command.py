"""The original's command works with our server as with its own.

Skipped without the original: `python tools/velero/build.py` builds it.
"""

import asyncio
import tarfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from kedge.kube.errors import NotFound
from kedge.testing.client import Client
from tests.integration.apiserver_process import running
from tests.integration.eventually import pause
from tests.integration.roundtrip.manifests import config_map
from tests.integration.roundtrip.scene import Scene
from tests.real_cluster.cluster import free_port
from tests.velero.kedge_server import add_kinds, kedge_server
from tests.velero.programs import VeleroPrograms
from tests.velero.s3 import S3Server, s3_server
from tests.velero.server import NAMESPACE, Object, Velero, available, location, prepare

BUCKET = "commanded"
SECONDS = 60


@pytest.fixture(scope="module")
def s3(
    velero_programs: VeleroPrograms, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        server.make_bucket(BUCKET)
        yield server


@dataclass(frozen=True)
class Bridge:
    """The command, and a server of ours that does what it asks for."""

    velero: Velero
    scene: Scene

    async def velero_says(self, *words: str) -> str:
        """Run a command that must succeed."""
        return await asyncio.to_thread(self.velero.run, *words)


@asynccontextmanager
async def bridge(
    programs: VeleroPrograms, folder: Path, objects: list[Object], *flags: str
) -> AsyncIterator[Bridge]:
    """Run the embedded API with the original's kinds, and `kedge server` on it."""
    with running(folder / "data", folder=folder) as api:
        velero = Velero(programs, api.kubeconfig, folder)
        async with Client(api.url, "", api.tls) as client:
            scene = Scene(client)
            await prepare(scene, velero)
            await add_kinds(scene)
            await scene.create(objects)
            space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "trouble"}}
            await scene.create([space, config_map("plain", {"a": "b"})])
            with kedge_server(api.kubeconfig, folder, *flags):
                await available(scene)
                yield Bridge(velero, scene)


async def use(bridge: Bridge, folder: Path) -> None:
    """Back up, look, restore, look, delete."""
    says = bridge.velero_says
    assert "Completed" in await says(
        "backup", "create", "one", "--include-namespaces=trouble", "-w"
    )
    assert "trouble/plain" in await says("backup", "describe", "one", "--details")
    assert "level=info" in await says("backup", "logs", "one")
    archive = folder / "one.tar.gz"
    await says("backup", "download", "one", "-o", str(archive))
    with tarfile.open(archive) as opened:
        assert "resources/configmaps/namespaces/trouble/plain.json" in opened.getnames()
    mapped = "--namespace-mappings=trouble:calm"
    assert "Completed" in await says("restore", "create", "two", "--from-backup=one", mapped, "-w")
    assert "calm/plain(created)" in await says("restore", "describe", "two", "--details")
    assert "level=info" in await says("restore", "logs", "two")
    assert (await bridge.scene.get(("v1", "ConfigMap", "calm", "plain")))["data"] == {"a": "b"}
    await says("backup", "delete", "one", "--confirm")
    await gone(bridge, "Backup", "one")
    await gone(bridge, "Restore", "two")


async def gone(bridge: Bridge, kind: str, name: str) -> None:
    """Wait until an object is deleted."""
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                await bridge.scene.get(("velero.io/v1", kind, NAMESPACE, name))
            except NotFound:
                return
            await pause(0.05)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_with_a_bucket(velero_programs: VeleroPrograms, s3: S3Server, tmp_path: Path) -> None:
    async with bridge(velero_programs, tmp_path, location(s3, BUCKET)) as found:
        assert "Available" in await found.velero_says("backup-location", "get")
        assert "Server:" in await found.velero_says("version")
        assert "velero.io/aws" in await found.velero_says("plugin", "get")
        await use(found, tmp_path)
        everything = [path["path"] for path in s3.store(BUCKET).list().collect()]
    assert everything == []


@pytest.mark.asyncio
async def test_with_a_folder(velero_programs: VeleroPrograms, tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    spec = {
        "provider": "kedge.dev/filesystem",
        "default": True,
        "objectStorage": {"bucket": BUCKET},
    }
    place = {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {"name": "default", "namespace": NAMESPACE},
        "spec": spec,
    }
    flags = (
        f"--objects-dir={tmp_path / 'objects'}",
        f"--download-address={address}",
        f"--download-url=http://{address}",
    )
    async with bridge(velero_programs, tmp_path, [place], *flags) as found:
        await use(found, tmp_path)
    assert [path for path in (tmp_path / "objects" / BUCKET).rglob("*") if path.is_file()] == []
