"""The cases: backups and restores of many objects, and backups of nothing."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from time import perf_counter

from parts.api.client import connected
from parts.api.process import cpu_seconds
from parts.api.servers import Target
from parts.engine.load import CLOCK, PARALLEL, Object, backup, collection, post, restore
from parts.engine.meter import Meter, Usage
from parts.engine.phases import Phases, phases
from parts.engine.result import Bulk, Empty, Queue
from parts.machine import Stolen

SECONDS = 3600.0
REST_SECONDS = 0.2
"""Between empty backups: a Kubernetes of 1.31 or later is sure of a list at most ten times a second
for each kind, so one that follows at once would wait for the one before."""


@dataclass(frozen=True)
class Station:
    """An API server, the namespace that a contestant works for, and what looks at it."""

    target: Target
    space: str
    meter: Meter


async def back_up(where: Station, name: str, source: str, count: int) -> Bulk:
    """Back up a namespace that has so many objects."""
    return await _bulk(where, "backups", backup(name, source), count)


async def bring_back(where: Station, name: str, source: str, beside: str, count: int) -> Bulk:
    """Restore a backup into a namespace that is not there yet."""
    body = restore(f"{name}-{beside}", name, source, beside)
    return await _bulk(where, "restores", body, count)


async def _bulk(where: Station, plural: str, body: Object, count: int) -> Bulk:
    load, path = os.getloadavg()[0], collection(where.space, plural)
    where.meter.forget_peak()
    before, served = where.meter.usage(), cpu_seconds(where.target.pids)
    async with (
        asyncio.timeout(SECONDS),
        phases(where.target, where.space, plural) as steps,
        connected(where.target, 1) as client,
    ):
        begin = perf_counter()
        await post(client, path, [body])
        seconds = await steps.end_of({body["metadata"]["name"]}) - begin
    after = where.meter.usage()
    return Bulk(
        count=count,
        seconds=seconds,
        cpu_seconds=after.cpu_seconds - before.cpu_seconds,
        server_cpu_seconds=cpu_seconds(where.target.pids) - served,
        peak_bytes=after.peak_bytes,
        requests=after.requests - before.requests,
        load=load,
    )


async def empty(where: Station, nothing: str, rounds: int) -> Empty:
    """Back up an empty namespace again and again, with a rest between."""
    found: list[float] = []
    before = where.meter.usage()
    async with (
        asyncio.timeout(SECONDS),
        phases(where.target, where.space, "backups") as steps,
        connected(where.target, 1) as client,
    ):
        for number in range(rounds):
            name = f"empty-{number:04d}"
            await CLOCK.sleep(REST_SECONDS)
            begin = perf_counter()
            await post(client, collection(where.space, "backups"), [backup(name, nothing)])
            found.append(await steps.end_of({name}) - begin)
    after = where.meter.usage()
    cpu = after.cpu_seconds - before.cpu_seconds
    return Empty(found, cpu, after.requests - before.requests)


async def queue(where: Station, nothing: Sequence[str], count: int, patience: float) -> Queue:
    """Create backups of empty namespaces in turn, all at once, and wait until they are done."""
    names = [f"queued-{number:05d}" for number in range(count)]
    where.meter.forget_peak()
    before, stolen = where.meter.usage(), Stolen()
    async with (
        phases(where.target, where.space, "backups") as steps,
        connected(where.target, PARALLEL) as client,
    ):
        begin = perf_counter()
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                path = collection(where.space, "backups")
                bodies = map(backup, names, cycle(nothing))
                await post(client, path, bodies, PARALLEL)
                await steps.end_of(set(names))
        seconds = perf_counter() - begin
    after = where.meter.usage()
    return _queue(count, seconds, (before, after), steps, stolen.share())


def _queue(
    count: int, seconds: float, usage: tuple[Usage, Usage], steps: Phases, stolen: float
) -> Queue:
    before, after = usage
    return Queue(
        count=count,
        done=steps.done,
        seconds=seconds,
        hand_over_seconds=steps.hand_overs(),
        vacant_seconds=steps.vacancies(),
        stolen=stolen,
        cpu_seconds=after.cpu_seconds - before.cpu_seconds,
        writes=after.writes - before.writes,
        peak_bytes=after.peak_bytes,
    )
