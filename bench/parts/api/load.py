"""The work: what is asked of each server, and how often."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass

from parts.api.client import MERGE_PATCH, Request, Sample, connected, encoded
from parts.api.servers import Target

PARALLEL = 50
CREATE = f"create, {PARALLEL} conn."
EVENT = "event to each of"
SHARDS = 100  # a label with so many values: a selector finds one object in SHARDS


@dataclass(frozen=True)
class Effort:
    """How much is asked for."""

    rounds: int
    parallel: int  # requests of one kind over PARALLEL connections
    single: int  # requests of one kind over one connection
    listed: int  # objects in a list
    lists: int
    watchers: int
    events: int
    levels: tuple[int, ...]  # objects in the store when the cost of a write is taken
    writes: int  # that are timed at each level


FULL = Effort(3, 2000, 300, 5000, 10, 100, 300, (100, 1000, 10_000, 100_000), 1000)
QUICK = Effort(1, 300, 60, 500, 5, 20, 50, (100, 1000), 200)


def collection(namespace: str) -> str:
    """Give the path of the objects that are written: ConfigMaps, which no controller touches."""
    return f"/api/v1/namespaces/{namespace}/configmaps"


def body(name: str, number: int) -> bytes:
    """Make an object of about 600 bytes."""
    labels = {"app": "bench", "shard": str(number % SHARDS)}
    data = {f"key-{i}": f"value {i} of {name} " * 2 for i in range(8)}
    meta = {"name": name, "labels": labels, "annotations": {"bench.kedge.dev/number": str(number)}}
    return encoded({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data})


def creates(namespace: str, prefix: str, numbers: range) -> Iterator[Request]:
    """Create one object for each number."""
    path = collection(namespace)
    return (Request("POST", path, body(f"{prefix}-{n}", n)) for n in numbers)


def gets(namespace: str, prefix: str, numbers: range) -> Iterator[Request]:
    """Read them."""
    return (Request("GET", f"{collection(namespace)}/{prefix}-{n}") for n in numbers)


def patches(namespace: str, prefix: str, numbers: Iterable[int], text: str) -> Iterator[Request]:
    """Change one value of each, every time to another one."""
    path = collection(namespace)
    for turn, n in enumerate(numbers):
        change = encoded({"data": {"key-0": f"{text}, {turn}"}})
        yield Request("PATCH", f"{path}/{prefix}-{n}", change, MERGE_PATCH)


def deletes(namespace: str, prefix: str, numbers: range) -> Iterator[Request]:
    """Delete them."""
    return (Request("DELETE", f"{collection(namespace)}/{prefix}-{n}") for n in numbers)


async def prepare(target: Target, effort: Effort) -> None:
    """Make the namespaces, and the objects that are listed."""
    async with connected(target, PARALLEL) as client:
        for namespace in ("bench", "bench-list", "bench-watch", "bench-growth"):
            made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            await client.ask(Request("POST", "/api/v1/namespaces", encoded(made)))
        await client.timed(creates("bench-list", "item", range(effort.listed)), PARALLEL)


async def singles(target: Target, effort: Effort, turn: int) -> dict[str, Sample]:
    """Time the requests that name one object, over many connections and over one."""
    found = {}
    for connections, count in ((PARALLEL, effort.parallel), (1, effort.single)):
        numbers, prefix = range(count), f"turn-{turn}-{connections}"
        work = {
            "create": creates("bench", prefix, numbers),
            "get": gets("bench", prefix, numbers),
            "merge patch": patches("bench", prefix, numbers, f"patched in turn {turn}"),
            "delete": deletes("bench", prefix, numbers),
        }
        async with connected(target, connections) as client:
            await client.timed(gets("bench-list", "item", range(connections)), connections)
            for name, requests in work.items():
                found[f"{name}, {connections} conn."] = await client.timed(requests, connections)
    return found


async def lists(target: Target, effort: Effort, _turn: int) -> dict[str, Sample]:
    """Time lists: whole, compressed, and with a selector."""
    path, found = collection("bench-list"), {}
    selected = f"{path}?labelSelector=shard%3D7"
    title = f"list of {effort.listed:,}"
    for name, asked, encoding, size, times in (
        (title, path, "identity", effort.listed, effort.lists),
        (f"{title}, gzip", path, "gzip", effort.listed, effort.lists),
        # Short answers: more of them, as the kernel counts CPU time in steps of 10 ms.
        (f"{title} by label", selected, "identity", effort.listed // SHARDS, effort.lists * 10),
    ):
        async with connected(target, 1, encoding) as client:
            answer = json.loads(await client.ask(Request("GET", asked)))
            if len(answer["items"]) != size:
                raise AssertionError(f"{name}: {len(answer['items'])} items, expected {size}")
            found[name] = await client.timed([Request("GET", asked)] * times, 1)
    return found


async def fan_out(target: Target, effort: Effort, turn: int) -> dict[str, Sample]:
    """Time events on their way to many watchers; one answer is one event at one watcher."""
    path, numbers = collection("bench-watch"), range(effort.events)
    async with (
        connected(target, effort.watchers) as watching,
        connected(target, 10) as writing,
    ):
        now = json.loads(await writing.ask(Request("GET", path)))["metadata"]["resourceVersion"]
        follow = f"{path}?watch=1&resourceVersion={now}"
        opened = [asyncio.Event() for _ in range(effort.watchers)]
        async with asyncio.TaskGroup() as group:
            watchers = [
                group.create_task(watching.watch(follow, effort.events, event)) for event in opened
            ]
            for event in opened:
                await event.wait()
            with watching.meter(effort.watchers * effort.events) as taken:
                await writing.timed(creates("bench-watch", f"turn-{turn}", numbers), 10)
                await asyncio.gather(*watchers)
        await writing.timed(deletes("bench-watch", f"turn-{turn}", numbers), 10)
    return {f"{EVENT} {effort.watchers} watchers": taken[0]}


async def growth(target: Target, effort: Effort) -> dict[int, dict[str, Sample]]:
    """Take the cost of writes while the store grows."""
    found, filled = {}, 0
    async with connected(target, PARALLEL) as client:
        for level in effort.levels:
            await client.timed(creates("bench-growth", "item", range(filled, level)), PARALLEL)
            filled = level
            numbers = range(effort.writes)
            step = max(1, level // effort.writes)
            spread = [n * step % level for n in numbers]
            work = {
                "create": creates("bench-growth", f"at-{level}", numbers),
                "merge patch": patches("bench-growth", "item", spread, f"at {level}"),
                "delete": deletes("bench-growth", f"at-{level}", numbers),
            }
            found[level] = {n: await client.timed(r, PARALLEL) for n, r in work.items()}
    return found


Work = Callable[[Target, Effort, int], Awaitable[dict[str, Sample]]]
WORK: tuple[Work, ...] = (singles, lists, fan_out)
