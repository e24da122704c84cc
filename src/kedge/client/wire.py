"""Requests over connections of our own, with a fraction of the work of an HTTP library.

A backup asks for dozens of lists, most of which are empty, a restore writes thousands of objects,
and a watch brings as many: what counts is what one costs.
"""

import asyncio
import socket
import ssl
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

import aiohttp

from kedge.aio.turn import turn
from kedge.client import exchange
from kedge.client.answer import Answer
from kedge.client.connection import TICK_SECONDS, Connection
from kedge.client.errors import Unreachable
from kedge.client.requests import Request
from kedge.client.settings import ClientSettings
from kedge.client.stream import Flow
from kedge.client.tls import connect
from kedge.client.where import Access, Login
from kedge.client.words import words

IDLE_SECONDS: Final = 80.0
"""Longer than a minute, as many things happen once a minute; shorter than the 90 s after which a
kube-apiserver closes a connection that is not used."""
MOST: Final = 32
"""Connections at once."""
LARGE: Final = 2**16
"""Bytes of a body that may be sent at once; a larger one goes out in pieces, by the library."""
METHODS: Final = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE"))
ADDRESS_SECONDS: Final = 2.0
"""After so long the next address of a server is tried, if it has several."""
FAREWELLS: Final = 3
"""Turns that others have after the connections are closed: to hear of it, and to let go."""

MANY: Final = 8
"""Who waits for so many answers has enough to do, and need not hear each event at once."""
BULK_REST_SECONDS: Final = 2 * TICK_SECONDS
REST_SECONDS: Final = TICK_SECONDS / 2

Plug = Callable[[aiohttp.AddrInfoType], socket.socket]
"""Makes a socket for an address."""


class Wire:
    """Asks one server, with so many connections at once."""

    def __init__(self, access: Access, settings: ClientSettings, plug: Plug) -> None:
        """Connect when it is first used."""
        self._access = access
        self._make = plug
        parts = urlsplit(access.server.rstrip("/"))
        self._base, self._host, self._netloc = parts.path, parts.hostname or "", parts.netloc
        self._is_tls = parts.scheme == "https"
        self._port = parts.port or (443 if self._is_tls else 80)
        self._agent = settings.user_agent
        self._connect_seconds = settings.connect_seconds
        self._idle: deque[Connection] = deque()
        self._open: set[Connection] = set()
        self._room = asyncio.Semaphore(min(MOST, settings.connections or MOST))
        self._flowing = asyncio.Semaphore(settings.connections or sys.maxsize)
        self._behind = 0
        self._under_way = 0
        self._login: Login | None = None
        self._head = b""

    def serves(self, request: Request, login: Login) -> bool:
        """Tell whether a request can be asked here."""
        return (
            request.method in METHODS
            and len(request.body or b"") <= LARGE
            and self._access.proxy is None
            and self._is_tls == (login.tls is not None)
            and bool(self._host)
        )

    async def ask(self, request: Request, login: Login, seconds: float | None = None) -> Answer:
        """Ask, on a connection that is open if there is one; raises ClientError.

        The server is told to give it up after so many seconds, should we not be there to say so.
        """
        [answer] = await self.ask_all([request], login, seconds)
        return answer

    async def ask_all(
        self, requests: Sequence[Request], login: Login, seconds: float | None = None
    ) -> list[Answer]:
        """Ask one behind the other on one connection, without waiting in between.

        The server does them in turn (RFC 9112, 9.3.2). Raises ClientError where one has no answer:
        then nobody knows how many were done.
        """
        data = b"".join([self._written(request, login, seconds) for request in requests])
        async with self._room:
            connection = self._kept(login.tls) or await self._connect(login.tls)
            with self._asking(len(requests)):
                answers = await exchange.ask(connection, data, len(requests))
            self._keep(connection)
            return answers

    async def open(self, request: Request, login: Login, seconds: float | None = None) -> Flow:
        """Ask for what goes on for a while, and wait for the head; raises ClientError.

        Whoever gets it closes it.
        """
        data = self._written(request, login, seconds)
        await self._flowing.acquire()
        try:
            connection = self._kept(login.tls) or await self._connect(login.tls)
        except BaseException:
            self._flowing.release()
            raise
        flow = Flow(connection, self._flowed, self.patience)
        try:
            connection.say(data, flow)
            await flow.begun()
        except BaseException:
            flow.close()
            raise
        return flow

    def patience(self) -> float:
        """Give the seconds that events may wait for: they tell of what is being written here."""
        if self._behind:
            return BULK_REST_SECONDS
        return REST_SECONDS if self._under_way >= MANY else 0.0

    async def close(self) -> None:
        """Close all connections."""
        self._idle.clear()
        for one in tuple(self._open):
            one.close()
        for _ in range(FAREWELLS):
            await turn()

    @contextmanager
    def _asking(self, count: int) -> Iterator[None]:
        """Have so many requests under way while the block runs, all but one behind another."""
        self._under_way += count
        self._behind += count - 1
        try:
            yield
        finally:
            self._under_way -= count
            self._behind -= count - 1

    def _flowed(self, connection: Connection) -> None:
        self._flowing.release()
        self._keep(connection)

    def _keep(self, connection: Connection) -> None:
        """Have a connection ready for others."""
        if connection.is_open:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.append(connection)

    def _kept(self, tls: ssl.SSLContext | None) -> Connection | None:
        """Take the connection that was used last; those that are too old are closed."""
        now = asyncio.get_running_loop().time()
        while self._idle:
            one = self._idle.pop()
            if one.is_open and one.tls is tls and now - one.idle_since < IDLE_SECONDS:
                return one
            one.close()
        return None

    async def _connect(self, tls: ssl.SSLContext | None) -> Connection:
        where = self._access.server
        name = (self._access.server_name or self._host) if tls is not None else None
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_seconds):
                plug = await self._plug(loop)
                try:
                    made = Connection(tls, self._open.discard)
                    if tls is not None:
                        await connect(plug, tls, name, made)
                    else:
                        await loop.create_connection(lambda: made, sock=plug)
                except BaseException:
                    plug.close()
                    raise
        except TimeoutError as exc:
            why = f"no connection within {self._connect_seconds:g} s"
            raise Unreachable(f"{where} can not be reached: {why}") from exc
        except OSError as exc:
            raise Unreachable(f"{where} can not be reached: {words(exc)}") from None
        self._open.add(made)
        return made

    async def _plug(self, loop: asyncio.AbstractEventLoop) -> socket.socket:
        """Connect to the first address that answers; raises OSError, and TimeoutError."""
        found = await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        for info in found[:-1]:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(ADDRESS_SECONDS):
                    return await self._plugged(loop, info)
        return await self._plugged(loop, found[-1])

    async def _plugged(
        self, loop: asyncio.AbstractEventLoop, info: aiohttp.AddrInfoType
    ) -> socket.socket:
        """Connect to one address."""
        plug = self._make(info)
        try:
            plug.setblocking(False)
            await loop.sock_connect(plug, info[4])
        except BaseException:
            plug.close()
            raise
        return plug

    def _written(self, request: Request, login: Login, seconds: float | None) -> bytes:
        """Write a request as it goes over the wire."""
        if login is not self._login:
            self._head, self._login = self._headers(login), login
        given = tuple(request.query.items())
        query = _query(given if seconds is None else (*given, ("timeout", f"{seconds:.3f}s")))
        line = f"{request.method} {self._base}{request.path}{query} HTTP/1.1\r\n"
        line += f"Accept: {request.accept}\r\n"
        if request.known:
            line += f"If-None-Match: {request.known}\r\n"
        if request.body is None:
            if request.method != "GET":
                line += "Content-Length: 0\r\n"
            return line.encode("ascii") + self._head
        line += f"Content-Type: {request.media}\r\nContent-Length: {len(request.body)}\r\n"
        return b"".join((line.encode("ascii"), self._head, request.body))

    def _headers(self, login: Login) -> bytes:
        lines = [f"Host: {self._netloc}", f"User-Agent: {self._agent}"]
        packing = "identity" if self._access.disable_compression else "gzip"
        lines.append(f"Accept-Encoding: {packing}")
        lines += [f"{name}: {value}" for name, value in login.headers.items()]
        if any("\r" in line or "\n" in line or "\0" in line for line in lines):
            raise ValueError("a header must be one line")
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")


@lru_cache(maxsize=128)
def _query(parameters: tuple[tuple[str, str], ...]) -> str:
    """Write the parameters of a request; those of many lists are the same."""
    return f"?{urlencode(parameters, quote_via=quote)}" if parameters else ""
