"""The cases: many NonAdminBackups at once, and one that ends while the others wait."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter

from parts.api.client import MERGE_PATCH, Client, Request, connected, encoded
from parts.api.process import cpu_seconds
from parts.api.servers import Target
from parts.schedules.load import CLOCK, PARALLEL, collection, make_namespace
from parts.schedules.operator import UNLIMITED, Operator, Requests, Usage, operator, since
from parts.selfservice.plan import TENANTS
from parts.selfservice.post import Post, post
from parts.selfservice.result import Cost, Making, Moving
from parts.selfservice.seen import Key, Seen, created, look

ENGINE = (
    *("backup", "backup-deletion", "backup-queue", "backup-storage-location", "backup-sync"),
    *("download-request", "gc", "restore", "schedule", "server-status-request"),
)
FLAGS = (*UNLIMITED, f"--disable-controllers={','.join(ENGINE)}")
PATIENCE_SECONDS = 600
QUIET_SECONDS = 2.0
LAST = 40
"""So many of those that were posted last are looked at while the clock runs, the last one first."""
FIRST = 10


@dataclass(frozen=True)
class Station:
    """A server, to which connections are open, and the `kedge server` that works there."""

    client: Client
    home: str
    operator: Operator

    @property
    def target(self) -> Target:
        """The server."""
        return self.client.target

    @property
    def prefix(self) -> str:
        """That of its people's namespaces."""
        return f"{self.home}-"


@dataclass(frozen=True)
class Start:
    """What had been used and asked for when a case began."""

    requests: Requests
    usage: Usage
    server_cpu_seconds: float
    load: float


@asynccontextmanager
async def station(target: Target, name: str) -> AsyncIterator[Station]:
    """Make namespaces, and run `kedge server` without an engine."""
    await make_namespaces(target, name)
    with operator(target, name, FLAGS) as running:
        async with connected(target, PARALLEL) as client:
            made = Station(client, name, running)
            await quiet(made)  # it tells what cases before this one have left that it is not theirs
            yield made


async def make_namespaces(target: Target, name: str) -> None:
    """Make that of a server, and those of people."""
    await make_namespace(target, name)
    for number in range(TENANTS):
        await make_namespace(target, f"{name}-{number:02d}")


async def make(where: Station, first: int, count: int) -> Making:
    """Make NonAdminBackups all at once, and wait until each is Created."""
    posts = [post(where.home, number) for number in range(first, first + count)]
    start = begin(where)
    began = perf_counter()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await where.client.timed([each.request for each in posts], PARALLEL)
        ended = await all_created(where, posts)
    cost = await end(where, start)
    await quiet(where)
    seen, _ = await look(where.client, where.prefix)
    positions = len(set(seen.positions.values())) - first
    return Making(count, ended - began, cost, positions)


async def all_created(where: Station, posts: list[Post]) -> float:
    """Wait until all are Created; give the time at which they were.

    Nobody watches: to tell one more who watches of each change costs the API server a tenth of
    its work. When the last ones are Created, the others should be. A list tells if one was not:
    its last change is younger than all that was seen before the clock stopped, which then goes on.
    """
    waiting, newest = posts[-LAST:][::-1], 0
    while waiting:
        for each in waiting:
            newest = max(newest, await created(where.client, each.path))
        ended = perf_counter()
        seen, _ = await look(where.client, where.prefix)
        waiting = [each for each in posts if not 0 < seen.created.get(each.key, 0) <= newest]
    return ended


async def finish(where: Station, seen: Seen) -> Moving:
    """End the first Backup of the line, and wait until all others know where they stand."""
    line = sorted((place, key) for key, place in seen.positions.items() if place > 0)
    waiting = [key for _, key in line[1:]]
    wanted = {key: place for place, key in enumerate(waiting, 1)}
    start = begin(where)
    began = perf_counter()
    done = {"phase": "Completed", "completionTimestamp": "2030-01-01T00:00:00Z"}
    await _write_status(where, seen.backups[line[0][1]], done)
    first = await seen.until(
        lambda: all(_is_right(seen, wanted, key) for key in waiting[:FIRST]), PATIENCE_SECONDS
    )
    ended = await seen.until(
        lambda: all(_is_right(seen, wanted, key) for key in waiting), PATIENCE_SECONDS
    )
    cost = await end(where, start)
    await quiet(where)
    return Moving(len(waiting), first - began, ended - began, cost)


async def progress(where: Station, seen: Seen) -> int:
    """Tell of the progress of a running Backup; give the writes that this led to."""
    key = min((place, key) for key, place in seen.positions.items() if place > 0)[1]
    backup = seen.backups[key]
    await _write_status(where, backup, {"phase": "InProgress"})
    await CLOCK.sleep(QUIET_SECONDS)
    before = where.operator.requests()
    await _write_status(where, backup, {"progress": {"totalItems": 100, "itemsBackedUp": 7}})
    await CLOCK.sleep(QUIET_SECONDS)
    asked = since(before, where.operator.requests())
    return sum(count for what, count in asked.items() if not what.startswith("GET "))


async def quiet(where: Station) -> None:
    """Wait until nothing is asked for any more: Events come late."""
    before: Requests = {}
    while (now := where.operator.requests()) != before:
        before = now
        await CLOCK.sleep(QUIET_SECONDS)


def begin(where: Station) -> Start:
    """Take note of what was used and asked for before a case."""
    asked = where.operator.requests()
    return Start(asked, where.operator.usage(), cpu_seconds(where.target.pids), os.getloadavg()[0])


async def end(where: Station, start: Start) -> Cost:
    """Give what a case cost, when nothing more is written."""
    await CLOCK.sleep(QUIET_SECONDS)
    usage, served = where.operator.usage(), cpu_seconds(where.target.pids)
    return Cost(
        requests=since(start.requests, where.operator.requests()),
        cpu_seconds=usage.cpu_seconds - start.usage.cpu_seconds,
        server_cpu_seconds=served - start.server_cpu_seconds,
        bytes=usage.bytes,
        peak_bytes=usage.peak_bytes,
        load=start.load,
    )


def _is_right(seen: Seen, wanted: dict[Key, int], key: Key) -> bool:
    return seen.positions.get(key) == wanted[key]


async def _write_status(where: Station, backup: str, status: Mapping[str, object]) -> None:
    path = f"{collection(where.home, 'backups')}/{backup}/status"
    await where.client.ask(Request("PATCH", path, encoded({"status": status}), MERGE_PATCH))
