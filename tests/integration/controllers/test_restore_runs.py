"""A Restore goes through its phases, and its files are in the bucket."""

import gzip
import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from kedge.testing.objects import FaultyStorage
from tests.formats.checker import check_results
from tests.integration.controllers.wharf import (
    BUCKET,
    CONFIG_MAPS,
    FINALIZER,
    Engine,
    Server,
    config,
    phase,
    store_backup,
    wharf,
)
from tests.integration.eventually import eventually
from tests.unit.api.stock import stock_crds
from tests.unit.archive.archives import VERSION, packed, plain

pytestmark = pytest.mark.asyncio

FILES = [
    "r-volumeinfo.json.gz",
    "restore-r-itemoperations.json.gz",
    "restore-r-logs.gz",
    "restore-r-resource-list.json.gz",
    "restore-r-results.gz",
]


@pytest.mark.parametrize("stock", [False, True])
async def test_a_restore_brings_objects_back_and_tells_all_about_it(
    tmp_path: Path, *, stock: bool
) -> None:
    server = Server(tmp_path)
    async with wharf(server, stock_crds() if stock else None) as port, port.running():
        await port.restore("r", backupName="b")
        found = await port.ended("r")
        status = found["status"]
        assert status["phase"] == "Completed"
        assert status["progress"] == {"totalItems": 2, "itemsRestored": 2}
        assert status["startTimestamp"] <= status["completionTimestamp"]
        assert status.get("errors", 0) == status.get("warnings", 0) == 0
        assert found["metadata"]["finalizers"] == [FINALIZER]
        assert found["spec"]["itemOperationTimeout"] == "4h0m0s"
        assert found["spec"]["excludedResources"][:2] == ["nodes", "events"]
        assert await port.names(CONFIG_MAPS) == ["one", "two"]
        assert sorted(port.files("r")) == FILES
        listed = port.unpacked("r", "restore-r-resource-list.json.gz")
        assert listed == {"v1/ConfigMap": ["default/one(created)", "default/two(created)"]}
        assert list(check_results(port.files("r")["restore-r-results.gz"])) == []
        assert port.unpacked("r", "r-volumeinfo.json.gz") == []
        await port.told("RestoreStarted", "RestoreCompleted")


async def test_the_phases_are_passed_in_order(tmp_path: Path) -> None:
    async with wharf(Server(tmp_path)) as port:
        await port.restore("r", backupName="b")
        seen: list[str] = []
        async with port.running():

            def note(one: dict[str, object]) -> bool:
                if not seen or seen[-1] != phase(one):
                    seen.append(phase(one))
                return phase(one) == "Completed"

            await port.until("r", note)
        assert [one for one in seen if one] == ["InProgress", "Finalizing", "Completed"]


async def test_warnings_are_counted_and_do_no_harm(tmp_path: Path) -> None:
    server = Server(tmp_path)
    assert server.engine is not None
    server.engine.warns = 2
    async with wharf(server) as port, port.running():
        await port.restore("r", backupName="b")
        status = (await port.ended("r"))["status"]
        assert (status["phase"], status["warnings"]) == ("Completed", 2)
        results = port.unpacked("r", "restore-r-results.gz")
        assert results["warnings"] == {"namespaces": {"default": ["warning 0", "warning 1"]}}


async def test_the_engine_gets_what_the_restore_and_the_server_say(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.settings = replace(server.settings, concurrency=7)
    async with wharf(server) as port, port.running():
        await port.restore("r", backupName="b", namespaceMapping={"a": "b"})
        uid = (await port.ended("r"))["metadata"]["uid"]
        assert server.engine is not None
        (run,) = server.engine.runs
        assert (run.name, run.uid, run.namespace, run.backup_name) == ("r", uid, "velero", "b")
        assert (run.concurrency, run.spec.namespace_mapping) == (7, {"a": "b"})
        assert "backups.velero.io" in (run.spec.excluded_resources or [])


async def test_progress_is_told_while_it_runs(tmp_path: Path) -> None:
    engine = Engine()
    async with wharf(Server(tmp_path, engine)) as port, port.running():
        await port.restore("r", backupName="b")
        found = await port.until("r", lambda one: bool(one.get("status", {}).get("progress")))
        assert phase(found) == "InProgress"
        assert found["status"]["progress"] == {"totalItems": 2, "itemsRestored": 2}
        engine.go_on.set()
        await port.ended("r")


class TestArchives:
    """What is wrong with an archive is told by name."""

    async def test_an_archive_that_is_not_there_fails_the_restore(self, tmp_path: Path) -> None:
        async with wharf(Server(tmp_path)) as port, port.running():
            (tmp_path / BUCKET / "backups" / "b" / "b.tar.gz").unlink()
            await port.restore("r", backupName="b")
            status = (await port.ended("r"))["status"]
            assert status["phase"] == "Failed"
            assert status["failureReason"].startswith("error downloading backup: ")
            assert status["completionTimestamp"]
            assert b"b.tar.gz" in gzip.decompress(port.files("r")["restore-r-logs.gz"])
            await port.told("RestoreStarted", "RestoreFailed")

    @pytest.mark.parametrize(
        ("name", "type_"),
        [("../evil", tarfile.REGTYPE), ("resources/pods/cluster/evil.json", tarfile.SYMTYPE)],
    )
    async def test_an_archive_that_is_not_to_be_trusted_fails_it_and_nothing_is_made(
        self, tmp_path: Path, name: str, type_: bytes
    ) -> None:
        evil = tarfile.TarInfo(name)
        evil.type = type_
        good = config("one")
        async with wharf(Server(tmp_path)) as port, port.running():
            data = packed([VERSION, (plain("configmaps", "default", "one"), good.data), evil])
            (tmp_path / BUCKET / "backups" / "b" / "b.tar.gz").write_bytes(data)
            await port.restore("r", backupName="b")
            status = (await port.ended("r"))["status"]
            assert status["phase"] == "Failed"
            assert name in status["failureReason"]
            assert await port.names(CONFIG_MAPS) == []

    async def test_an_item_that_is_wrong_is_told_and_the_rest_comes_back(
        self, tmp_path: Path
    ) -> None:
        bad = plain("configmaps", "default", "bad")
        good = (plain("configmaps", "default", "one"), config("one").data)
        async with wharf(Server(tmp_path)) as port, port.running():
            data = packed([VERSION, (bad, b"{"), good, ("strange", b"")])
            (tmp_path / BUCKET / "backups" / "b" / "b.tar.gz").write_bytes(data)
            await port.restore("r", backupName="b")
            status = (await port.ended("r"))["status"]
            assert (status["phase"], status["errors"]) == ("PartiallyFailed", 1)
            assert status["warnings"] == 1
            results = port.unpacked("r", "restore-r-results.gz")
            assert bad in results["errors"]["velero"][0]
            assert "strange" in results["warnings"]["velero"][0]
            assert await port.names(CONFIG_MAPS) == ["one"]
            await port.told("RestoreStarted", "RestorePartiallyFailed")


async def test_an_engine_that_fails_fails_the_restore(tmp_path: Path) -> None:
    server = Server(tmp_path)
    assert server.engine is not None
    server.engine.error = RuntimeError("no more ink")
    async with wharf(server) as port, port.running():
        await port.restore("r", backupName="b")
        status = (await port.ended("r"))["status"]
        assert (status["phase"], status["failureReason"]) == ("Failed", "RuntimeError: no more ink")


class TestStores:
    """A store that fails."""

    async def test_a_log_that_can_not_be_written_is_an_error(self, tmp_path: Path) -> None:
        storage = FaultyStorage()
        engine = Engine()
        server = Server(tmp_path, engine, opener=storage.open)
        async with wharf(server) as port, port.running():
            await port.restore("r", backupName="b")
            await eventually(lambda: bool(engine.running))
            storage.fail(1)
            engine.go_on.set()
            status = (await port.ended("r"))["status"]
            assert (status["phase"], status["errors"]) == ("PartiallyFailed", 1)
            results = port.unpacked("r", "restore-r-results.gz")
            text = "error uploading log file to backup storage"
            assert results["errors"]["velero"][0].startswith(text)

    async def test_results_that_can_not_be_written_are_no_error(self, tmp_path: Path) -> None:
        storage = FaultyStorage()
        engine = Engine()
        server = Server(tmp_path, engine, opener=storage.open)
        async with wharf(server) as port, port.running():
            await port.restore("r", backupName="b")
            await eventually(lambda: bool(engine.running))
            storage.fail(2)
            engine.go_on.set()
            assert phase(await port.ended("r")) == "Completed"
            assert "restore-r-results.gz" not in port.files("r")

    async def test_a_store_that_is_away_fails_the_restore(self, tmp_path: Path) -> None:
        storage = FaultyStorage()
        storage.down = True
        async with wharf(Server(tmp_path, opener=storage.open)) as port, port.running():
            await port.restore("r", backupName="b")
            status = (await port.ended("r"))["status"]
            assert status["phase"] == "Failed"
            assert status["failureReason"].startswith("error downloading backup: ")

    async def test_an_archive_that_ends_too_early_fails_the_restore(self, tmp_path: Path) -> None:
        storage = FaultyStorage()
        storage.readable = 100
        async with wharf(Server(tmp_path, opener=storage.open)) as port, port.running():
            await port.restore("r", backupName="b")
            status = (await port.ended("r"))["status"]
            assert status["phase"] == "Failed"
            assert "ends too early" in status["failureReason"]


class TestTurns:
    """One at a time, unless the server says otherwise."""

    async def test_restores_run_one_after_the_other(self, tmp_path: Path) -> None:
        server = Server(tmp_path)
        assert server.engine is not None
        async with wharf(server) as port:
            names = [f"r{number}" for number in range(6)]
            for name in names:
                await port.restore(name, backupName="b")
            async with port.running():
                for name in names:
                    assert phase(await port.ended(name)) == "Completed"
        assert server.engine.most == 1
        assert sorted(server.engine.order) == names

    async def test_as_many_run_as_the_server_says(self, tmp_path: Path) -> None:
        server = Server(tmp_path, Engine())
        engine = server.engine
        assert engine is not None
        server.settings = replace(server.settings, concurrent_restores=2)
        async with wharf(server) as port:
            for number in range(4):
                await port.restore(f"r{number}", backupName="b")
            async with port.running():
                await eventually(lambda: len(engine.running) == 2)
                engine.go_on.set()
                for number in range(4):
                    assert phase(await port.ended(f"r{number}")) == "Completed"
        assert engine.most == 2

    async def test_one_that_waits_can_be_deleted_and_holds_nobody_up(self, tmp_path: Path) -> None:
        server = Server(tmp_path, Engine())
        engine = server.engine
        assert engine is not None
        async with wharf(server) as port, port.running():
            await port.restore("first", backupName="b")
            await eventually(lambda: bool(engine.running))
            for name in ("waiting", "last"):
                await port.restore(name, backupName="b")
                await port.until(name, lambda one: bool(one["metadata"].get("finalizers")))
            await port.delete("waiting")
            engine.go_on.set()
            assert phase(await port.ended("last")) == "Completed"
            assert engine.order == ["first", "last"]


async def test_large_archives_need_a_scratch_file_that_does_not_stay(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    server = Server(tmp_path)
    server.settings = replace(server.settings, scratch=scratch)
    store_backup(tmp_path, "b", [config(f"c{n}", x="y" * 1000) for n in range(40)])
    async with wharf(server) as port, port.running():
        await port.restore("r", backupName="b")
        assert (await port.ended("r"))["status"]["progress"]["itemsRestored"] == 40
        assert list(scratch.iterdir()) == []


INFO = {"pvcNamespace": "shop", "pvcName": "data", "backupMethod": "PodVolumeBackup"}
POD_VOLUME = {"spec": {"pod": {"namespace": "shop", "name": "db-0"}, "volume": "data"}}
DISK = {"spec": {"persistentVolumeName": "pv-1"}, "status": {"phase": "Completed"}}


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("volumeinfo", [INFO], "without it (shop/data)"),
        ("podvolumebackups", [POD_VOLUME], "without it (shop/db-0/data)"),
        ("volumesnapshots", [DISK], "without it (pv-1)"),
        ("volumeinfo", [{**INFO, "skipped": True}], ""),
        ("volumesnapshots", None, ""),
        ("volumeinfo", {"not": "a list"}, "b-volumeinfo.json.gz must hold a list, and does not"),
    ],
)
async def test_data_of_volumes_that_does_not_come_back_is_a_warning(
    tmp_path: Path, file: str, content: object, told: str
) -> None:
    async with wharf(Server(tmp_path)) as port, port.running():
        beside = tmp_path / BUCKET / "backups" / "b" / f"b-{file}.json.gz"
        beside.write_bytes(gzip.compress(json.dumps(content).encode()))
        await port.restore("r", backupName="b")
        found = await port.ended("r")
        assert phase(found) == "Completed"
        results = port.unpacked("r", "restore-r-results.gz")
    warnings = results["warnings"].get("velero", [])
    assert found["status"].get("warnings", 0) == len(warnings) == bool(told)
    assert all(told in warning for warning in warnings)
