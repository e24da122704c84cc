"""The cases: Schedules that are due at the same instant, and Schedules that are not."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from kedge.cli.operator.settings import CONTROLLERS
from parts.api.client import connected
from parts.api.process import cpu_seconds
from parts.api.servers import Target
from parts.schedules.arrivals import Arrivals, arrivals
from parts.schedules.load import (
    CLOCK,
    PARALLEL,
    expression_of,
    fill,
    make_namespace,
    numbered,
    remove,
    sleep_until,
    writes,
    written,
)
from parts.schedules.operator import Operator, Requests, Usage, operator, since
from parts.schedules.result import Due, Idle, Plain, late_places

POLL_SECONDS = 0.25
QUIET_SECONDS = 2.0
"""So long after the last write of a case, further ones would have come."""
SETTLE_SECONDS = 300.0
RUN_SECONDS = 300.0
NEVER = "0 0 29 2 *"
BEFORE = timedelta(seconds=1)
MARGIN = timedelta(seconds=3)
FEW_SECONDS = 2
ROUND = timedelta(seconds=7)
"""More than a round of a few takes."""

ONLY_SCHEDULES = "--disable-controllers=" + ",".join(set(CONTROLLERS) - {"schedule"})
"""Nobody takes up the Backups: what is measured is how they are made."""


class Late(Exception):
    """The machine is too slow, or too busy, for the plan."""


@dataclass(frozen=True)
class Station:
    """A server, a namespace on it, and the `kedge server` that works there."""

    target: Target
    namespace: str
    operator: Operator


@dataclass(frozen=True)
class Start:
    """What had been used and asked for when a case began."""

    requests: Requests
    usage: Usage
    server_cpu_seconds: float
    load: float


@asynccontextmanager
async def station(
    target: Target, namespace: str, flags: Sequence[str] = ()
) -> AsyncIterator[Station]:
    """Make a namespace and run `kedge server` for it."""
    await make_namespace(target, namespace)
    with operator(target, namespace, [*flags, ONLY_SCHEDULES]) as running:
        yield Station(target, namespace, running)


async def settle(where: Station, count: int, due: datetime) -> None:
    """Make Schedules that are due then, and wait until each was looked at."""
    known = where.operator.requests().get("PATCH 200", 0)
    names = numbered(where.namespace, count)
    await fill(where.target, where.namespace, names, expression_of(due))
    await patched(where, known + count)
    await CLOCK.sleep(QUIET_SECONDS)
    if CLOCK.now() > due - MARGIN:
        raise Late(f"{count} Schedules were not in place in time: {due:%H:%M:%S} has come")


async def pace(where: Station, count: int) -> float:
    """Give the seconds that it takes to put one Schedule in place, as the machine is now."""
    begin = CLOCK.monotonic()
    known = where.operator.requests().get("PATCH 200", 0)
    names = numbered("pace", count)
    await fill(where.target, where.namespace, names, NEVER)
    await patched(where, known + count)
    took = CLOCK.monotonic() - begin
    await remove(where.target, where.namespace, names)
    return took / count


async def patched(where: Station, total: int) -> None:
    """Wait until the operator has written so many statuses since it began."""
    try:
        async with asyncio.timeout(SETTLE_SECONDS):
            while where.operator.requests().get("PATCH 200", 0) < total:
                await CLOCK.sleep(POLL_SECONDS)
    except TimeoutError:
        raise Late(f"{total} statuses took more than {SETTLE_SECONDS:g} s") from None


async def idle(where: Station, count: int, seconds: float) -> Idle:
    """Look at an operator for a while; nothing is due."""
    before = where.operator.requests()
    first = where.operator.usage()
    begin = CLOCK.monotonic()
    await CLOCK.sleep(seconds)
    took = CLOCK.monotonic() - begin
    last = where.operator.usage()
    asked = since(before, where.operator.requests())
    cpu = last.cpu_seconds - first.cpu_seconds
    return Idle(count, took, cpu, last.bytes, last.peak_bytes, asked)


async def all_due(where: Station, count: int, due: datetime) -> Due:
    """Wait for the instant at which all are due, and for all their Backups."""
    async with arrivals(where.target, where.namespace) as seen:
        order = await written(where.target, where.namespace)
        if CLOCK.now() > due - BEFORE:
            raise Late(f"{due:%H:%M:%S} has come before all was ready for it")
        # Not sooner: an API server uses CPU time while nobody asks for anything.
        await sleep_until(due - BEFORE)
        start = begin(where)
        await sleep_until(due)
        await _come(seen, count)
        await patched(where, start.requests.get("PATCH 200", 0) + count)
        await CLOCK.sleep(QUIET_SECONDS)
        return end(where, start, seen, order)


async def few_due(where: Station, count: int, rounds: int, until: datetime) -> list[Due]:
    """Have a few be due at the same second, again and again."""
    found: list[Due] = []
    while len(found) < rounds and CLOCK.now() < until - ROUND:
        names = numbered(f"{where.namespace}-turn-{len(found)}", count)
        found.append(await soon_due(where, names, FEW_SECONDS))
        await remove(where.target, where.namespace, names)
    return found


async def soon_due(where: Station, names: list[str], seconds: int) -> Due:
    """Make Schedules that are due so many seconds later, which need not wait for a full minute.

    `@every` counts from the creation, which a server rounds down to a second. Those that were made
    across the turn of a second are due at two instants: each Backup names its own.
    """
    count = len(names)
    known = where.operator.requests().get("PATCH 200", 0)
    async with arrivals(where.target, where.namespace) as seen:
        await _begin_of_second()
        await fill(where.target, where.namespace, names, f"@every {seconds}s")
        await patched(where, known + count)
        start = begin(where)
        await _come(seen, count)
        await patched(where, known + 2 * count)
        await CLOCK.sleep(POLL_SECONDS)
        return end(where, start, seen, names)


def begin(where: Station) -> Start:
    """Take note of what was used and asked for before a case."""
    asked = where.operator.requests()
    return Start(asked, where.operator.usage(), cpu_seconds(where.target.pids), os.getloadavg()[0])


def end(where: Station, start: Start, seen: Arrivals, order: Sequence[str]) -> Due:
    """Give what came of a case, in which Schedules were due in this order."""
    usage, served = where.operator.usage(), cpu_seconds(where.target.pids)
    arrived = seen.all()
    return Due(
        count=len(order),
        arrivals=arrived,
        requests=since(start.requests, where.operator.requests()),
        cpu_seconds=usage.cpu_seconds - start.usage.cpu_seconds,
        server_cpu_seconds=served - start.server_cpu_seconds,
        peak_bytes=usage.peak_bytes,
        load=start.load,
        late_places=late_places(order, arrived),
    )


async def plain(where: Station, count: int) -> Plain:
    """Write what the runs of so many Schedules write, from a client that does nothing else."""
    names = numbered(where.namespace, count)
    async with connected(where.target, PARALLEL) as client:
        taken = await client.timed(writes(where.namespace, names), PARALLEL)
    return Plain(count, taken.seconds, taken.cpu_seconds)


async def _come(seen: Arrivals, count: int) -> None:
    try:
        async with asyncio.timeout(RUN_SECONDS):
            await seen.reach(count)
    except TimeoutError:
        raise Late(f"{len(seen)} of {count} Backups came within {RUN_SECONDS:g} s") from None


async def _begin_of_second() -> None:
    now = CLOCK.now()
    await sleep_until(now.replace(microsecond=100_000) + timedelta(seconds=1))
