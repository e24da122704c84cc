"""What people see: phase and position of each NonAdminBackup, and since when, by a watch."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from time import perf_counter

import aiohttp

from parts.api.servers import Target

Key = tuple[str, str]
COLLECTION = "/apis/oadp.openshift.io/v1alpha1/nonadminbackups"


@dataclass
class Seen:
    """All NonAdminBackups of some namespaces, as a watch shows them."""

    prefix: str
    """That of the namespaces that count."""
    created: dict[Key, float] = field(default_factory=dict)
    """When each was seen in phase Created."""
    positions: dict[Key, int] = field(default_factory=dict)
    backups: dict[Key, str] = field(default_factory=dict)
    """The names of their Velero Backups."""
    events: int = 0
    _grown: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, obj: dict[str, dict[str, str]], now: float) -> None:
        """Take in an object as it is now."""
        meta, status = obj["metadata"], obj.get("status") or {}
        key = (meta["namespace"], meta["name"])
        if not key[0].startswith(self.prefix):
            return
        self.events += 1
        if status.get("phase") == "Created":
            self.created.setdefault(key, now)
        told: dict[str, int] = status.get("queueInfo") or {}  # type: ignore[assignment]
        if told:
            self.positions[key] = told["estimatedQueuePosition"]
        reference: dict[str, str] = status.get("veleroBackup") or {}  # type: ignore[assignment]
        if reference:
            self.backups[key] = reference.get("name", "")

    async def follow(self, session: aiohttp.ClientSession, url: str, opened: asyncio.Event) -> None:
        """Follow a watch for ever."""
        async with session.get(url, params={"limit": "1"}) as answer:
            version = (await answer.json())["metadata"]["resourceVersion"]
        rest = b""
        query = {"watch": "1", "resourceVersion": version}
        async with session.get(url, params=query, raise_for_status=True) as answer:
            opened.set()
            async for chunk in answer.content.iter_any():
                now = perf_counter()
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self.take(json.loads(line)["object"], now)
                self._grown.set()
        raise AssertionError("the watch for NonAdminBackups ended early")

    async def until(self, holds: Callable[[], bool], seconds: float) -> float:
        """Wait until something holds; give the time at which it did."""
        async with asyncio.timeout(seconds):
            while not holds():
                self._grown.clear()
                await self._grown.wait()
        return perf_counter()


@contextlib.asynccontextmanager
async def watching(target: Target, prefix: str) -> AsyncIterator[Seen]:
    """Follow the NonAdminBackups of some namespaces while the block runs."""
    found, opened = Seen(prefix), asyncio.Event()
    headers = {**target.headers, "Accept-Encoding": "identity"}
    connector = aiohttp.TCPConnector(ssl=target.tls)
    timeout = aiohttp.ClientTimeout(total=None)
    async with (
        aiohttp.ClientSession(
            connector=connector, headers=headers, timeout=timeout, read_bufsize=2**22
        ) as session,
        asyncio.TaskGroup() as group,
    ):
        following = group.create_task(found.follow(session, target.url + COLLECTION, opened))
        await opened.wait()
        yield found
        following.cancel()
