"""Candidates for one lease in virtual time, and a place that keeps it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from kedge.aio.turn import turn
from kedge.client import Unreachable
from kedge.kube.errors import already_exists, conflict, not_found
from kedge.runtime.leader import Leader, LeaderSettings
from kedge.runtime.lease import Lease, Record, read, write
from kedge.testing import FakeClock

TURNS = 30
STEP = 0.1


class Place:
    """Keeps one Lease, as an API server does."""

    def __init__(self) -> None:
        self.obj: dict[str, Any] | None = None
        self.version = 0
        self.log: list[Record] = []

    @property
    def record(self) -> Record:
        assert self.obj is not None
        return read(self.obj).record

    def put(self, obj: dict[str, Any], *, is_new: bool) -> Lease:
        self.version += 1
        meta = {**obj["metadata"], "resourceVersion": str(self.version)}
        if is_new:
            meta["uid"] = f"uid-{self.version}"
        self.obj = {**obj, "metadata": meta}
        self.log.append(self.record)
        return read(self.obj)


class Line:
    """The way of one candidate to the place; it can be cut, or made to hang."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.fault: Exception | None = None
        self.lost_answers = 0
        self.hanging = asyncio.Event()
        self.hanging.set()

    async def _reach(self) -> None:
        await turn()
        await self.hanging.wait()
        if self.fault is not None:
            raise self.fault

    def _answer(self, lease: Lease) -> Lease:
        if self.lost_answers:
            self.lost_answers -= 1
            raise Unreachable("the answer was lost")
        return lease

    async def get(self) -> Lease | None:
        await self._reach()
        return None if self.place.obj is None else read(self.place.obj)

    async def create(self, record: Record) -> Lease:
        await self._reach()
        if self.place.obj is not None:
            raise already_exists("coordination.k8s.io", "leases", "boat")
        obj = {"metadata": {"name": "boat", "namespace": "sea"}}
        return self._answer(self.place.put(write(obj, record), is_new=True))

    async def replace(self, lease: Lease, record: Record) -> Lease:
        await self._reach()
        if self.place.obj is None:
            raise not_found("coordination.k8s.io", "leases", "boat")
        if lease.obj["metadata"] != self.place.obj["metadata"]:
            raise conflict("coordination.k8s.io", "leases", "boat", "it has moved on")
        return self._answer(self.place.put(write(lease.obj, record), is_new=False))


def settings(identity: str) -> LeaderSettings:
    return LeaderSettings("boat", "sea", identity)


class Runner:
    """A candidate that runs, and how it ended."""

    def __init__(self, place: Place, clock: FakeClock, identity: str) -> None:
        self.line = Line(place)
        self.reports: list[bool] = []
        self.leader = Leader(
            self.line, settings(identity), clock, self.reports.append, draw=lambda: 0.5
        )
        self.failure: BaseException | None = None
        self.has_ended = False
        self.task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        try:
            await self.leader.run()
        except Exception as exc:  # noqa: BLE001 - looked at by the test
            self.failure = exc
        self.has_ended = True


class Race:
    """Several candidates, and time that passes for all of them."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self.place = Place()
        self.clock = FakeClock()
        self.runners: list[Runner] = []
        self._group = group

    def join(self, identity: str) -> Runner:
        runner = Runner(self.place, self.clock, identity)
        runner.task = self._group.create_task(runner.run())
        self.runners.append(runner)
        return runner

    async def settle(self) -> None:
        for _ in range(TURNS):
            await turn()

    async def wait(self, seconds: float) -> None:
        """Let time pass, in small steps."""
        await self.settle()
        for _ in range(round(seconds / STEP)):
            self.clock.advance(timedelta(seconds=STEP))
            await self.settle()


@asynccontextmanager
async def race() -> AsyncIterator[Race]:
    """Run candidates while the block runs."""
    async with asyncio.TaskGroup() as group:
        found = Race(group)
        yield found
        for runner in found.runners:
            assert runner.task is not None
            runner.task.cancel()
