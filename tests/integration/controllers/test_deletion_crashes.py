"""A deletion ends at any of its calls, or its bucket fails: it is gone on with."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.api.velero.labels import RESTORE_FINALIZER
from kedge.archive.files import gz_json
from kedge.controllers.deletion import controller
from kedge.controllers.deletion.controller import DeletionSettings
from kedge.kube.kind import Object
from kedge.objects.errors import Unreachable
from kedge.testing import Client, Cluster, crash, faults
from kedge.testing.faults import Side
from kedge.testing.objects import FaultyStorage
from kedge.testing.state import state_of
from tests.integration.controllers.harbour import Events
from tests.integration.controllers.storehouse import (
    BACKUPS,
    LOCATIONS,
    REQUESTS,
    RESTORES,
    Parts,
    Storehouse,
    backup,
    deletion,
    furnished,
    keep,
    location,
    status_of,
    store_in,
    storehouse,
    working,
    write_status,
)
from tests.integration.controllers.voyage import Shifted
from tests.integration.sweeps import WRITES, Cut, cuts, daily
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

NEEDS = ("backups", "backupstoragelocations", "deletebackuprequests", "restores")


def add(parts: Parts) -> None:
    """Add the controller, which does one thing at a time."""
    settings = DeletionSettings(workers=1)
    controller.add_to(parts.manager, parts.client, parts.events, settings, parts.stores)


def restore(name: str, of: str, **metadata: Any) -> Object:
    """Write a Restore."""
    made = {"apiVersion": "velero.io/v1", "kind": "Restore", "spec": {"backupName": of}}
    return {**made, "metadata": {"name": name, **metadata}}


@dataclass
class Clearance:
    """A scenario: each cluster has a clock and a bucket of its own."""

    kinds: Sequence[Object]
    home: Path
    clock: Shifted = field(default_factory=Shifted)
    events: Events = field(default_factory=Events)
    lives: int = 0

    @property
    def root(self) -> Path:
        """The folder of the buckets of this cluster."""
        return self.home / str(self.lives)

    def scenario(self) -> crash.Scenario:
        """Give it as the crash harness takes it."""
        return crash.Scenario(
            self.start, self.prepare, self.is_settled, self.end_state, self.cluster
        )

    @asynccontextmanager
    async def cluster(self) -> AsyncIterator[Cluster]:
        """Make a cluster with an empty bucket."""
        self.clock = Shifted()
        self.lives += 1
        self.root.mkdir()
        async with furnished(self.clock, NEEDS, self.kinds) as kube:
            yield kube

    def start(self, url: str) -> AbstractAsyncContextManager[object]:
        """Run the controller."""
        return working(url, self.clock, self.events, self.root, [add])

    async def prepare(self, client: Client) -> None:
        """Make Backups, and the requests to delete some of them."""
        await client.create(LOCATIONS, location())
        await write_status(client, f"{LOCATIONS}/default", {"phase": "Available"})
        for name in ("gone", "kept"):
            await client.create(BACKUPS, backup(name))
            done = await write_status(client, f"{BACKUPS}/{name}", {"phase": "Completed"})
            await keep(store_in(self.root), done)
        await client.create(RESTORES, restore("slow", "gone", finalizers=[RESTORE_FINALIZER]))
        await client.create(RESTORES, restore("other", "kept"))
        for name in ("gone", "nobody"):
            await client.create(REQUESTS, deletion(f"go-{name}", name))

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done; let the Restore go that waits for somebody else."""
        for one in (await client.get(RESTORES))["items"]:
            if one["metadata"].get("deletionTimestamp"):
                path = f"{RESTORES}/{one['metadata']['name']}"
                await client.patch(path, {"metadata": {"finalizers": None}})
        asked = (await client.get(REQUESTS))["items"]
        names = {one["metadata"]["name"] for one in asked}
        is_over = all(status_of(one).get("phase") == "Processed" for one in asked)
        return is_over and names == {"go-nobody"}

    async def end_state(self, client: Client) -> Any:
        """Read what is to be the same."""
        found = await state_of(client, BACKUPS, RESTORES, REQUESTS)
        for one in found:
            one["metadata"].pop("generation", None)
        return [found, [key async for key in store_in(self.root).bucket.keys("backups")]]


def check(state: Any) -> None:
    """Make sure that an end state is the right one."""
    objects, files = state
    names = {(one["kind"], one["metadata"]["name"]) for one in objects}
    assert names == {
        ("Backup", "kept"),
        ("Restore", "other"),
        ("DeleteBackupRequest", "go-nobody"),
    }
    assert {key.split("/")[1] for key in files} == {"kept"}


@pytest.mark.parametrize("cut", cuts(thin=5, whole=2 * 10))
async def test_it_survives_an_end_at_its_calls(tmp_path: Path, cut: Cut) -> None:
    scenario = Clearance(crds(), tmp_path).scenario()
    check(await crash.run(scenario))
    await cut.crashes(scenario)


FAULTS: dict[str, tuple[faults.Fault, faults.Matcher]] = {
    "requests lost": (faults.LoseRequest(), WRITES),
    "answers lost": (faults.LoseAnswer(), WRITES),
    "conflicts": (faults.Refuse(faults.conflict()), WRITES),
    "done but failed": (faults.DoneBut(faults.failure(500)), WRITES),
    "answers first": (faults.AnswerFirst(), WRITES),
    "503": (faults.Refuse(faults.failure(503)), faults.every),
}


DAILY = (
    "answers lost",
    "conflicts",
    "503",
)


@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_comes_to_the_same_end_under_faults(fault: str, tmp_path: Path) -> None:
    what, where = FAULTS[fault]
    found = await crash.run(
        Clearance(stock_crds(), tmp_path).scenario(),
        lambda proxy: proxy.inject(what, where, times=5),
    )
    check(found)


async def deletable(port: Storehouse, name: str = "nightly") -> None:
    """Make a Backup with files, and the request to delete it."""
    await port.kube.client.create(BACKUPS, backup(name))
    done = await port.say(f"{BACKUPS}/{name}", phase="Completed")
    lists = ("volumesnapshots", "podvolumebackups", "volumeinfo")
    await keep(port.store(), done, {f"{name}-{one}.json.gz": gz_json([]) for one in lists})
    await port.kube.client.create(REQUESTS, deletion(f"go-{name}", name))


READS = 4
"""Requests to the bucket before anything is deleted: the metadata and three lists of volumes."""
ALL = READS + 2 + 4
"""With the deletion of the metadata, a list of the files, and the deletion of four."""


@pytest.mark.parametrize("side", Side)
async def test_a_kill_at_any_request_to_the_bucket_is_gone_on_with(
    side: Side, tmp_path: Path
) -> None:
    storage = FaultyStorage()
    async with storehouse(tmp_path, NEEDS, opener=storage.open) as port:
        await port.available()
        for number in range(1, ALL + 1):
            await deletable(port)
            pause = storage.pause(number, side)
            async with working(
                port.proxy.url, port.clock, port.events, tmp_path, [add], storage.open
            ):
                async with asyncio.timeout(30):
                    await pause.reached.wait()
            assert await port.names(BACKUPS) == ["nightly"]
            if number <= READS:
                assert await port.store().has_backup("nightly")
            elif number > READS + 1:
                # What is begun is never seen as a backup again.
                assert not await port.store().has_backup("nightly")
            async with port.working(add):
                await port.quiet()
                assert await port.names(BACKUPS) == []
                assert await port.names(REQUESTS) == []
                assert await port.store().backups() == []


@pytest.mark.parametrize("side", Side)
async def test_a_bucket_that_fails_once_is_told_and_another_request_ends_it(
    side: Side, tmp_path: Path
) -> None:
    storage = FaultyStorage()
    async with storehouse(tmp_path, NEEDS, opener=storage.open) as port:
        await port.available()
        async with port.working(add):
            for number in range(1, ALL + 1):
                storage.fail(number, side, Unreachable("gone fishing"))
                await deletable(port)
                await port.quiet()
                told = status_of(await port.read(f"{REQUESTS}/go-nightly"))
                assert told["phase"] == "Processed"
                assert "gone fishing" in told["errors"][0]
                assert await port.names(BACKUPS) == ["nightly"]
                await port.kube.client.create(REQUESTS, deletion("again"))
                await port.quiet()
                assert await port.names(BACKUPS) == []
                assert await port.store().backups() == []
                path = f"{REQUESTS}/go-nightly"
                if await port.read(path):
                    await port.kube.client.delete(path)


async def test_a_bucket_that_is_down_or_refuses_keeps_its_backup(tmp_path: Path) -> None:
    storage = FaultyStorage()
    async with storehouse(tmp_path, NEEDS, opener=storage.open) as port:
        await port.available()
        await deletable(port)
        storage.down = True
        async with port.working(add):
            await port.quiet()
            assert status_of(await port.read(f"{REQUESTS}/go-nightly"))["phase"] == "Processed"
            storage.down, storage.refused = False, True
            await port.kube.client.create(REQUESTS, deletion("again"))
            await port.quiet()
            assert "credentials" in status_of(await port.read(f"{REQUESTS}/again"))["errors"][0]
        assert await port.names(BACKUPS) == ["nightly"]
        assert await port.store().has_backup("nightly")
