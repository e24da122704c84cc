"""Backups whose time is over are asked to be deleted, at that time, once."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.controllers.gc import controller
from kedge.controllers.gc.controller import GcSettings
from kedge.kube.kind import Object
from kedge.testing import faults
from tests.integration.controllers.storehouse import (
    BACKUPS,
    LOCATIONS,
    REQUESTS,
    Adder,
    Parts,
    Storehouse,
    backup,
    deletion,
    storehouse,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

NEEDS = ("backups", "backupstoragelocations", "deletebackuprequests")
KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}
LABEL = "velero.io/gc-failure"


def add(**settings: Any) -> Adder:
    """Add the controller."""

    def to(parts: Parts) -> None:
        controller.add_to(parts.manager, parts.client, parts.events, GcSettings(**settings))

    return to


async def backed_up(
    port: Storehouse, name: str, expiration: str = "2030-01-01T01:00:00Z", **status: Any
) -> Object:
    """Make a Backup that has ended."""
    await port.kube.client.create(BACKUPS, backup(name))
    told = {"phase": "Completed", "expiration": expiration, **status}
    return await port.say(f"{BACKUPS}/{name}", **told)


async def label(port: Storehouse, name: str = "nightly") -> str | None:
    """Give the label that says why a Backup can not be removed."""
    one = await port.read(f"{BACKUPS}/{name}")
    assert one is not None
    found: str | None = one["metadata"].get("labels", {}).get(LABEL)
    return found


@pytest.mark.parametrize("kinds", KINDS)
async def test_a_request_is_made_at_the_exact_time(kinds: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port:
        await port.available()
        made = await backed_up(port, "nightly")
        await backed_up(port, "later", "2031-01-01T00:00:00Z")
        async with port.working(add()):
            await port.pass_time(minutes=59, seconds=59)
            assert await port.names(REQUESTS) == []
            await port.pass_time(seconds=1)
            (name,) = await port.names(REQUESTS)
            asked = await port.read(f"{REQUESTS}/{name}")
            assert asked is not None
            assert asked["spec"] == {"backupName": "nightly"}
            assert name.startswith("nightly-")
            assert asked["metadata"]["labels"] == {
                "velero.io/backup-name": "nightly",
                "velero.io/backup-uid": made["metadata"]["uid"],
            }
            assert port.events.reasons == ["Expired"]
            await port.pass_time(days=3)
            assert await port.names(REQUESTS) == [name]
            assert len(port.writes()) == 1


@pytest.mark.parametrize("phase", ["Failed", "PartiallyFailed", "Deleting", "FailedValidation"])
async def test_the_phase_does_not_matter(phase: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port, "nightly", phase=phase)
        async with port.working(add()):
            await port.pass_time(hours=1)
            assert len(await port.names(REQUESTS)) == 1


async def test_one_that_still_runs_goes_when_it_has_ended(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port, "nightly", phase="InProgress")
        async with port.working(add()):
            await port.pass_time(hours=2)
            assert await port.names(REQUESTS) == []
            await port.say(f"{BACKUPS}/nightly", phase="Completed")
            await port.quiet()
            assert len(await port.names(REQUESTS)) == 1


async def test_one_without_an_expiration_stays(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await port.kube.client.create(BACKUPS, backup("nightly", {"ttl": "1s"}))
        await port.say(f"{BACKUPS}/nightly", phase="Completed")
        async with port.working(add()):
            await port.pass_time(days=400)
            assert await port.names(REQUESTS) == []


@pytest.mark.parametrize("phase", ["", "New", "InProgress"])
async def test_a_request_that_is_there_is_enough(phase: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        made = await backed_up(port, "nightly")
        labels = {
            "velero.io/backup-name": "nightly",
            "velero.io/backup-uid": made["metadata"]["uid"],
        }
        await port.kube.client.create(REQUESTS, deletion("mine", labels=labels))
        if phase:
            await port.say(f"{REQUESTS}/mine", phase=phase)
        async with port.working(add()):
            await port.pass_time(hours=5)
            assert await port.names(REQUESTS) == ["mine"]


async def test_requests_for_a_namesake_do_not_count(tmp_path: Path) -> None:
    labels = {"velero.io/backup-name": "nightly", "velero.io/backup-uid": "another"}
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port, "nightly")
        await port.kube.client.create(REQUESTS, deletion("other", labels=labels))
        async with port.working(add()):
            await port.pass_time(hours=1)
            assert len(await port.names(REQUESTS)) == 2


async def test_after_a_deletion_that_failed_it_is_tried_again_after_the_frequency(
    tmp_path: Path,
) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port, "nightly")
        async with port.working(add(frequency=timedelta(minutes=30))):
            await port.pass_time(hours=1)
            (first,) = await port.names(REQUESTS)
            await port.say(f"{REQUESTS}/{first}", phase="Processed", errors=["no luck"])
            await port.pass_time(minutes=29, seconds=59)
            assert await port.names(REQUESTS) == [first]
            await port.pass_time(seconds=1)
            assert len(await port.names(REQUESTS)) == 2


@pytest.mark.parametrize("kinds", KINDS)
async def test_what_is_in_the_way_is_told_by_a_label_until_it_is_gone(
    kinds: str, tmp_path: Path
) -> None:
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port:
        await backed_up(port, "nightly")
        async with port.working(add()):
            await port.pass_time(hours=1)
            assert await label(port) == "BSLNotFound"
            await port.available(accessMode="ReadOnly")
            await port.quiet()
            assert await label(port) == "BSLReadOnly"
            await port.say(f"{LOCATIONS}/default", phase="Unavailable")
            await port.kube.client.patch(f"{LOCATIONS}/default", {"spec": {"accessMode": None}})
            await port.pass_time(hours=1)
            assert await port.names(REQUESTS) == []
            await port.say(f"{LOCATIONS}/default", phase="Available")
            await port.quiet()
            assert await label(port) is None
            assert len(await port.names(REQUESTS)) == 1
            told = ["GarbageCollectionFailed", "GarbageCollectionFailed", "Expired"]
            assert port.events.reasons == told


async def test_a_request_whose_answer_was_lost_is_not_made_twice(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port, "nightly")
        port.proxy.inject(faults.LoseAnswer(), faults.matches(verb="create"), times=1)
        async with port.working(add()):
            await port.pass_time(hours=1)
            await port.pass_time(minutes=1)
            assert len(await port.names(REQUESTS)) == 1


async def test_an_end_after_the_request_was_made_makes_no_second_one(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port, "nightly")
        for _ in range(3):
            async with port.working(add()):
                await port.pass_time(hours=1)
        assert len(await port.names(REQUESTS)) == 1


async def test_a_long_name_is_cut(tmp_path: Path) -> None:
    name = "a" * 253
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port, name)
        async with port.working(add()):
            await port.pass_time(hours=1)
            (asked,) = await port.names(REQUESTS)
            assert len(asked) == 253
            found = await port.read(f"{REQUESTS}/{asked}")
            assert found is not None
            assert found["spec"] == {"backupName": name}
            assert len(found["metadata"]["labels"]["velero.io/backup-name"]) == 63
