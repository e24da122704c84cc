"""Sends requests: connections, credentials, the limit, deadlines and retries."""

import asyncio
import io
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from math import inf
from typing import Any, Final, TypeVar

import aiohttp
import yarl
from multidict import CIMultiDict, MultiDict

from kedge.aio.clock import Clock, SystemClock
from kedge.aio.closing import Closing
from kedge.client import sockets, warning, websocket
from kedge.client.errors import (
    BadAnswer,
    ClientError,
    DeadlineExceeded,
    Disconnected,
    Unreachable,
)
from kedge.client.head import Head
from kedge.client.limit import Limit
from kedge.client.requests import Request
from kedge.client.responses import Response, failure_of, is_success
from kedge.client.retry import Outcome, is_passing
from kedge.client.settings import ClientSettings
from kedge.client.stream import Stream
from kedge.client.websocket import Socket
from kedge.client.where import Access, Login
from kedge.client.wire import LARGE, Wire
from kedge.client.words import words

UNAUTHORIZED: Final = 401

UNSENT: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
)
"""No connection was made, so that nothing was sent."""

Observer = Callable[[str, int, float], None]
"""Hears of each attempt: the method, the code (0: no answer), and the seconds it took."""
Guard = Callable[[Request], AbstractContextManager[float | None]]
"""Looks at each attempt just before it is sent, and raises if it must not be.

What it gives is entered until the answer has begun, and tells the seconds that may take; None: any.
"""
FREELY: Final[AbstractContextManager[None]] = nullcontext()


def unobserved(method: str, code: int, seconds: float) -> None:
    """Take no notice."""


def _unguarded(request: Request) -> AbstractContextManager[float | None]:
    return FREELY


class _Foreign:
    """The body of an answer that the library reads."""

    __slots__ = ("_response", "code")

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.code = response.status

    async def read(self) -> bytes:
        try:
            return await self._response.content.readany()
        except (aiohttp.ClientError, OSError) as exc:
            raise Disconnected(f"the stream broke off: {words(exc)}") from exc

    def abort(self) -> None:
        connection = self._response.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()

    def close(self) -> None:
        self.abort()
        self._response.close()


Begun = TypeVar("Begun", Stream, Socket)


class _Refused(Exception):
    """The answer to what was to go on for a while is no more than this."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.code)
        self.response = response


class Transport(Closing):
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
        self.warn: Callable[[str], None] = warning.Warnings()
        """Hears what the server warns of."""
        self.fuse: sockets.Fuse = sockets.whole
        self.unacknowledged_seconds = sockets.UNACKNOWLEDGED_SECONDS
        self._clock = clock or SystemClock()
        self._observe = observer
        self._limit = Limit(self.settings.per_second, self.settings.burst, self._clock)
        self._base = access.server.rstrip("/")
        self._wire = Wire(access, self.settings, self._connect)
        self._session: aiohttp.ClientSession | None = None
        self._upgrades: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()
        sessions = self._upgrades, self._session
        self._upgrades = self._session = None
        for session in sessions:
            if session is not None:
                await session.close()

    async def send(self, request: Request) -> Response:
        """Send a request, again where that helps and is safe; raise what has no answer."""
        deadline = self._clock.monotonic() + self.settings.deadline_seconds
        attempt, is_renewed = 1, False
        while True:
            outcome, login = await self._attempt(request, deadline)
            if _code(outcome) == UNAUTHORIZED and not is_renewed:
                is_renewed = True
                if self.access.credentials.refused(login):
                    continue
            delay = self.settings.retrying.delay(request, outcome, attempt)
            if delay is None or self._clock.monotonic() + delay >= deadline:
                if isinstance(outcome, Response):
                    return outcome
                raise outcome
            await self._clock.sleep(delay)
            attempt += 1

    async def send_all(self, requests: Sequence[Request]) -> list[Response]:
        """Send small requests of one kind one behind the other, without waiting in between.

        One that has no answer, or one that may pass, is sent again by itself: `send` says when.
        """
        found = await self._attempt_all(requests) if len(requests) > 1 else {}
        return [found.get(at) or await self.send(one) for at, one in enumerate(requests)]

    @asynccontextmanager
    async def open(self, request: Request, *, is_late: bool = False) -> AsyncIterator[Stream]:
        """Send a request and give the body of its answer as it comes; raises ApiError.

        It is sent once, and again only where the credentials were refused: the caller knows
        what it has seen. Where the answer `is_late`, it may begin at any time.
        """
        seconds = None if is_late else self.settings.answer_seconds
        stream = await self._once(request, self._stream, seconds)
        try:
            yield stream
        finally:
            stream.close()

    @asynccontextmanager
    async def upgrade(self, request: Request, protocols: tuple[str, ...]) -> AsyncIterator[Socket]:
        """Open a WebSocket for one of these protocols; raises the ApiError of a refusal.

        Like `open`, it sends the request once.
        """

        async def begin(request: Request, login: Login) -> Socket:
            return await self._socket(request, login, protocols)

        opened = await self._once(request, begin, self.settings.answer_seconds)
        try:
            yield opened
        finally:
            await opened.close()

    async def _attempt(self, request: Request, deadline: float) -> tuple[Outcome, Login | None]:
        await self._limit.acquire()
        started = self._clock.monotonic()
        seconds = min(self.settings.answer_seconds, deadline - started)
        outcome: Outcome
        login = None
        try:
            async with asyncio.timeout(_positive(seconds, request)):
                login = await self.access.credentials.login()
                outcome = await self._ask(request, login)
        except ClientError as exc:
            outcome = exc
        except TimeoutError:
            outcome = _late(request, seconds)
        self._observe(request.method, _code(outcome), self._clock.monotonic() - started)
        return outcome, login

    async def _attempt_all(self, requests: Sequence[Request]) -> dict[int, Response]:
        """Ask once; give the answers that count, by their place."""
        login = await self.access.credentials.login()
        if not all(one.repeatable and self._wire.serves(one, login) for one in requests):
            return {}
        await self._limit.acquire(len(requests))
        started = self._clock.monotonic()
        try:
            with self.guard(requests[0]) as left:
                async with asyncio.timeout(min(self.settings.answer_seconds, left or inf)):
                    answers = await self._wire.ask_all(requests, login, left)
        except (ClientError, TimeoutError):
            for request in requests:
                self._observe(request.method, 0, self._clock.monotonic() - started)
            return {}
        seconds, found = self._clock.monotonic() - started, {}
        for at, (request, answer) in enumerate(zip(requests, answers, strict=True)):
            told = self._told(answer.code, answer.body, answer.head)
            self._observe(request.method, told.code, seconds)
            if told.code != UNAUTHORIZED and not is_passing(request, told):
                found[at] = told
        return found

    async def _ask(self, request: Request, login: Login) -> Response:
        """Send a request once, in the cheapest way there is, and give the whole answer."""
        if not self._wire.serves(request, login):
            return await self._whole(await self._begin(request, login))
        with self.guard(request) as seconds:
            if seconds is None:
                found = await self._wire.ask(request, login)
                return self._told(found.code, found.body, found.head)
            try:
                async with asyncio.timeout(seconds):
                    found = await self._wire.ask(request, login, seconds)
            except TimeoutError as exc:
                raise DeadlineExceeded(f"no answer to {_what(request)} in time") from exc
        return self._told(found.code, found.body, found.head)

    async def _once(
        self,
        request: Request,
        begin: Callable[[Request, Login], Awaitable[Begun]],
        seconds: float | None,
    ) -> Begun:
        """Begin an answer that goes on for a while, within so many seconds."""
        await self._limit.acquire()
        started = self._clock.monotonic()
        code = 0
        try:
            async with asyncio.timeout(seconds):
                begun = await self._logged_in(request, begin)
            code = begun.code
        except _Refused as exc:
            code = exc.response.code
            raise failure_of(exc.response) from None
        except TimeoutError:
            raise _late(request, seconds) from None
        finally:
            self._observe(request.method, code, self._clock.monotonic() - started)
        return begun

    async def _logged_in(
        self, request: Request, begin: Callable[[Request, Login], Awaitable[Begun]]
    ) -> Begun:
        """Begin an answer; where the login is refused, once more with a fresh one."""
        credentials = self.access.credentials
        login = await credentials.login()
        try:
            return await begin(request, login)
        except _Refused as exc:
            if exc.response.code != UNAUTHORIZED or not credentials.refused(login):
                raise
        return await begin(request, await credentials.login())

    async def _stream(self, request: Request, login: Login) -> Stream:
        if self._wire.serves(request, login):
            return await self._flow(request, login)
        response = await self._begin(request, login)
        if not is_success(response.status):
            raise _Refused(await self._whole(response))
        return _Foreign(response)

    async def _flow(self, request: Request, login: Login) -> Stream:
        with self.guard(request) as seconds:
            async with asyncio.timeout(seconds):
                flow = await self._wire.open(request, login, seconds)
        if not is_success(flow.code):
            try:
                await flow.whole()
            finally:
                flow.close()
            found = flow.answer
            raise _Refused(self._told(found.code, found.body, found.head))
        return flow

    async def _begin(self, request: Request, login: Login) -> aiohttp.ClientResponse:
        """Send a request and wait for the head of the answer."""
        headers = CIMultiDict(login.headers)
        headers["Accept"] = request.accept
        if request.known:
            headers["If-None-Match"] = request.known
        if request.body is not None:
            headers["Content-Type"] = request.media
        session = self._connected()
        with self.guard(request) as seconds, self._translated(request):
            query = MultiDict(request.query)
            if seconds is not None:
                # The server shall give it up by then, too, should we not be there to say so.
                query["timeout"] = f"{seconds:.3f}s"
            async with asyncio.timeout(seconds):
                return await session.request(
                    request.method,
                    self._url(request),
                    params=query or None,
                    data=_data(request.body),
                    headers=headers,
                    allow_redirects=False,
                    **self._way(login),
                )

    async def _socket(self, request: Request, login: Login, protocols: tuple[str, ...]) -> Socket:
        """Send a request and wait until the connection has become a WebSocket."""
        session = self._upgrading()
        with self.guard(request) as seconds, self._translated(request):
            async with asyncio.timeout(seconds):
                opened = await session.ws_connect(
                    self._url(request),
                    params=request.query or None,
                    protocols=protocols,
                    headers=CIMultiDict(login.headers),
                    timeout=websocket.TIMES,
                    max_msg_size=0,
                    **self._way(login),
                )
        return Socket(opened, self.settings.quiet_seconds)

    async def _look(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Keep a refusal whole, of which aiohttp would drop the body, or follow a redirect."""
        response = await handler(request)
        if response.status != websocket.SWITCHED:
            raise _Refused(await self._whole(response))
        return response

    def _url(self, request: Request) -> yarl.URL:
        return yarl.URL(self._base + request.path, encoded=True)

    def _way(self, login: Login) -> dict[str, Any]:
        """Tell aiohttp how to reach the server."""
        return {
            "ssl": login.tls if login.tls is not None else True,
            "server_hostname": self.access.server_name,
            "proxy": self.access.proxy,
        }

    @contextmanager
    def _translated(self, request: Request) -> Iterator[None]:
        """Raise errors of our own for those of the HTTP library; its texts may hold secrets."""
        try:
            yield
        except UNSENT as exc:
            raise Unreachable(f"{self._base} can not be reached: {words(exc)}") from None
        except aiohttp.ClientResponseError as exc:
            raise BadAnswer(f"{_what(request)} got no answer of HTTP: {words(exc)}") from None
        except TimeoutError as exc:
            raise DeadlineExceeded(f"no answer to {_what(request)} in time") from exc
        except (aiohttp.ClientError, OSError) as exc:
            text = f"the connection broke during {_what(request)}: {words(exc)}"
            raise Disconnected(text) from exc

    async def _whole(self, response: aiohttp.ClientResponse) -> Response:
        try:
            body = await response.read()
        except (aiohttp.ClientError, OSError) as exc:
            raise Disconnected(f"the answer broke off: {words(exc)}") from exc
        head = Head(b"".join(b"\r\n%b: %b" % field for field in response.raw_headers))
        return self._told(response.status, body, head)

    def _told(self, code: int, body: bytes, head: Head) -> Response:
        """Put an answer together, and pass on what it warns of."""
        if not head.warns:
            return Response(code, body, head)
        warned = warning.texts(value for name, value in head.fields if name == "warning")
        for text in warned:
            self.warn(text)
        return Response(code, body, head, tuple(warned))

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(
                limit=self.settings.connections,
                # Longer than a minute, as many things happen once a minute; shorter than the 90 s
                # after which a kube-apiserver closes a connection that is not used.
                keepalive_timeout=80,
                socket_factory=self._connect,
            )
            self._session = self._made(connector=connector, read_bufsize=2**20)
        return self._session

    def _upgrading(self) -> aiohttp.ClientSession:
        """Give the session that looks at what WebSockets are refused with."""
        if self._upgrades is None:
            connector = self._connected().connector
            self._upgrades = self._made(
                connector=connector, connector_owner=False, middlewares=(self._look,)
            )
        return self._upgrades

    def _made(self, **how: Any) -> aiohttp.ClientSession:
        headers = {"User-Agent": self.settings.user_agent}
        if self.access.disable_compression:
            headers["Accept-Encoding"] = "identity"
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self.settings.connect_seconds)
        # The API knows no cookies; those of what stands before it are not for us to keep.
        jar = aiohttp.DummyCookieJar()
        made = aiohttp.ClientSession(headers=headers, timeout=timeout, cookie_jar=jar, **how)
        # It would send GET, PUT and DELETE a second time when a connection breaks.
        made._retry_connection = False
        return made

    def _connect(self, address: aiohttp.AddrInfoType) -> socket.socket:
        return sockets.make(address, lambda: self.fuse(), self.unacknowledged_seconds)


def _data(body: bytes | None) -> bytes | io.BytesIO | None:
    # A large body goes out in pieces, between which others get their turn.
    return io.BytesIO(body) if body is not None and len(body) > LARGE else body


def _code(outcome: Outcome) -> int:
    return outcome.code if isinstance(outcome, Response) else 0


def _positive(seconds: float, request: Request) -> float:
    if seconds <= 0:
        raise DeadlineExceeded(f"no time was left to send {_what(request)}")
    return seconds


def _late(request: Request, seconds: float | None) -> DeadlineExceeded:
    return DeadlineExceeded(f"no answer to {_what(request)} within {seconds or 0:g} s")


def _what(request: Request) -> str:
    return f"{request.method} {request.path}"
