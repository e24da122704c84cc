"""The real engine under the controller: what was backed up comes back, from a real archive."""

from pathlib import Path
from typing import Any

import pytest

from kedge.aio.clock import SystemClock
from kedge.api.velero.backup import BackupSpec
from kedge.client import Client
from kedge.client.where import explicit
from kedge.engine.backup.run import BackupRun, Progress, back_up
from kedge.engine.journal import Journal
from tests.formats.checker import read_tarball
from tests.integration.controllers.wharf import BUCKET, Server, Wharf, phase, wharf

pytestmark = pytest.mark.asyncio

SPACE = "/api/v1/namespaces/shop"
LONG = "x" * 200
OBJECTS: dict[str, dict[str, Any]] = {
    f"{SPACE}/configmaps/settings": {"data": {"a": "b"}, "binaryData": {"c": "AAECAw=="}},
    f"{SPACE}/configmaps/{LONG}": {"data": {"big": "y" * 100_000}, "immutable": True},
    f"{SPACE}/secrets/keys": {"stringData": {"k": "v"}, "type": "Opaque"},
    f"{SPACE}/services/web": {"spec": {"ports": [{"port": 80}], "selector": {"app": "web"}}},
    f"{SPACE}/serviceaccounts/robot": {},
}


async def back_up_to(port: Wharf, folder: Path) -> int:
    """Back the namespace up, into the bucket; give the number of items."""
    chunks: list[bytes] = []

    async def sink(chunk: bytes) -> None:
        chunks.append(chunk)

    clock = SystemClock()
    journal = Journal(clock)
    run = BackupRun(
        name="b",
        namespace="velero",
        spec=BackupSpec(included_namespaces=["shop"], snapshot_volumes=False),
    )
    async with Client(explicit(port.proxy.url), clock=clock) as client:
        outcome = await back_up(client, run, journal, sink, Progress(), clock)
    journal.close()
    data = b"".join(chunks)
    (folder / BUCKET / "backups" / "b" / "b.tar.gz").write_bytes(data)
    items, problems = read_tarball(data)
    assert problems == []
    assert journal.errors == 0
    assert len(items) == outcome.items
    return outcome.items


async def test_a_namespace_comes_back_after_it_was_deleted(tmp_path: Path) -> None:
    async with wharf(Server(tmp_path, engine=None)) as port, port.running():
        await port.admin.create("/api/v1/namespaces", {"metadata": {"name": "shop"}})
        for path, obj in OBJECTS.items():
            folder, _, name = path.rpartition("/")
            labels = {"app": "web"}
            await port.admin.create(folder, {"metadata": {"name": name, "labels": labels}, **obj})
        items = await back_up_to(port, tmp_path)
        before = {path: await port.admin.get(path) for path in OBJECTS}
        for path in (*OBJECTS, SPACE):
            await port.admin.delete(path)
        await port.restore("r", backupName="b", namespaceMapping={"shop": "store"})
        found = await port.ended("r")
        assert phase(found) == "Completed", port.unpacked("r", "restore-r-results.gz")
        assert found["status"]["progress"]["itemsRestored"] >= items - 1
        for path, old in before.items():
            new = await port.admin.get(path.replace("/shop/", "/store/"))
            assert new.get("data") == old.get("data")
            assert new.get("binaryData") == old.get("binaryData")
            assert new.get("immutable") == old.get("immutable")
            assert new["metadata"]["labels"]["velero.io/restore-name"] == "r"
            assert new["metadata"]["labels"]["velero.io/backup-name"] == "b"
        listed = port.unpacked("r", "restore-r-resource-list.json.gz")
        assert f"store/{LONG}(created)" in listed["v1/ConfigMap"]


async def test_a_second_restore_skips_what_is_there(tmp_path: Path) -> None:
    async with wharf(Server(tmp_path, engine=None)) as port, port.running():
        for name in ("first", "second"):
            await port.restore(name, backupName="b")
            assert phase(await port.ended(name)) == "Completed"
        listed = port.unpacked("second", "restore-second-resource-list.json.gz")
        assert listed["v1/ConfigMap"] == ["default/one(skipped)", "default/two(skipped)"]
