"""When Backups are seen: a watch in this process, as creationTimestamp knows whole seconds only."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

import aiohttp

from parts.api.servers import Target
from parts.schedules.load import CLOCK, collection

DUE = "kedge.dev/due"


@dataclass(frozen=True)
class Arrival:
    """A Backup: of which Schedule, for which instant, and how long after that it was seen."""

    schedule: str
    due: datetime
    delay_seconds: float


class Arrivals:
    """Takes note of each Backup that is made in a namespace; reads them when all have come."""

    def __init__(self) -> None:
        self._lines: list[tuple[datetime, bytes]] = []
        self._grown = asyncio.Event()

    def __len__(self) -> int:
        """Count those that have come."""
        return len(self._lines)

    async def follow(self, session: aiohttp.ClientSession, url: str, opened: asyncio.Event) -> None:
        """Follow a watch for ever; only the clock is read while Backups come in."""
        async with session.get(url, params={"limit": "1"}) as answer:
            version = (await answer.json())["metadata"]["resourceVersion"]
        rest = b""
        query = {"watch": "1", "resourceVersion": version}
        async with session.get(url, params=query, raise_for_status=True) as answer:
            opened.set()
            async for chunk in answer.content.iter_any():
                now = CLOCK.now()
                *lines, rest = (rest + chunk).split(b"\n")
                self._lines += [(now, line) for line in lines]
                self._grown.set()
        raise AssertionError("the watch for Backups ended early")

    async def reach(self, count: int) -> None:
        """Wait until so many have come."""
        while len(self._lines) < count:
            self._grown.clear()
            await self._grown.wait()

    def all(self) -> list[Arrival]:
        """Read what has come, in that order."""
        return [_arrival(seen, line) for seen, line in self._lines]


def _arrival(seen: datetime, line: bytes) -> Arrival:
    event = json.loads(line)
    if event["type"] != "ADDED":
        raise AssertionError(f"nobody but the schedules should write: {event['type']}")
    meta = event["object"]["metadata"]
    due = datetime.fromisoformat(meta["annotations"][DUE])
    schedule = meta["labels"]["velero.io/schedule-name"]
    return Arrival(schedule, due, (seen - due).total_seconds())


@contextlib.asynccontextmanager
async def arrivals(target: Target, namespace: str) -> AsyncIterator[Arrivals]:
    """Follow the Backups of a namespace while the block runs."""
    found, opened = Arrivals(), asyncio.Event()
    url = target.url + collection(namespace, "backups")
    timeout = aiohttp.ClientTimeout(total=None)
    headers = {**target.headers, "Accept-Encoding": "identity"}
    connector = aiohttp.TCPConnector(ssl=target.tls)
    async with (
        aiohttp.ClientSession(connector=connector, headers=headers, timeout=timeout) as session,
        asyncio.TaskGroup() as group,
    ):
        following = group.create_task(found.follow(session, url, opened))
        await opened.wait()
        yield found
        following.cancel()
