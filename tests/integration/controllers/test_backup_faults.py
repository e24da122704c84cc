"""The object storage fails: a backup is then Failed or whole, and no half of it stays."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from kedge.objects.errors import ObjectsError, Refused, StorageFull, Unreachable
from kedge.testing.faults import Side
from kedge.testing.objects import FaultyStorage
from tests.integration.controllers.quay import Collector, Quay, Server, phase, problems, quay
from tests.integration.eventually import eventually

pytestmark = pytest.mark.asyncio

LOG_ONLY = "-logs.gz is missing"


async def is_sound(port: Quay, folder: Path, name: str) -> str:
    """Wait for the end; check that what is said and what is there agree."""
    await port.until(name, lambda one: phase(one) in ("Completed", "Failed"))
    await port.until(name, lambda one: "unfinished-files" not in str(one["metadata"]))
    found = await port.get(name)
    if phase(found) == "Failed":
        assert found["status"]["failureReason"]
        assert port.files(name) == []
    else:
        assert not [one for one in problems(folder, name) if not one.endswith(LOG_ONLY)]
    return phase(found)


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("error", [Unreachable, Refused, StorageFull])
async def test_any_one_request_fails(tmp_path: Path, side: Side, error: type[ObjectsError]) -> None:
    storage = FaultyStorage()
    async with quay(Server(tmp_path, opener=storage.open)) as port, port.running():
        await port.backup("whole")
        assert await is_sound(port, tmp_path, "whole") == "Completed"
        requests = len(storage.requests)
        ends = set()
        for nth in range(1, requests + 1):
            storage.fail(nth, side, error("as the test wanted"))
            await port.backup(f"b{nth}")
            ends.add(await is_sound(port, tmp_path, f"b{nth}"))
        assert "Failed" in ends


Fault = Callable[[FaultyStorage], None]


def down(storage: FaultyStorage) -> None:
    storage.down = True


def refused(storage: FaultyStorage) -> None:
    storage.refused = True


def full(storage: FaultyStorage) -> None:
    storage.room = 0


def cut(storage: FaultyStorage) -> None:
    storage.readable = 100


def mend(storage: FaultyStorage) -> None:
    storage.down = storage.refused = False
    storage.room = storage.readable = None


@pytest.mark.parametrize("fault", [down, refused, full, cut])
async def test_from_the_start(tmp_path: Path, fault: Fault) -> None:
    storage = FaultyStorage()
    fault(storage)
    async with quay(Server(tmp_path, opener=storage.open)) as port, port.running():
        await port.backup("b")
        assert (await port.ended("b"))["phase"] == "Failed"
        mend(storage)
        assert await is_sound(port, tmp_path, "b") == "Failed"
        await port.backup("next")
        assert await is_sound(port, tmp_path, "next") == "Completed"


@pytest.mark.parametrize("fault", [down, refused, full])
async def test_while_it_runs(tmp_path: Path, fault: Fault) -> None:
    storage = FaultyStorage()
    collector = Collector(gate=asyncio.Event())
    server = Server(tmp_path, opener=storage.open, collect=collector)
    async with quay(server) as port:
        async with port.running():
            await port.backup("b")
            await eventually(lambda: collector.begun == ["b"])
            fault(storage)
            collector.gate.set()  # type: ignore[union-attr]
            assert (await port.ended("b"))["phase"] == "Failed"
            assert "velero-backup.json" not in port.files("b")
        mend(storage)
        async with port.running():
            assert await is_sound(port, tmp_path, "b") == "Failed"
