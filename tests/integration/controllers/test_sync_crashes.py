"""A sync ends at any of its calls, or fails at any request to the bucket: the end is the same."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.archive.files import gz_json
from kedge.controllers.sync import controller
from kedge.controllers.sync.controller import SyncSettings
from kedge.kube.kind import Object
from kedge.testing import Client, Cluster, crash, faults
from kedge.testing.faults import Side
from kedge.testing.objects import FaultyStorage
from kedge.testing.state import state_of
from tests.integration.controllers.harbour import Events
from tests.integration.controllers.storehouse import (
    BACKUPS,
    LOCATIONS,
    VOLUMES,
    Parts,
    backup,
    furnished,
    keep,
    location,
    status_of,
    store_in,
    storehouse,
    working,
    write_status,
)
from tests.integration.controllers.test_sync_backups import DONE, NEEDS, found, volume
from tests.integration.controllers.voyage import Shifted
from tests.integration.sweeps import WRITES, Cut, cuts, daily
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}
EXPECTED = {"nightly", "half"}


def add(parts: Parts) -> None:
    """Add the controller."""
    controller.add_to(parts.manager, parts.client, parts.events, SyncSettings(), parts.stores)


@dataclass
class Arrival:
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
        """Fill a bucket; make a Backup that has lost its files, and one that was begun."""
        store = store_in(self.root)
        await keep(store, found("nightly"), {"nightly-podvolumebackups.json.gz": volumes()})
        await keep(store, found("half"))
        await keep(store, {**found("bad"), "kind": "Restore"})
        label = {"velero.io/storage-location": "default"}
        mark = {"kedge.dev/synced-from": "default/half"}
        await client.create(BACKUPS, backup("lost", labels=label))
        await write_status(client, f"{BACKUPS}/lost", {"phase": "Completed"})
        await client.create(BACKUPS, backup("half", annotations=mark))
        await client.create(LOCATIONS, location())
        await write_status(client, f"{LOCATIONS}/default", {"phase": "Available"})

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done."""
        there = await client.get(f"{LOCATIONS}/default")
        return "lastSyncedTime" in status_of(there)

    async def end_state(self, client: Client) -> Any:
        """Read what is to be the same."""
        state = await state_of(client, BACKUPS, VOLUMES, LOCATIONS)
        for one in state:
            one["metadata"].pop("generation", None)
        return state


def volumes() -> bytes:
    """Write a file of PodVolumeBackups."""
    return gz_json([volume("one")])


def check(state: Any) -> None:
    """Make sure that an end state is the right one."""
    backups = {one["metadata"]["name"]: one for one in state if one["kind"] == "Backup"}
    assert set(backups) == EXPECTED
    assert all(status_of(one)["phase"] == "Completed" for one in backups.values())
    others = [one for one in state if one["kind"] == "PodVolumeBackup"]
    assert [status_of(one).get("phase") for one in others] == ["Completed"]


@pytest.mark.parametrize("cut", cuts(thin=5, whole=2 * 8))
async def test_it_survives_an_end_at_its_calls(tmp_path: Path, cut: Cut) -> None:
    scenario = Arrival(crds(), tmp_path).scenario()
    check(await crash.run(scenario))
    await cut.crashes(scenario)


FAULTS: dict[str, tuple[faults.Fault, faults.Matcher]] = {
    "requests lost": (faults.LoseRequest(), WRITES),
    "answers lost": (faults.LoseAnswer(), WRITES),
    "conflicts": (faults.Refuse(faults.conflict()), WRITES),
    "done but failed": (faults.DoneBut(faults.failure(500)), WRITES),
    "exists already": (faults.DoneBut(faults.already_exists()), faults.matches(verb="create")),
    "503": (faults.Refuse(faults.failure(503)), faults.every),
}


DAILY = (
    "answers lost",
    "exists already",
    "503",
)


@pytest.mark.parametrize("kinds", daily(KINDS, ["our kinds"]))
@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_comes_to_the_same_end_under_faults(
    fault: str, kinds: str, tmp_path: Path
) -> None:
    what, where = FAULTS[fault]
    scenario = Arrival(KINDS[kinds](), tmp_path).scenario()
    check(await crash.run(scenario, lambda proxy: proxy.inject(what, where, times=4)))


@pytest.mark.parametrize("side", Side)
async def test_a_bucket_that_fails_at_any_request_is_asked_again(
    side: Side, tmp_path: Path
) -> None:
    storage = FaultyStorage()
    async with storehouse(tmp_path, NEEDS, opener=storage.open) as port:
        files = {"nightly-podvolumebackups.json.gz": gz_json([])}
        await keep(port.store(), found("nightly"), files)
        for number in range(1, 4):  # a list, the metadata, the volumes
            await port.available()
            storage.fail(number, side)
            async with port.working(add):
                await port.quiet()
                assert "lastSyncedTime" not in status_of(await port.read(f"{LOCATIONS}/default"))
                await port.pass_time(minutes=1)
                assert status_of(await port.read(f"{BACKUPS}/nightly")) == DONE
                assert "lastSyncedTime" in status_of(await port.read(f"{LOCATIONS}/default"))
            await port.kube.client.delete(f"{BACKUPS}/nightly")
            await port.kube.client.delete(f"{LOCATIONS}/default")


async def test_a_backup_that_ends_while_the_bucket_is_listed_is_no_orphan(tmp_path: Path) -> None:
    storage = FaultyStorage()
    async with storehouse(tmp_path, NEEDS, opener=storage.open) as port:
        await port.available()
        label = {"velero.io/storage-location": "default"}
        await port.kube.client.create(BACKUPS, backup("nightly", labels=label))
        await port.say(f"{BACKUPS}/nightly", phase="InProgress")
        pause = storage.pause(1, Side.AFTER)
        async with working(
            port.proxy.url, port.clock, port.events, tmp_path, [add], storage.open
        ) as parts:
            await pause.reached.wait()
            done = await port.say(f"{BACKUPS}/nightly", phase="Completed")
            await keep(port.store(), done)
            port.managers.append(parts.manager)
            pause.go_on.set()
            await port.quiet()
            assert await port.names(BACKUPS) == ["nightly"]
            port.managers.clear()
