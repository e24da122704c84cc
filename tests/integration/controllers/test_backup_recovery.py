"""What a server that died has left is brought to an end by the next one."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from kedge.api.crd import crds
from kedge.archive.item import Item, Place
from kedge.archive.writer import ArchiveWriter
from kedge.kube.kind import Object
from kedge.testing.faults import Side
from kedge.testing.objects import FaultyStorage
from tests.integration.controllers.quay import (
    BACKUPS,
    BUCKET,
    LOCATIONS,
    Collector,
    Quay,
    Server,
    metadata,
    phase,
    problems,
    quay,
)
from tests.integration.eventually import eventually
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

INTERRUPTED = (
    'found a backup with status "InProgress" during the server starting, mark it as "Failed"'
)
KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}
STARTED = {"startTimestamp": "2030-01-01T00:00:00Z", "version": 1, "formatVersion": "1.1.0"}


async def left_in(port: Quay, name: str, phase: str, **status: object) -> Object:
    """Make a Backup that a server has left in a phase."""
    await port.backup(name, storageLocation="default")
    await port.set_status(f"{BACKUPS}/{name}", {"phase": phase, **STARTED, **status})
    return await port.get(name)


def folder(port: Quay, name: str) -> Path:
    path = port.server.folder / BUCKET / "backups" / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def put_archive(port: Quay, name: str) -> None:
    writer = ArchiveWriter(0)
    data = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"default"}}'
    writer.add(Item(Place("configmaps", "default", "c"), "v1", data))
    (folder(port, name) / f"{name}.tar.gz").write_bytes(writer.finish())


def put_metadata(port: Quay, name: str, uid: str, **status: object) -> None:
    kept = {"metadata": {"name": name, "uid": uid}, "status": status}
    (folder(port, name) / "velero-backup.json").write_bytes(msgspec.json.encode(kept))


def is_unmarked(backup: Object) -> bool:
    return "kedge.dev/unfinished-files" not in (backup["metadata"].get("annotations") or {})


@pytest.mark.parametrize("kinds", KINDS)
async def test_what_was_in_progress_has_failed_and_the_queue_goes_on(
    tmp_path: Path, kinds: str
) -> None:
    async with quay(Server(tmp_path), KINDS[kinds]()) as port:
        await left_in(port, "old", "InProgress")
        put_archive(port, "old")
        await port.backup("next")
        async with port.running():
            status = await port.ended("old")
            assert (status["phase"], status["failureReason"]) == ("Failed", INTERRUPTED)
            assert status["completionTimestamp"]
            assert (await port.ended("next"))["phase"] == "Completed"
            await port.until("old", is_unmarked)
            assert port.files("old") == []
            assert not problems(tmp_path, "next")


async def test_what_was_ready_to_start_is_started(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port:
        await left_in(port, "b", "ReadyToStart")
        async with port.running():
            assert (await port.ended("b"))["phase"] == "Completed"


async def test_files_are_removed_once_the_store_answers_and_nobody_waits_for_it(
    tmp_path: Path,
) -> None:
    storage = FaultyStorage()
    storage.down = True
    async with quay(Server(tmp_path, opener=storage.open)) as port:
        await left_in(port, "old", "InProgress")
        put_archive(port, "old")
        async with port.running():
            assert (await port.ended("old"))["failureReason"] == INTERRUPTED
            assert port.files("old") == ["old.tar.gz"]
        storage.down = False
        async with port.running():
            await port.until("old", is_unmarked)
            assert port.files("old") == []


async def test_files_of_another_of_the_same_name_stay(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port:
        await left_in(port, "old", "InProgress")
        put_archive(port, "old")
        put_metadata(port, "old", "somebody-else", phase="Completed")
        async with port.running():
            assert (await port.ended("old"))["failureReason"] == INTERRUPTED
            await port.until("old", is_unmarked)
            assert port.files("old") == ["old.tar.gz", "velero-backup.json"]


async def test_what_is_whole_in_the_bucket_is_told_as_it_is(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port:
        for name, phase_ in (("a", "InProgress"), ("b", "Finalizing")):
            made = await left_in(port, name, phase_)
            put_archive(port, name)
            told = {"phase": "PartiallyFailed", "errors": 3, "warnings": 1}
            uid = made["metadata"]["uid"]
            put_metadata(port, name, uid, completionTimestamp="2030-01-01T01:00:00Z", **told)
        async with port.running():
            for name in "ab":
                found = await port.until(name, lambda one: phase(one) == "PartiallyFailed")
                assert found["status"]["errors"] == 3
                assert found["status"]["completionTimestamp"] == "2030-01-01T01:00:00Z"
                assert "failureReason" not in found["status"]
                await port.until(name, is_unmarked)
                assert port.files(name) == [f"{name}.tar.gz", "velero-backup.json"]


@pytest.mark.parametrize(
    ("left", "ends"),
    [("Finalizing", "Completed"), ("FinalizingPartiallyFailed", "PartiallyFailed")],
)
async def test_what_was_to_be_finished_is_finished(tmp_path: Path, left: str, ends: str) -> None:
    async with quay(Server(tmp_path)) as port:
        await left_in(port, "b", left, errors=2, warnings=0)
        put_archive(port, "b")
        async with port.running():
            status = await port.ended("b")
            assert (status["phase"], status["errors"]) == (ends, 2)
            assert metadata(tmp_path, "b")["status"] == (await port.get("b"))["status"]


@pytest.mark.parametrize("damage", ["missing", "cut"])
async def test_what_was_to_be_finished_and_is_not_whole_has_failed(
    tmp_path: Path, damage: str
) -> None:
    async with quay(Server(tmp_path)) as port:
        await left_in(port, "b", "Finalizing")
        put_archive(port, "b")
        path = folder(port, "b") / "b.tar.gz"
        if damage == "cut":
            path.write_bytes(path.read_bytes()[:-20])
        else:
            path.rename(path.with_name("b-logs.gz"))
        async with port.running():
            status = await port.ended("b")
            assert status["phase"] == "Failed"
            assert "can not be read back" in status["failureReason"]
            await port.until("b", is_unmarked)
            assert port.files("b") == []


async def test_what_was_to_be_finished_gives_way_to_another_of_its_name(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port:
        await left_in(port, "b", "Finalizing")
        put_archive(port, "b")
        put_metadata(port, "b", "somebody-else", phase="Completed")
        async with port.running():
            status = await port.ended("b")
            assert status["failureReason"] == "backup already exists in object storage"
            assert port.files("b") == ["b.tar.gz", "velero-backup.json"]


async def test_a_location_that_is_gone_keeps_nothing_from_ending(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port:
        await left_in(port, "a", "InProgress")
        await left_in(port, "b", "Finalizing")
        await port.admin.delete(f"{LOCATIONS}/default")
        async with port.running():
            assert (await port.ended("a"))["failureReason"] == INTERRUPTED
            reason = (await port.ended("b"))["failureReason"]
            assert reason == "backup storage location default is gone"
            await port.until("a", is_unmarked)


async def test_a_server_that_stops_in_the_middle_leaves_no_half_file(tmp_path: Path) -> None:
    collector = Collector(gate=asyncio.Event())
    async with quay(Server(tmp_path, collect=collector)) as port:
        async with port.running():
            await port.backup("b")
            await eventually(lambda: collector.begun == ["b"])
        assert collector.ended == ["b"]
        assert port.files("b") == []
        assert phase(await port.get("b")) == "InProgress"
        async with port.running():
            assert (await port.ended("b"))["failureReason"] == INTERRUPTED


@pytest.mark.parametrize("side", Side)
async def test_a_kill_at_any_request_to_the_store_leaves_it_failed_or_whole(
    tmp_path: Path, side: Side
) -> None:
    storage = FaultyStorage()
    async with quay(Server(tmp_path, opener=storage.open)) as port:
        async with port.running():
            await port.backup("whole")
            await port.ended("whole")
        count, ends = len(storage.requests), set()
        for nth in range(1, count + 1):
            pause, name = storage.pause(nth, side), f"b{nth}"
            async with port.running():
                await port.backup(name)
                await asyncio.wait_for(pause.reached.wait(), 10)
            async with port.running():
                ends.add((await port.ended(name))["phase"])
                await port.until(name, is_unmarked)
            if phase(await port.get(name)) == "Failed":
                assert port.files(name) == []
            else:
                assert not problems(tmp_path, name)
        assert ends == {"Completed", "Failed"}
