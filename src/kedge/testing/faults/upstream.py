"""The way from the proxy to the server: one connection for each of a client's."""

import asyncio
import ssl
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from kedge.testing.faults.answer import Answer
from kedge.testing.faults.request import Request
from kedge.testing.faults.wire import (
    HEAD_LIMIT,
    Framing,
    Head,
    Headers,
    Pieces,
    WireError,
    read_body,
    read_head,
    write_head,
)

HOP_BY_HOP = ("Connection", "Keep-Alive", "Proxy-Connection", "Trailer", "Upgrade", "Expect")
FRAMED = ("Transfer-Encoding", "Content-Length", "Host")
"""Written anew for each request."""
BODILESS = {204, 304}


@dataclass(frozen=True, slots=True)
class Server:
    """Where requests go, and as whom."""

    url: str
    token: str = field(default="", repr=False)
    """For requests that have no Authorization of their own."""
    tls: ssl.SSLContext | None = None

    def headers(self, request: Request) -> list[tuple[str, str]]:
        """Give the headers to send."""
        # Compressed answers would hide the events and the lengths that faults are about.
        kept = request.headers.without(*HOP_BY_HOP, *FRAMED, "Accept-Encoding")
        fields = [("Host", urlsplit(self.url).netloc), *kept.fields]
        if self.token and not kept.get("Authorization"):
            fields.append(("Authorization", f"Bearer {self.token}"))
        if request.body or request.method in {"POST", "PUT", "PATCH"}:
            fields.append(("Content-Length", str(len(request.body))))
        return fields


class Upstream:
    """A connection to the server that is opened when it is needed."""

    def __init__(self) -> None:
        """Nothing is opened yet."""
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._is_idle = False

    async def forward(self, server: Server, request: Request) -> Answer:
        """Send a request, and give the answer when its head is there; its body streams.

        Sending again abandons what is left of the answer before. Raises OSError, EOFError and
        WireError.
        """
        if self._is_idle and self._reader is not None and not self._reader.at_eof():
            try:
                return await self._ask(server, request)
            except (OSError, EOFError):
                # The server closed the connection while it was idle; reading twice is harmless.
                if request.is_write:
                    raise
        await self.close()
        await self._connect(server)
        return await self._ask(server, request)

    async def _connect(self, server: Server) -> None:
        parts = urlsplit(server.url)
        is_secure = parts.scheme == "https"
        port = parts.port or (443 if is_secure else 80)
        tls = (server.tls or ssl.create_default_context()) if is_secure else None
        self._reader, self._writer = await asyncio.open_connection(
            parts.hostname, port, ssl=tls, limit=HEAD_LIMIT
        )

    async def _ask(self, server: Server, request: Request) -> Answer:
        if self._reader is None or self._writer is None:
            raise ConnectionError("the way to the server is closed")
        self._is_idle = False
        line = f"{request.method} {request.target} HTTP/1.1"
        self._writer.write(write_head(line, server.headers(request)) + request.body)
        await self._writer.drain()
        return self._answer(self._reader, await _final_head(self._reader), request)

    def _answer(self, reader: asyncio.StreamReader, head: Head, request: Request) -> Answer:
        _, code, phrase = (*head.line.split(" ", 2), "", "")[:3]
        if not (code.isascii() and code.isdigit()):
            raise WireError("a first line that is no answer")
        status, headers = int(code), head.headers
        closes = headers.lists("Connection", "close")
        framing = _framing(request.method, status, headers)
        body = self._body(reader, framing, headers, closes)
        return Answer(status, headers.without(*HOP_BY_HOP), framing, body, phrase)

    async def _body(
        self, reader: asyncio.StreamReader, framing: Framing, headers: Headers, closes: bool
    ) -> Pieces:
        async with aclosing(read_body(reader, framing, headers)) as pieces:
            async for piece in pieces:
                yield piece
        self._is_idle = reader is self._reader and not closes and framing is not Framing.TO_END

    async def close(self) -> None:
        """Break the connection off."""
        writer, self._reader, self._writer, self._is_idle = self._writer, None, None, False
        if writer is not None:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()


async def _final_head(reader: asyncio.StreamReader) -> Head:
    while True:
        head = await read_head(reader)
        if head is None:
            raise EOFError
        if not head.line.startswith("HTTP/1.1 1"):
            return head


def _framing(method: str, status: int, headers: Headers) -> Framing:
    if method == "HEAD" or status in BODILESS:
        return Framing.NONE
    if headers.is_chunked:
        return Framing.CHUNKED
    return Framing.COUNTED if headers.get("Content-Length") else Framing.TO_END
