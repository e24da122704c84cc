"""A Velero Backup that was just made counts once in the line, and not for ever."""

from datetime import timedelta
from typing import Any, cast

import msgspec
import pytest

from kedge.client import Client
from kedge.client.decoders import Event
from kedge.controllers.nab.hands import LAG_SECONDS, Hands
from kedge.controllers.nab.heads import BACKUPS, NABS, Nab, VeleroBackup
from kedge.controllers.nab.positions import THE_LINE, Positions
from kedge.kube.meta import ObjectMeta
from kedge.runtime import Cache, Key
from kedge.runtime.cache import CacheWriter
from kedge.runtime.outputs import Batch, Restarted, Synced
from kedge.selfservice.buckets import Buckets
from kedge.selfservice.publish import Line
from kedge.selfservice.queue import Queue
from kedge.testing import FakeClock

pytestmark = pytest.mark.asyncio
HOME = "velero"


class Dock:
    """The line, with a cache that shows what the test puts into it."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.writer = CacheWriter(Cache(BACKUPS))
        nabs: Cache[Nab] = Cache(NABS)
        self.line = Line(Queue())
        self.woken: list[tuple[Key, float]] = []
        self.positions = Positions(
            cast("Client", None),
            HOME,
            nabs,
            self.writer.cache,
            self.line,
            Hands(nabs, self.clock),
            self.clock,
            5.0,
            Buckets(lambda _: None),
            lambda key, seconds: self.woken.append((key, seconds)),
        )
        self.writer.take(Restarted())
        self.writer.take(Synced())

    def see(self, event: str, backup: VeleroBackup) -> None:
        raw = msgspec.Raw(msgspec.json.encode(backup))
        for change in self.writer.take(Batch([Event(event, raw)])):
            self.positions.hear(change)

    async def pass_time(self, seconds: float) -> None:
        self.clock.advance(timedelta(seconds=seconds))
        await self.positions.reconcile(THE_LINE)


def backup(name: str, version: int, **status: Any) -> VeleroBackup:
    meta = ObjectMeta(name=name, namespace=HOME, uid=f"u-{name}", resource_version=str(version))
    return VeleroBackup(meta, {}, status or None)


async def test_one_that_the_cache_shows_later_counts_once() -> None:
    dock = Dock()
    made = backup("a", 1)
    dock.positions.made(made)
    assert dock.line.position("a") == 1
    dock.see("ADDED", made)
    await dock.pass_time(LAG_SECONDS + 1)
    assert (dock.line.queue.waiting, dock.line.position("a")) == (1, 1)


async def test_one_that_no_cache_ever_shows_does_not_stay_in_the_line() -> None:
    dock = Dock()
    dock.positions.made(backup("gone", 1))
    dock.see("ADDED", backup("behind", 2))
    assert dock.woken == [(THE_LINE, LAG_SECONDS)]
    assert dock.line.position("behind") == 2
    await dock.pass_time(LAG_SECONDS - 1)
    assert dock.line.position("behind") == 2
    await dock.pass_time(1)
    assert dock.line.position("behind") == 1
    assert dock.line.position("gone") is None


async def test_an_answer_that_is_late_does_not_undo_what_the_cache_has_shown() -> None:
    dock = Dock()
    dock.see("ADDED", backup("a", 1))
    dock.see("MODIFIED", backup("a", 2, phase="InProgress"))
    dock.see("ADDED", backup("b", 3))
    dock.positions.made(backup("a", 1))
    assert (dock.line.queue.running, dock.line.position("b")) == (1, 2)
