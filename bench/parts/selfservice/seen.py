"""What people see: phase and position of each NonAdminBackup, in a list or by a watch."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from time import perf_counter

import aiohttp
import msgspec

from parts.api.client import Client, Request

Key = tuple[str, str]
COLLECTION = "/apis/oadp.openshift.io/v1alpha1/nonadminbackups"


class Meta(msgspec.Struct, rename="camel"):
    """Of the metadata, whose they are, and which state they show."""

    resource_version: str
    namespace: str = ""
    name: str = ""


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

    @property
    def version(self) -> int:
        """The version of its last change; both servers count all changes."""
        return int(self.metadata.resource_version)

    @property
    def is_created(self) -> bool:
        """Say if its Velero Backup is made."""
        return self.status.phase == "Created"


class Event(msgspec.Struct):
    """One line of a watch."""

    object: Nab


class Nabs(msgspec.Struct):
    """A list."""

    metadata: Meta
    items: list[Nab]


read = msgspec.json.Decoder(Nab).decode
read_event = msgspec.json.Decoder(Event).decode
read_list = msgspec.json.Decoder(Nabs).decode


@dataclass
class Seen:
    """All NonAdminBackups of some namespaces."""

    prefix: str
    """That of the namespaces that count."""
    created: dict[Key, int] = field(default_factory=dict)
    """Those in phase Created, and the version of their last change."""
    positions: dict[Key, int] = field(default_factory=dict)
    backups: dict[Key, str] = field(default_factory=dict)
    """The names of their Velero Backups."""
    _grown: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, nab: Nab) -> None:
        """Take in an object as it is now."""
        key, status = (nab.metadata.namespace, nab.metadata.name), nab.status
        if not key[0].startswith(self.prefix):
            return
        if nab.is_created:
            self.created[key] = nab.version
        if status.queue_info is not None:
            self.positions[key] = status.queue_info.estimated_queue_position
        if status.velero_backup is not None:
            self.backups[key] = status.velero_backup.name

    async def follow(
        self, session: aiohttp.ClientSession, url: str, version: str, opened: asyncio.Event
    ) -> None:
        """Follow a watch for ever."""
        rest = b""
        query = {"watch": "1", "resourceVersion": version}
        async with session.get(url, params=query, raise_for_status=True) as answer:
            opened.set()
            async for chunk in answer.content.iter_any():
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self.take(read_event(line).object)
                self._grown.set()
        raise AssertionError("the watch for NonAdminBackups ended early")

    async def until(self, holds: Callable[[], bool], seconds: float) -> float:
        """Wait until something holds; give the time at which it did."""
        async with asyncio.timeout(seconds):
            while not holds():
                self._grown.clear()
                await self._grown.wait()
        return perf_counter()


async def created(client: Client, path: str) -> int:
    """Wait until one is Created; give its version.

    To watch one alone costs the server nothing for all the others.
    """
    found = read(await client.ask(Request("GET", path)))
    if found.is_created:
        return found.version
    collection, name = path.rsplit("/", 1)
    query = f"watch=1&resourceVersion={found.version}&fieldSelector=metadata.name%3D{name}"
    async with contextlib.aclosing(client.lines(f"{collection}?{query}")) as lines:
        async for line in lines:
            if (found := read_event(line).object).is_created:
                return found.version
    raise AssertionError(f"the watch for {path} ended early")


async def look(client: Client, prefix: str) -> tuple[Seen, str]:
    """List them once; give them with the version of the list."""
    listed = read_list(await client.ask(Request("GET", COLLECTION)))
    seen = Seen(prefix)
    for nab in listed.items:
        seen.take(nab)
    return seen, listed.metadata.resource_version


@contextlib.asynccontextmanager
async def watching(client: Client, prefix: str) -> AsyncIterator[Seen]:
    """Follow the NonAdminBackups of some namespaces while the block runs."""
    (found, version), opened = await look(client, prefix), asyncio.Event()
    target = client.target
    headers = {**target.headers, "Accept-Encoding": "identity"}
    connector = aiohttp.TCPConnector(ssl=target.tls)
    timeout = aiohttp.ClientTimeout(total=None)
    async with (
        aiohttp.ClientSession(
            connector=connector, headers=headers, timeout=timeout, read_bufsize=2**22
        ) as session,
        asyncio.TaskGroup() as group,
    ):
        url = target.url + COLLECTION
        following = group.create_task(found.follow(session, url, version, opened))
        await opened.wait()
        yield found
        following.cancel()
