"""A whole answer as aiohttp sends it: head and body in one piece, wherever that can be."""

from functools import lru_cache
from http import HTTPStatus
from typing import Final

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.helpers import rfc822_formatted_time
from aiohttp.http import SERVER_SOFTWARE

from kedge.apiserver.http.reply import Reply
from kedge.apiserver.http.warning import warning_headers

USUAL: Final = {"Cache-Control": "no-cache, private"}
SMALL: Final = 64 * 1024
"""Bytes that go out at once; what is larger is left to the library."""


class Response(web.StreamResponse):
    """Sends a Reply; made anew for each request, and so without all that aiohttp has for others."""

    def __init__(self, reply: Reply, warnings: list[str]) -> None:
        """Take what is to be sent; nothing of the library's own is set up before it is needed."""
        self._reply = reply
        self._warnings = warnings
        self._usual: web.Response | None = None
        self._writer: AbstractStreamWriter | None = None

    @property
    def keep_alive(self) -> bool | None:
        """Whether the connection may be used again."""
        return True if self._usual is None else self._usual.keep_alive

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send it, or begin to; raises ConnectionError where nobody is there any more."""
        reply = self._reply
        if not self._is_plain(request):
            self._usual = usual(reply, self._warnings)
            return await self._usual.prepare(request)
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the client is gone")
        self._writer = request.writer
        end = (
            f"Content-Length: {len(reply.body)}\r\nDate: {rfc822_formatted_time()}\r\n"
            f"Server: {SERVER_SOFTWARE}\r\n\r\n"
        )
        transport.write(b"".join((_begin(reply.code, reply.media), end.encode(), reply.body)))
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Wait until there is room for the next answer."""
        if self._usual is not None:
            await self._usual.write_eof(data)
        elif self._writer is not None:
            await self._writer.drain()

    def _is_plain(self, request: web.BaseRequest) -> bool:
        """Whether there is nothing about the answer that most others do not have."""
        reply = self._reply
        return (
            request.version == HttpVersion11
            and request.method != "HEAD"
            and request.keep_alive
            and not reply.headers
            and not self._warnings
            and len(reply.body) < SMALL
        )


@lru_cache(maxsize=256)
def _begin(code: int, media: str) -> bytes:
    lines = [f"HTTP/1.1 {code} {HTTPStatus(code).phrase}", f"Content-Type: {media}"]
    lines += [f"{name}: {value}" for name, value in USUAL.items()]
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def usual(reply: Reply, warnings: list[str]) -> web.Response:
    """Give a Reply as one of the library's own answers."""
    response = web.Response(
        status=reply.code,
        body=reply.body,
        headers={"Content-Type": reply.media, **USUAL, **reply.headers},
    )
    for header in warning_headers(warnings) if warnings else ():
        response.headers.add("Warning", header)
    return response
