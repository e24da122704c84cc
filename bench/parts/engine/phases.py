"""When objects change their phases: a watch in this process, as timestamps know whole seconds."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter

import aiohttp
import msgspec

from parts.api.servers import Target
from parts.engine.load import collection

ENDED = {"Completed", "PartiallyFailed", "Failed", "FailedValidation"}
LEFT = ENDED | {"Finalizing", "FinalizingPartiallyFailed"}
"""The phases of those that make room for another."""
RUNNING = "InProgress"
WATCH_SECONDS = 7200


class _Meta(msgspec.Struct):
    name: str


class _Status(msgspec.Struct, rename="camel"):
    phase: str = ""
    queue_position: int = 0
    failure_reason: str = ""
    validation_errors: list[str] | None = None
    errors: int = 0


class _Object(msgspec.Struct):
    metadata: _Meta
    status: _Status = msgspec.field(default_factory=_Status)


class _Event(msgspec.Struct):
    type: str
    object: _Object


@dataclass(frozen=True)
class Step:
    """An object as it was seen at a moment of this process's clock."""

    at: float
    name: str
    phase: str
    position: int


class Failed(Exception):
    """A backup or restore did not come to a good end."""


class Phases:
    """Follows all objects of one kind in a namespace."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._ended: set[str] = set()
        self._grown = asyncio.Event()
        self._decoder = msgspec.json.Decoder(_Event)

    def take(self, line: bytes) -> None:
        """Read one event."""
        event = self._decoder.decode(line)
        name, status = event.object.metadata.name, event.object.status
        self.steps.append(Step(perf_counter(), name, status.phase, status.queue_position))
        if status.phase in ENDED:
            self._ended.add(name)
            if status.phase != "Completed":
                why = status.failure_reason or status.validation_errors or f"{status.errors} errors"
                raise Failed(f"{name}: {status.phase}, {why}")
        self._grown.set()

    async def end_of(self, names: set[str]) -> float:
        """Wait until all have ended, and give the moment."""
        while not names <= self._ended:
            self._grown.clear()
            await self._grown.wait()
        return self.steps[-1].at

    @property
    def done(self) -> int:
        """Count those that have ended."""
        return len(self._ended)

    def hand_overs(self) -> list[float]:
        """Give the seconds from the end of each to the start of the next; 0 where it ran already.

        A backup has its place until it is finalizing, so that its end may come after that start.
        """
        return [max(0.0, one) for one in self._between(ENDED)]

    def vacancies(self) -> list[float]:
        """Give the seconds from when each leaves its place to the start of the next."""
        return self._between(LEFT)

    def _between(self, ends: set[str]) -> list[float]:
        started, ended = dict[str, float](), dict[str, float]()
        for step in self.steps:
            if step.phase == RUNNING:
                started.setdefault(step.name, step.at)
            elif step.phase in ends:
                ended.setdefault(step.name, step.at)
        in_order = sorted(started, key=started.__getitem__)
        return [
            started[after] - ended[before]
            for before, after in pairwise(in_order)
            if before in ended
        ]


@contextlib.asynccontextmanager
async def phases(
    target: Target, space: str, plural: str, kept: Phases | None = None
) -> AsyncIterator[Phases]:
    """Follow the objects of a namespace while the block runs."""
    found, opened = kept or Phases(), asyncio.Event()
    connector = aiohttp.TCPConnector(ssl=target.tls)
    headers = {**target.headers, "Accept-Encoding": "identity"}
    timeout = aiohttp.ClientTimeout(total=None)
    async with (
        aiohttp.ClientSession(connector=connector, headers=headers, timeout=timeout) as session,
        asyncio.TaskGroup() as group,
    ):
        url = target.url + collection(space, plural)
        following = group.create_task(_follow(found, session, url, opened))
        await opened.wait()
        yield found
        following.cancel()


async def _follow(
    found: Phases, session: aiohttp.ClientSession, url: str, opened: asyncio.Event
) -> None:
    async with session.get(url, params={"limit": "1"}) as answer:
        version = (await answer.json())["metadata"]["resourceVersion"]
    rest = b""
    # A real server ends a watch by itself after a while, unless it is told when.
    query = {"watch": "1", "resourceVersion": version, "timeoutSeconds": str(WATCH_SECONDS)}
    async with session.get(url, params=query, raise_for_status=True) as answer:
        opened.set()
        async for chunk in answer.content.iter_any():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                found.take(line)
    raise Failed("the watch ended early")
