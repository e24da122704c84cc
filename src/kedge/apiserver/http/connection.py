"""Connections and their bounds: how long a client may take to ask, and how much it may say."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from aiohttp import http_exceptions, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import StreamReader
from multidict import CIMultiDict, CIMultiDictProxy

from kedge.apiserver.http.plaintext import is_plain

logger = logging.getLogger(__name__)

LINE_BYTES = 1024 * 1024
"""Size of the first line, and of each header: Go's bound of all of them."""
FIELDS = 20_000
HEAD_BYTES = 2 * LINE_BYTES
"""Bytes before a request is complete; more than one line, so that its own bound is met first."""
REQUEST_BYTES = 8 * 1024 * 1024
"""Bytes that may come while a request is answered: its body, and what was sent too early."""
REFUSED_SECONDS = 0.5
"""For a client to read why it was refused: as long as Go gives it."""
LONG_HEAD = 8 * 1024
LONG_FIELD = 2 * 1024
"""Characters of a header that is taken apart; what follows is no part of any honest request."""
TAKEN_APART = ("Accept", "Content-Type", "If-None-Match", "User-Agent")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of time, in seconds; those of kube-apiserver where it has one."""

    idle_seconds: float = 90.0
    """Between two requests on one connection."""
    head_seconds: float = 32.0
    """For the TLS handshake, and from it to the end of the first request's headers."""
    body_seconds: float = 60.0
    """For the body of a request."""
    write_seconds: float = 60.0
    """For a client to take what a watch sends."""


LIMITS = Limits()


class Connection(web.RequestHandler):
    """One connection: it is closed when no request comes, and tells of bad ones as Go does."""

    __slots__ = ("_expiry", "_lost", "_most", "_seconds", "_taken")

    def __init__(self, manager: web.Server, head_seconds: float, **settings: Any) -> None:
        """Wait for the first request for so long."""
        super().__init__(manager, loop=asyncio.get_running_loop(), **settings)
        self._seconds = head_seconds
        self._expiry: asyncio.TimerHandle | None = None
        self._lost: asyncio.Event | None = None
        """Set when the connection is gone; there only if the client may still be sending."""
        self._taken = 0
        """Bytes since the last request came, or was answered."""
        self._most = HEAD_BYTES

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request, but not for ever."""
        super().connection_made(transport)
        if is_plain(transport):
            self.force_close()
            return
        loop = asyncio.get_running_loop()
        self._expiry = loop.call_later(self._seconds, self.force_close)

    def begin(self) -> bool:
        """Note that a request has come; tell whether it is a long one."""
        is_long = self._taken > LONG_HEAD
        self._taken, self._most = 0, REQUEST_BYTES
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        return is_long

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request."""
        self._taken += len(data)
        if self._taken <= self._most:
            super().data_received(data)
        elif self._lost is None:
            self.force_close()

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send the rest of an answer; the next request may begin."""
        done = await super().finish_response(request, resp, start_time)
        if self._lost is not None:
            # A client that still sends would lose the answer if the connection were closed now.
            self.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(REFUSED_SECONDS):
                    await self._lost.wait()
        elif request.content.is_eof():
            self._taken, self._most = 0, HEAD_BYTES
        return done

    def connection_lost(self, exc: BaseException | None) -> None:
        """Wait for nothing any more."""
        if self._expiry is not None:
            self._expiry.cancel()
        if self._lost is not None:
            self._lost.set()
        super().connection_lost(exc)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer what is no HTTP; only a failure of our own is worth a line in the log."""
        if isinstance(exc, ConnectionError):
            raise exc
        if status >= 500:
            logger.error("connection failed", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("an answer is on its way already")
        if isinstance(exc, http_exceptions.LineTooLong):
            status = 431
            self._lost = asyncio.Event()
        response = web.Response(status=status, text=f"{status} {HTTPStatus(status).phrase}")
        response.force_close()
        return response


class Connections(web.Server):
    """Makes connections, and requests on them."""

    def __init__(self, handler: Any, limits: Limits) -> None:
        """Hand requests to `handler`."""
        super().__init__(handler, request_factory=self._request, handler_cancellation=True)
        self.limits = limits

    def __call__(self) -> Connection:
        """Make the protocol of one connection."""
        return Connection(
            self,
            self.limits.head_seconds,
            keepalive_timeout=self.limits.idle_seconds,
            access_log=None,
            max_line_size=LINE_BYTES,
            max_field_size=LINE_BYTES,
            max_headers=FIELDS,
            auto_decompress=False,
        )

    def _request(
        self,
        message: RawRequestMessage,
        payload: StreamReader,
        protocol: web.RequestHandler,
        writer: AbstractStreamWriter,
        task: "asyncio.Task[None]",
    ) -> web.BaseRequest:
        assert isinstance(protocol, Connection)
        if protocol.begin():
            message = shortened(message)
        return self._make_request(message, payload, protocol, writer, task)


def shortened(message: RawRequestMessage) -> RawRequestMessage:
    """Cut headers that would take long to read, and long to forget."""
    headers = CIMultiDict(message.headers)
    for name in TAKEN_APART:
        if len(headers.get(name, "")) > LONG_FIELD:
            headers[name] = headers[name][:LONG_FIELD]
    return message._replace(headers=CIMultiDictProxy(headers))
