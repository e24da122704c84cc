"""While one Backup ends, the next is made ready: it starts sooner, and runs as if it were not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kedge.testing import FakeClock, faults
from kedge.testing.faults import Request
from kedge.testing.objects import FaultyStorage, Pause
from tests.integration.controllers.quay import (
    BACKUPS,
    LOCATIONS,
    Collector,
    Quay,
    Server,
    location,
    metadata,
    phase,
    phases,
    quay,
)
from tests.integration.eventually import eventually

pytestmark = pytest.mark.asyncio

FILL = faults.matches(verb="patch", resource="backups", path="*/next")
STATUS = faults.matches(verb="patch", resource="backups/status", path="*/next/status")
FIRST_FILE = 3
"""Of the requests to the store: it was looked for such a backup, and the archive is on its way."""


@asynccontextmanager
async def ending(port: Quay, storage: FaultyStorage, **spec: Any) -> AsyncIterator[Pause]:
    """Hold a Backup while its last files are written, with another one behind it."""
    collector = port.server.collect
    assert isinstance(collector, Collector)
    gate = collector.gate = asyncio.Event()
    async with port.running():
        await port.backup("first")
        await eventually(lambda: collector.begun == ["first"])
        await port.backup("next", **spec)
        # The queue gives one place after the other: it knows the first when there is a second.
        await port.until("next", lambda one: phase(one) == "Queued")
        await port.backup("after")
        await port.until("after", lambda one: phase(one) == "Queued")
        pause = storage.pause(FIRST_FILE - len(storage.requests))
        gate.set()
        await pause.reached.wait()
        yield pause
        pause.go_on.set()
        await port.ended("next")


@asynccontextmanager
async def harbour(folder: Path) -> AsyncIterator[tuple[Quay, FaultyStorage]]:
    """Give a cluster whose store can be held up."""
    storage = FaultyStorage()
    async with quay(Server(folder, opener=storage.open)) as port:
        yield port, storage


async def filled(port: Quay) -> None:
    """Wait until the spec of the one that waits is filled in."""
    found = await port.until("next", lambda one: "storageLocation" in one["spec"])
    assert phase(found) == "Queued"
    assert found["spec"]["ttl"] == "720h0m0s"


async def ran(port: Quay, name: str = "next") -> Any:
    """Give a Backup that has run, which is the one that was run."""
    found = await port.get(name)
    assert phase(found) == "Completed"
    assert metadata(port.server.folder, name)["spec"] == found["spec"]
    return found


async def test_its_spec_is_filled_in_while_the_one_before_it_ends(tmp_path: Path) -> None:
    async with harbour(tmp_path) as (port, storage):
        async with ending(port, storage):
            await filled(port)
            before = len(port.proxy.calls)
        assert not [call for call in port.proxy.calls[before:] if FILL(call.request)]
        assert (await ran(port))["spec"]["storageLocation"] == "default"


async def test_the_default_of_its_start_counts_though_another_was_filled_in(tmp_path: Path) -> None:
    """Such as when the one before it can not end, as the store is away, and another is to do."""
    async with harbour(tmp_path) as (port, storage):
        async with ending(port, storage):
            await filled(port)
            await port.admin.patch(f"{LOCATIONS}/default", {"spec": {"default": False}})
            await port.admin.create(LOCATIONS, location("other"))
            await port.set_status(f"{LOCATIONS}/other", {"phase": "Available"})
        found = await ran(port)
        assert found["spec"]["storageLocation"] == "other"
        assert found["metadata"]["labels"]["velero.io/storage-location"] == "other"


async def test_what_somebody_asks_for_after_that_counts(tmp_path: Path) -> None:
    async with harbour(tmp_path) as (port, storage):
        async with ending(port, storage):
            await filled(port)
            await port.admin.patch(f"{BACKUPS}/next", {"spec": {"ttl": "1h0m0s"}})
        found = await ran(port)
        assert found["spec"]["ttl"] == "1h0m0s"
        assert found["spec"]["storageLocation"] == "default"


async def test_one_that_is_gone_by_then_is_not_started(tmp_path: Path) -> None:
    async with harbour(tmp_path) as (port, storage), phases(port) as seen:
        async with ending(port, storage):
            await filled(port)
            await port.admin.delete(f"{BACKUPS}/next")
            await port.backup("next", ttl="2h0m0s")
        assert (await ran(port))["spec"]["ttl"] == "2h0m0s"
        assert seen.count("next InProgress") == 1
        assert seen.index("after InProgress") < seen.index("next InProgress")


@pytest.mark.parametrize(
    "fault",
    [
        faults.Refuse(faults.conflict()),
        faults.Refuse(faults.failure(500)),
        faults.LoseRequest(),
        faults.LoseAnswer(),
        faults.DoneBut(faults.failure(500)),
    ],
)
async def test_where_it_fails_the_start_does_it(tmp_path: Path, fault: faults.Fault) -> None:
    async with harbour(tmp_path) as (port, storage):
        injection = port.proxy.inject(fault, FILL, times=2)
        async with ending(port, storage):
            await eventually(lambda: bool(injection.hits))
        assert (await ran(port))["spec"]["storageLocation"] == "default"


async def test_one_that_is_wrong_is_left_alone_until_its_turn(tmp_path: Path) -> None:
    async with harbour(tmp_path) as (port, storage):
        looks = faults.matches(verb="get", resource="backups", path="*/next")
        async with ending(port, storage, ttl="-1h"):
            await eventually(lambda: any(looks(call.request) for call in port.proxy.calls))
        assert (await port.get("next"))["status"]["phase"] == "FailedValidation"
        fills = [call for call in port.proxy.calls if FILL(call.request)]
        assert len(fills) == 1


async def test_what_labels_leave_out_is_found_at_the_start(tmp_path: Path) -> None:
    labels = {"velero.io/exclude-from-backup": "true"}
    async with harbour(tmp_path) as (port, storage):
        secret = {"metadata": {"name": "secret", "labels": labels}}
        await port.admin.create("/api/v1/namespaces", secret)
        async with ending(port, storage):
            await port.admin.patch("/api/v1/namespaces/secret", {"metadata": {"labels": None}})
        assert "excludedNamespaces" not in (await ran(port))["spec"]


def starts(request: Request) -> bool:
    """Tell whether a write says that the one that waits runs."""
    return STATUS(request) and b"InProgress" in request.body


async def test_who_waits_comes_before_what_is_done(tmp_path: Path) -> None:
    """With a clock that stands still it would be so for ever if the start were never told of."""
    storage, stall = FaultyStorage(), faults.StallAnswer()
    async with quay(Server(tmp_path, clock=FakeClock(), opener=storage.open)) as port:
        async with phases(port) as seen, ending(port, storage) as held:
            await filled(port)
            port.proxy.inject(stall, starts, times=1)
            held.go_on.set()
            await port.until("next", lambda one: phase(one) == "InProgress")
            await eventually(lambda: "backups/first/velero-backup.json" in str(storage.requests))
            assert phase(await port.get("first")) == "Finalizing"
            stall.release()
        await eventually(lambda: "next Completed" in seen)
    order = ["first Finalizing", "next ReadyToStart", "next InProgress", "first Completed"]
    assert [one for one in seen if one in order] == order


async def test_nobody_waits_for_the_places_of_others_to_start(tmp_path: Path) -> None:
    stall = faults.StallAnswer()
    collector = Collector(gate=asyncio.Event())
    async with quay(Server(tmp_path, collect=collector)) as port, port.running():
        await port.backup("first")
        await eventually(lambda: collector.begun == ["first"])
        await port.backup("next")
        await port.until("next", lambda one: phase(one) == "Queued")
        places = faults.matches(verb="patch", path="*/late/status")
        injection = port.proxy.inject(stall, places, times=1)
        await port.backup("late")
        await eventually(lambda: bool(injection.hits))
        assert collector.gate is not None
        collector.gate.set()
        assert (await port.ended("next"))["phase"] == "Completed"
        stall.release()
        assert (await port.ended("late"))["phase"] == "Completed"
    assert collector.begun == ["first", "next", "late"]
