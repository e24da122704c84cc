"""What people see: phase and position of each NonAdminBackup, and since when, by a watch."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from time import perf_counter

import aiohttp
import msgspec

from parts.api.servers import Target

Key = tuple[str, str]
COLLECTION = "/apis/oadp.openshift.io/v1alpha1/nonadminbackups"


class Meta(msgspec.Struct):
    """Of the metadata, whose they are."""

    namespace: str
    name: str


class Place(msgspec.Struct, rename="camel"):
    """A place in the line."""

    estimated_queue_position: int


class Reference(msgspec.Struct):
    """Which Velero Backup was made."""

    name: str = ""


class Status(msgspec.Struct, rename="camel"):
    """Of a status, what people look at."""

    phase: str = ""
    queue_info: Place | None = None
    velero_backup: Reference | None = None


class Nab(msgspec.Struct):
    """Of a NonAdminBackup, no more than that: the rest need not be read."""

    metadata: Meta
    status: Status = msgspec.field(default_factory=Status)


class Event(msgspec.Struct):
    """One line of a watch."""

    object: Nab


read = msgspec.json.Decoder(Event).decode


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
    _grown: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, nab: Nab, now: float) -> None:
        """Take in an object as it is now."""
        key, status = (nab.metadata.namespace, nab.metadata.name), nab.status
        if not key[0].startswith(self.prefix):
            return
        if status.phase == "Created":
            self.created.setdefault(key, now)
        if status.queue_info is not None:
            self.positions[key] = status.queue_info.estimated_queue_position
        if status.velero_backup is not None:
            self.backups[key] = status.velero_backup.name

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
                    self.take(read(line).object, now)
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
