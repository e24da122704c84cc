"""One run through all cases: what is put in place when, and which minute belongs to which case."""

import asyncio
import math
import sys
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from typing import Any

from parts.api.servers import Target
from parts.schedules.cases import (
    Late,
    Station,
    all_due,
    few_due,
    idle,
    pace,
    plain,
    settle,
    soon_due,
    station,
)
from parts.schedules.load import CLOCK, coming_minute, numbered
from parts.schedules.operator import UNLIMITED
from parts.schedules.plan import BATCH, CROWD, FEW, LIMITED, RESTED, Effort
from parts.schedules.result import Result

MINUTE = timedelta(minutes=1)
PROBE = 200
SLACK = 1.4
"""The machine may become slower than it was at the probe."""
BATCH_SECONDS = 5.0
"""To look around, when a batch is in place."""
SOON_SECONDS = 10
LIMIT_PER_SECOND = 100
REST_SECONDS = 65.0
"""After a minute, connections are closed that nobody used."""


class Run:
    """Full minutes are few: while one case waits for its own, others are prepared or take place.

    No two cases are due at the same minute, but for those that hardly load a server.
    """

    def __init__(
        self, result: Result, effort: Effort, targets: list[Target], stack: AsyncExitStack
    ) -> None:
        self._result = result
        self._effort = effort
        self._targets = targets
        self._stack = stack
        self._few: dict[str, Station] = {}
        self._crowds: dict[str, Station] = {}
        self._pace = 0.0
        """Seconds that it takes to put a Schedule in place, at most."""

    async def all(self) -> None:
        """Run all cases."""
        for target in self._targets:
            self._few[target.name] = await self._open(target, "few")
            self._crowds[target.name] = await self._open(target, "crowd", UNLIMITED)
        await self._crowd()
        if self._effort.is_limited:
            await _unless_late(self._limited())
        for target in self._targets:
            await _unless_late(self._batch(target))

    async def _crowd(self) -> None:
        """Let many rest, and then be due, one server after the other."""
        effort, first, apart = self._effort, coming_minute(6 * 3600), MINUTE
        few = self._few[self._targets[0].name]
        if effort.is_crowd_due:
            paces = [await pace(one, PROBE) for one in self._crowds.values()]
            self._pace = SLACK * max(paces)
            needed = SLACK * effort.crowd * sum(paces) + effort.idle_seconds
            first = coming_minute(max(needed, REST_SECONDS + 60))
            apart = math.ceil(effort.crowd * self._pace / 60) * MINUTE
            await settle(few, effort.few, first - MINUTE)
        dues = {name: first + n * apart for n, name in enumerate(self._crowds)}
        for name, crowd in self._crowds.items():
            say(f"{name}: {effort.crowd} Schedules, due at {dues[name]:%H:%M}")
            await settle(crowd, effort.crowd, dues[name])
        await self._rest(first)
        if effort.is_crowd_due:
            for name, due in dues.items():
                await _unless_late(self._crowd_due(name, due))

    async def _crowd_due(self, name: str, due: datetime) -> None:
        count = self._effort.crowd
        say(f"{name}: {count} due at {due:%H:%M}")
        self._result.add(name, CROWD, [await all_due(self._crowds[name], count, due)])

    async def _rest(self, until: datetime) -> None:
        """Look at the crowds while nothing is due; a few of the others are."""
        seconds = min(self._effort.idle_seconds, (until - CLOCK.now()).total_seconds() - 5)
        say(f"idle for {seconds:.0f} s")
        async with asyncio.TaskGroup() as group:
            for name, crowd in self._crowds.items():
                group.create_task(self._idle(name, crowd, seconds))
            if self._effort.is_crowd_due:
                group.create_task(self._rested(until - MINUTE))
            else:
                group.create_task(self._rounds(self._targets, until))

    async def _idle(self, name: str, crowd: Station, seconds: float) -> None:
        self._result.idle[name] = await idle(crowd, self._effort.crowd, seconds)

    async def _rested(self, due: datetime) -> None:
        """Have a few be due on the first server, whose operator has rested, and must connect."""
        name, count = self._targets[0].name, self._effort.few
        if due > CLOCK.now():
            self._result.add(name, RESTED, [await all_due(self._few[name], count, due)])

    async def _rounds(self, targets: list[Target], until: datetime) -> None:
        effort = self._effort
        for name in (target.name for target in targets):
            say(f"{name}: {effort.few} due, again and again")
            found = await few_due(self._few[name], effort.few, effort.rounds, until)
            self._result.add(name, FEW, found)

    async def _limited(self) -> None:
        """Have a batch be due on both servers, whose load is small: it is the client that waits."""
        count = self._effort.batch
        due = coming_minute(BATCH_SECONDS + count * max(2 * self._pace, 1 / LIMIT_PER_SECOND))
        say(f"{count} due at {due:%H:%M}, with limits")

        async def one(target: Target) -> None:
            async with station(target, "limited") as where:
                await settle(where, count, due)
                self._result.add(target.name, LIMITED, [await all_due(where, count, due)])

        async with asyncio.TaskGroup() as group:
            for target in self._targets:
                group.create_task(one(target))

    async def _batch(self, target: Target) -> None:
        """Have a batch be due; a few before that, while it waits for the minute."""
        count, name = self._effort.batch, target.name
        async with station(target, "batch", UNLIMITED) as where:
            if self._effort.is_crowd_due:
                due = coming_minute(BATCH_SECONDS + count * self._pace)
                say(f"{name}: {count} due at {due:%H:%M}")
                await settle(where, count, due)
                await self._rounds([target], due)
                found = await all_due(where, count, due)
            else:
                say(f"{name}: {count} due in {SOON_SECONDS} s")
                found = await soon_due(where, numbered(where.namespace, count), SOON_SECONDS)
        self._result.add(name, BATCH, [found])
        self._result.plain[name] = await plain(where, count)

    async def _open(self, target: Target, name: str, flags: tuple[str, ...] = ()) -> Station:
        return await self._stack.enter_async_context(station(target, name, flags))


async def _unless_late(case: Coroutine[Any, Any, None]) -> None:
    """Leave a case out for which the machine was too slow."""
    try:
        await case
    except* Late as exc:
        for one in exc.exceptions:
            sys.stderr.write(f"left out: {one}\n")


def say(text: str) -> None:
    """Show on a terminal what takes so long."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}\r")
