"""The other side of a connection: a server of a few lines that answers, or does not, as told."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import msgspec
from multidict import CIMultiDict

from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.client import Client, ClientSettings
from kedge.client.retry import Retrying
from kedge.client.where import Access, Login
from kedge.testing import FakeClock

T = TypeVar("T")

STEADY = ClientSettings(retrying=Retrying(backoff=Backoff(first=1.0, most=8.0, jitter=0.0)))
"""Waits of 1, 2, 4 and 8 seconds."""


@dataclass(frozen=True)
class Seen:
    """A request as it came over the wire."""

    connection: int
    method: str
    target: str
    headers: CIMultiDict[str]
    body: bytes

    @property
    def path(self) -> str:
        """The target without its query, quoted as it came."""
        return urlsplit(self.target).path

    @property
    def query(self) -> list[tuple[str, str]]:
        """The parameters in their order."""
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)


class Cut(Exception):
    """The connection is broken off, after these bytes."""

    def __init__(self, after: bytes = b"") -> None:
        super().__init__()
        self.after = after


Answer = Callable[[Seen], Awaitable[bytes]]


@dataclass
class Peer:
    """What came, and who answers."""

    answer: Answer
    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0

    @property
    def methods(self) -> list[str]:
        """The methods of the requests that came."""
        return [one.method for one in self.seen]


def reply(code: int = 200, body: Any = None, **headers: str) -> bytes:
    """Write an answer."""
    raw = body if isinstance(body, bytes) else msgspec.json.encode({} if body is None else body)
    lines = [f"HTTP/1.1 {code} X", f"Content-Length: {len(raw)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + raw


def in_turn(*answers: bytes | Exception) -> Answer:
    """Give one answer after the other, the last one for ever."""
    left = list(answers)

    async def answer(seen: Seen) -> bytes:
        now = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(now, Exception):
            raise now
        return now

    return answer


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[Peer]:
    """Listen on a free port of loopback while the block runs."""
    peer = Peer(answer)
    writers: set[asyncio.StreamWriter] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer.connections += 1
        number = peer.connections
        writers.add(writer)
        try:
            while (seen := await _read(reader, number)) is not None:
                peer.seen.append(seen)
                writer.write(await peer.answer(seen))
                await writer.drain()
        except Cut as cut:
            writer.write(cut.after)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writers.discard(writer)
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    peer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield peer
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader, connection: int) -> Seen | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode().strip().split("\r\n")
    headers = CIMultiDict([(k, v.strip()) for k, _, v in (line.partition(":") for line in lines)])
    method, target, _ = first.split(" ")
    body = await reader.readexactly(int(headers.get("Content-Length", "0")))
    return Seen(connection, method, target, headers, body)


class Tokens:
    """Credentials that are a token, and another one where that is refused."""

    def __init__(self, *tokens: str) -> None:
        self._logins = [Login(CIMultiDict(Authorization=f"Bearer {t}"), None) for t in tokens]
        self.refusals: list[Login | None] = []

    async def login(self) -> Login:
        return self._logins[0]

    def refused(self, login: Login | None = None) -> bool:
        self.refusals.append(login)
        if len(self._logins) == 1:
            return False
        self._logins.pop(0)
        return True


def access(url: str, credentials: Any = None, **more: Any) -> Access:
    """Give access to a peer."""
    return Access(url, credentials or Tokens("t"), "default", **more)


def client(
    peer: Peer,
    clock: Clock | None = None,
    settings: ClientSettings = STEADY,
    credentials: Any = None,
) -> Client:
    """Make a client of a peer, in virtual time."""
    return Client(access(peer.url, credentials), settings, clock or FakeClock())


async def in_virtual_time(clock: FakeClock, work: Awaitable[T]) -> tuple[T, list[float]]:
    """Let time pass whenever the work sleeps; give its result and how long each sleep was."""
    slept: list[float] = []

    async def working() -> T:
        return await work

    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(working())
            while not task.done():
                waking = group.create_task(clock.slept())
                await asyncio.wait({task, waking}, return_when=asyncio.FIRST_COMPLETED)
                if waking.done() and clock.delays:
                    slept.append(clock.delays[0])
                    clock.advance(timedelta(seconds=clock.delays[0]))
                waking.cancel()
                await clock.sleep(0)
    except BaseExceptionGroup as exc:
        raise exc.exceptions[0] from None
    return task.result(), slept
