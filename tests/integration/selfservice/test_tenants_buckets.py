"""What people put into a bucket of their own comes in as theirs, and holds up nobody else."""

from pathlib import Path
from typing import Any

import pytest

from kedge.controllers.sync import controller
from kedge.controllers.sync.controller import SyncSettings
from kedge.kube.kind import Object
from kedge.selfservice.marks import NAB, NABSL, annotations_for, labels_for
from tests.integration.controllers.storehouse import (
    BACKUPS,
    LOCATIONS,
    Parts,
    Storehouse,
    backup,
    keep,
    location,
    storehouse,
)

pytestmark = pytest.mark.asyncio

NEEDS = ("backups", "backupstoragelocations", "schedules", "podvolumebackups")
UUID = "0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"
MINE, OWN = f"shop-mine-{UUID}", f"shop-nightly-{UUID}"
RUN = "shop-nightly-20300101020000"
"""The Backup of a Schedule, shop-nightly, that the administrator has: anybody can foretell it."""
DONE = {"phase": "Completed", "startTimestamp": "2029-12-01T00:00:00Z"}


def add(parts: Parts) -> None:
    controller.add_to(parts.manager, parts.client, parts.events, SyncSettings(), parts.stores)


def found(name: str) -> Object:
    """Write a Backup that says to be of the people of the shop."""
    marks: dict[str, Any] = {
        "labels": labels_for(NAB, name),
        "annotations": annotations_for(NAB, "shop", "nightly"),
    }
    return {**backup(name, {}, **marks), "status": DONE}


async def bucket_of_the_shop(port: Storehouse) -> None:
    """Make the location that is made for people's own bucket."""
    made = location(MINE)
    made["metadata"]["labels"] = labels_for(NABSL, MINE)
    made["metadata"]["annotations"] = annotations_for(NABSL, "shop", "mine")
    await port.kube.client.create(LOCATIONS, made)
    await port.say(f"{LOCATIONS}/{MINE}", phase="Available")


async def test_nobody_takes_a_name_that_the_administrator_is_going_to_need(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await bucket_of_the_shop(port)
        for name in (RUN, OWN):
            await keep(port.store(), found(name))
        async with port.working(add):
            await port.quiet()
            assert await port.names(BACKUPS) == [OWN]
            assert [reason for reason, _ in port.events.told] == ["Synced", "BackupNotSynced"]


async def test_a_bucket_full_of_rubbish_does_not_fill_the_log(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await bucket_of_the_shop(port)
        for number in range(controller.TOLD_AT_ONCE + 7):
            await keep(port.store(), found(f"rubbish-{number:03}"))
        async with port.working(add):
            await port.quiet()
            *some, last = [text for reason, text in port.events.told if reason == "BackupNotSynced"]
            assert len(some) == controller.TOLD_AT_ONCE
            assert all("rubbish-" in text for text in some)
            assert last == "7 more in backups/ are not synced"
            await port.pass_time(minutes=1)
            assert len(port.events.told) == len(some) + 1


@pytest.mark.parametrize("is_theirs", [True, False])
async def test_a_bucket_without_end_has_its_turn_and_then_others_have_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_theirs: bool
) -> None:
    monkeypatch.setattr(controller, "ROUND_SECONDS", 0.0)
    async with storehouse(tmp_path, NEEDS) as port:
        await (bucket_of_the_shop(port) if is_theirs else port.available())
        await keep(port.store(), found(OWN))
        async with port.working(add):
            await port.quiet()
            assert await port.names(BACKUPS) == ([] if is_theirs else [OWN])
            monkeypatch.undo()
            await port.pass_time(minutes=1)
            assert await port.names(BACKUPS) == [OWN]
