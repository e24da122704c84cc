"""Positions are written many at a time, and nobody who is busy holds up the others."""

from collections.abc import Callable, Sequence
from typing import cast

import msgspec
import pytest

from kedge.aio.background import background
from kedge.aio.turn import turn
from kedge.client import Client, StatusChange
from kedge.client.decoders import Event
from kedge.controllers.nab.hands import Hands
from kedge.controllers.nab.heads import BACKUPS, NABS, Nab, VeleroBackup, Version, VersionMeta
from kedge.controllers.nab.positions import BEHIND, THE_LINE, TOGETHER, Positions
from kedge.kube.errors import ApiError, InternalError, NotFound
from kedge.kube.meta import ObjectMeta
from kedge.runtime import Cache, Key
from kedge.runtime.cache import CacheWriter
from kedge.runtime.outputs import Batch, Restarted, Synced
from kedge.selfservice.buckets import Buckets
from kedge.selfservice.marks import NAB, annotations_for, labels_for
from kedge.selfservice.publish import Line, Publishing
from kedge.selfservice.queue import Queue
from kedge.testing import FakeClock

pytestmark = pytest.mark.asyncio
HOME, TENANT = "velero", "shop"


class Server:
    """Takes note of what is written, and answers what a test wants."""

    def __init__(self) -> None:
        self.lanes: list[list[str]] = []
        self.told: dict[str, int] = {}
        self.failures: dict[str, ApiError] = {}
        self.held = ""
        """As long as it is set, the lane that this one is in gets no answer."""

    async def patch_statuses(
        self, kind: object, changes: Sequence[StatusChange]
    ) -> list[Version | ApiError]:
        self.lanes.append([one.name for one in changes])
        await turn()
        while self.held in {one.name for one in changes}:
            await turn()
        answers: list[Version | ApiError] = []
        for one in changes:
            if failure := self.failures.pop(one.name, None):
                answers.append(failure)
                continue
            status = msgspec.json.decode(one.patch.body)["status"]
            self.told[one.name] = status["queueInfo"]["estimatedQueuePosition"]
            answers.append(Version(VersionMeta("99999")))
        return answers


class Dock:
    """So many Velero Backups that wait, each of a NonAdminBackup that was told nothing yet."""

    def __init__(self, count: int) -> None:
        self.clock, self.server = FakeClock(), Server()
        self.backups, self.nabs = CacheWriter(Cache(BACKUPS)), CacheWriter(Cache(NABS))
        self.hands = Hands(self.nabs.cache, self.clock)
        self.positions = Positions(
            cast("Client", self.server),
            HOME,
            self.nabs.cache,
            self.backups.cache,
            Line(Queue(), Publishing(period_seconds=0)),
            self.hands,
            self.clock,
            0.0,
            Buckets(lambda _: None),
        )
        for writer in (self.backups, self.nabs):
            writer.take(Restarted())
            writer.take(Synced())
        first = ObjectMeta(name="first", namespace=HOME, uid="first", resource_version="5000")
        self.see("ADDED", VeleroBackup(first, {}, None))
        for number in range(count):
            self.wait(f"n{number}", f"b{number}", number)
        self.see("DELETED", VeleroBackup(first, {}, None))  # all move up

    def see(self, event: str, backup: VeleroBackup) -> None:
        """Have the cache show what has become of a Velero Backup."""
        raw = msgspec.Raw(msgspec.json.encode(backup))
        for change in self.backups.take(Batch([Event(event, raw)])):
            self.positions.hear(change)

    def wait(self, nab: str, name: str, number: int) -> None:
        """Put a Velero Backup at the end of the line, that says that it is of an object."""
        reference = {"nacuuid": name, "name": name}
        meta = ObjectMeta(name=nab, namespace=TENANT, uid=nab, resource_version=f"{number + 1}")
        raw = Nab(meta, {}, {"phase": "Created", "veleroBackup": reference})
        if Key(TENANT, nab) not in self.nabs.cache:
            self.nabs.take(Batch([Event("ADDED", msgspec.Raw(msgspec.json.encode(raw)))]))
        held = ObjectMeta(
            name=name,
            namespace=HOME,
            uid=name,
            resource_version=f"{number + 10_000}",
            labels=labels_for(NAB, name),
            annotations=annotations_for(NAB, TENANT, nab, nab),
        )
        self.see("ADDED", VeleroBackup(held, {}, None))


async def test_all_are_told_in_lanes_that_are_no_longer_than_they_may_be() -> None:
    count = TOGETHER * BEHIND + 3
    dock = Dock(count)
    await dock.positions.reconcile(THE_LINE)
    assert dock.server.told == {f"n{number}": number + 1 for number in range(count)}
    assert max(map(len, dock.server.lanes)) == BEHIND
    assert [len(lane) for lane in dock.server.lanes] == [BEHIND] * TOGETHER + [3]


async def test_a_few_are_spread_over_all_lanes() -> None:
    dock = Dock(TOGETHER + 1)
    await dock.positions.reconcile(THE_LINE)
    assert sorted(map(len, dock.server.lanes)) == [1] * (TOGETHER - 1) + [2]


async def test_one_that_somebody_works_on_holds_up_no_other() -> None:
    dock = Dock(20)
    async with dock.hands.on(Key(TENANT, "n3")), background(_reconciled(dock)):
        for _ in range(50):
            await turn()
        assert dock.server.told.keys() == {f"n{n}" for n in range(20)} - {"n3"}
    assert not dock.hands.is_busy(Key(TENANT, "n3"))
    await dock.positions.reconcile(THE_LINE)
    assert dock.server.told["n3"] == 4


async def test_a_lane_that_is_slow_holds_up_no_other() -> None:
    count = 3 * TOGETHER * BEHIND
    dock = Dock(count)
    async with background(_reconciled(dock)):
        dock.server.held = "n0"
        await _until(lambda: len(dock.server.told) == count - BEHIND)
        dock.server.held = ""
        await _until(lambda: len(dock.server.told) == count)
    assert dock.server.told == {f"n{number}": number + 1 for number in range(count)}


async def test_who_is_at_the_head_meanwhile_is_told_before_the_others_who_are_left() -> None:
    dock = Dock(3 * TOGETHER * BEHIND)
    async with background(_reconciled(dock)):
        dock.server.held = "n0"
        await _until(lambda: bool(dock.server.lanes))
        backup = ObjectMeta(name="b1", namespace=HOME, uid="b1", resource_version="10001")
        dock.see("DELETED", VeleroBackup(backup, {}, None))
        before = len(dock.server.lanes)
        await _until(lambda: len(dock.server.lanes) > before)
        # The first whose lane is done: n0 to n8 are gone, or still under way.
        assert dock.server.lanes[before][0] == "n9"
        dock.server.held = ""
        await _until(lambda: dock.server.told.get("n2") == 2)
    assert dock.server.told["n2"] == 2


async def test_one_that_moves_on_while_it_is_told_is_told_again_even_if_that_fails() -> None:
    dock = Dock(3)
    dock.server.held = "n2"
    async with background(_failed(dock)):
        await _until(lambda: dock.server.told.keys() == {"n0", "n1"})
        backup = ObjectMeta(name="b0", namespace=HOME, uid="b0", resource_version="10000")
        dock.see("DELETED", VeleroBackup(backup, {}, None))
        dock.server.failures = {"n1": InternalError("broken")}
        dock.server.held = ""
        await _until(lambda: not dock.server.failures)
    await dock.positions.reconcile(THE_LINE)
    assert dock.server.told == {"n0": 1, "n1": 1, "n2": 2}


async def test_those_whose_telling_was_broken_off_are_told_the_next_time() -> None:
    count = 2 * TOGETHER * BEHIND
    dock = Dock(count)
    dock.server.held = "n0"
    async with background(_reconciled(dock)):
        await _until(lambda: len(dock.server.told) == count - BEHIND)
    dock.server.held = ""
    await dock.positions.reconcile(THE_LINE)
    assert dock.server.told == {f"n{number}": number + 1 for number in range(count)}


async def test_a_failure_ends_all_lanes_and_nobody_is_forgotten() -> None:
    count = 4 * TOGETHER * BEHIND
    dock = Dock(count)
    dock.server.failures = {"n5": InternalError("broken")}
    with pytest.raises(InternalError):
        await dock.positions.reconcile(THE_LINE)
    assert len(dock.server.told) < count
    await dock.positions.reconcile(THE_LINE)
    assert dock.server.told == {f"n{number}": number + 1 for number in range(count)}


async def test_two_that_say_that_they_are_of_one_object_do_not_wait_for_each_other() -> None:
    dock = Dock(2)
    dock.wait("n1", "forged", 7)
    dock.wait("n2", "b2", 8)
    dock.positions.line.remove("b0")  # so that all others are told anew
    await dock.positions.reconcile(THE_LINE)
    assert dock.server.told == {"n1": 1, "n2": 3}


async def test_one_that_is_gone_is_left_and_one_that_fails_is_told_again_with_its_lane() -> None:
    dock = Dock(TOGETHER * 2)
    dock.server.failures = {
        "n1": NotFound("gone"),
        "n2": InternalError("broken"),
    }
    with pytest.raises(InternalError):
        await dock.positions.reconcile(THE_LINE)
    assert dock.server.told.keys() == {f"n{n}" for n in range(TOGETHER * 2)} - {"n1", "n2"}
    before = len(dock.server.lanes)
    await dock.positions.reconcile(THE_LINE)
    assert "n2" in dock.server.lanes[before]
    assert dock.server.told["n2"] == 3
    assert "n1" not in dock.server.told


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        await turn()


async def _failed(dock: Dock) -> None:
    with pytest.raises(InternalError):
        await dock.positions.reconcile(THE_LINE)


async def _reconciled(dock: Dock) -> None:
    await dock.positions.reconcile(THE_LINE)
