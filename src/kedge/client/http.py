"""Sends requests: connections, credentials, the limit, deadlines and retries."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Final, Self

import aiohttp
import yarl
from multidict import CIMultiDict

from kedge.aio.clock import Clock, SystemClock
from kedge.client.errors import ClientError, DeadlineExceeded, Disconnected, Unreachable, cut
from kedge.client.limit import Limit
from kedge.client.requests import Request
from kedge.client.responses import FAILURES, Response, error_of
from kedge.client.retry import Outcome
from kedge.client.settings import ClientSettings
from kedge.client.where import Access, Login

UNAUTHORIZED: Final = 401

UNSENT: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
)
"""No connection was made, so that nothing was sent."""

Observer = Callable[[str, int, float], None]
"""Hears of each attempt: the method, the code (0: no answer), and the seconds it took."""
Guard = Callable[[Request], None]
"""Looks at each attempt just before it is sent, and raises if it must not be."""


def unobserved(method: str, code: int, seconds: float) -> None:
    """Take no notice."""


def _unguarded(request: Request) -> None:
    pass


class Stream:
    """The body of an answer, as it comes."""

    __slots__ = ("_response", "headers")

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        """Read from an answer that has begun."""
        self._response = response
        self.headers: Mapping[str, str] = response.headers

    async def read(self) -> bytes:
        """Wait for bytes and take all there are; none: it has ended.

        Raises Disconnected where it breaks off.
        """
        try:
            return await self._response.content.readany()
        except (aiohttp.ClientError, OSError) as exc:
            raise Disconnected(f"the stream broke off: {_words(exc)}") from exc

    def abort(self) -> None:
        """Break the connection off; whoever reads gets Disconnected or the end."""
        connection = self._response.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()


class Transport:
    """Speaks HTTP with one server."""

    def __init__(
        self,
        access: Access,
        settings: ClientSettings | None = None,
        clock: Clock | None = None,
        observer: Observer = unobserved,
    ) -> None:
        """Connect when it is first used; close it, or use it as a context manager."""
        self.access = access
        self.settings = settings or ClientSettings()
        self.guard: Guard = _unguarded
        self._clock = clock or SystemClock()
        self._observe = observer
        self._limit = Limit(self.settings.per_second, self.settings.burst, self._clock)
        self._base = access.server.rstrip("/")
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Use it as a context manager."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def send(self, request: Request) -> Response:
        """Send a request, again where that helps and is safe; raise what has no answer."""
        deadline = self._clock.monotonic() + self.settings.deadline_seconds
        attempt = 1
        while True:
            outcome = await self._attempt(request)
            delay = self.settings.retrying.delay(request, outcome, attempt)
            if delay is None or self._clock.monotonic() + delay > deadline:
                if isinstance(outcome, Response):
                    return outcome
                raise outcome
            await self._clock.sleep(delay)
            attempt += 1

    @asynccontextmanager
    async def open(self, request: Request) -> AsyncIterator[Stream]:
        """Send a request once and give the body of its answer as it comes; raises ApiError."""
        await self._limit.acquire()
        started = self._clock.monotonic()
        response = await self._begin(request)
        self._observe(request.method, response.status, self._clock.monotonic() - started)
        stream = Stream(response)
        try:
            if response.status >= FAILURES:
                raise error_of(await self._whole(response))
            yield stream
        finally:
            # Without a farewell, for which nobody would wait.
            stream.abort()
            response.close()

    async def _attempt(self, request: Request) -> Outcome:
        await self._limit.acquire()
        started = self._clock.monotonic()
        outcome: Outcome
        try:
            async with asyncio.timeout(self.settings.answer_seconds):
                outcome = await self._whole(await self._begin(request))
        except ClientError as exc:
            outcome = exc
        except TimeoutError:
            outcome = DeadlineExceeded(
                f"no answer to {_what(request)} within {self.settings.answer_seconds:g} s"
            )
        self._observe(request.method, _code(outcome), self._clock.monotonic() - started)
        return outcome

    async def _begin(self, request: Request) -> aiohttp.ClientResponse:
        """Send a request and wait for the head of the answer; once more with fresh credentials."""
        credentials = self.access.credentials
        login = await credentials.login()
        response = await self._request(request, login)
        if response.status == UNAUTHORIZED and credentials.refused(login):
            response.close()
            response = await self._request(request, await credentials.login())
        return response

    async def _request(self, request: Request, login: Login) -> aiohttp.ClientResponse:
        headers = CIMultiDict(login.headers)
        headers["Accept"] = request.accept
        if request.body is not None:
            headers["Content-Type"] = request.media
        session = self._connected()
        # Nothing is awaited between this look and the first byte but a free connection.
        self.guard(request)
        try:
            return await session.request(
                request.method,
                yarl.URL(self._base + request.path, encoded=True),
                params=request.query or None,
                data=request.body,
                headers=headers,
                ssl=login.tls if login.tls is not None else True,
                server_hostname=self.access.server_name,
                proxy=self.access.proxy,
                allow_redirects=False,
            )
        except UNSENT as exc:
            raise Unreachable(f"{self._base} can not be reached: {_words(exc)}") from exc
        except (aiohttp.ClientError, OSError) as exc:
            text = f"the connection broke during {_what(request)}: {_words(exc)}"
            raise Disconnected(text) from exc

    async def _whole(self, response: aiohttp.ClientResponse) -> Response:
        try:
            body = await response.read()
        except (aiohttp.ClientError, OSError) as exc:
            raise Disconnected(f"the answer broke off: {_words(exc)}") from exc
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Response(response.status, body, headers)

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            settings = self.settings
            connector = aiohttp.TCPConnector(
                limit=settings.connections, keepalive_timeout=60, socket_factory=_socket
            )
            headers = {"User-Agent": settings.user_agent}
            if self.access.disable_compression:
                headers["Accept-Encoding"] = "identity"
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=settings.connect_seconds)
            self._session = aiohttp.ClientSession(
                connector=connector, headers=headers, timeout=timeout, read_bufsize=2**20
            )
            # It would send PUT and DELETE a second time when a connection breaks.
            self._session._retry_connection = False
        return self._session


KEEPALIVE: Final = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""A peer that is gone without a word is noticed in half a minute, where the system has these."""


def _socket(address: aiohttp.AddrInfoType) -> socket.socket:
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    if sys.platform == "linux":
        # Bytes that nobody acknowledges: the same half minute, in milliseconds.
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000)
    return made


def _code(outcome: Outcome) -> int:
    return outcome.code if isinstance(outcome, Response) else 0


def _what(request: Request) -> str:
    return f"{request.method} {request.path}"


def _words(exc: BaseException) -> str:
    return cut(str(exc)) or type(exc).__name__
