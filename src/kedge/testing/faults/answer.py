"""An answer on its way to the client: a head, a body that streams, and what is done to both."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import msgspec

from kedge.testing.faults.call import Call
from kedge.testing.faults.wire import Framing, Headers, Pieces, chunk, write_head

JSON = "application/json"

Stage = Callable[[Pieces], Pieces]
"""Takes a stream of bytes, and gives another."""
Forward = Callable[[], Awaitable["Answer"]]
"""Sends the request on, and gives the answer as soon as its head is there."""


class Cut(Exception):
    """Ends the client's connection here; what was written before still arrives unless `reset`."""

    def __init__(self, reset: bool = False) -> None:
        """Close with a farewell, or break it off (RST)."""
        super().__init__("the connection is cut")
        self.reset = reset


@dataclass(eq=False)
class Answer:
    """What the client is going to get."""

    status: int
    headers: Headers
    framing: Framing
    payload: Pieces
    """The body without its framing."""
    phrase: str = ""
    closes: bool = False
    """The connection ends with this answer, and the client is told so."""
    breaks: bool = False
    """The connection ends with this answer, and the client is not told."""
    _stages: list[Stage] = field(default_factory=list)
    _opened: list[Pieces] = field(default_factory=list)

    def through(self, stage: Stage, keep_length: bool = False) -> "Answer":
        """Change the body while it streams; with `keep_length` its promised length stays."""
        if self.framing is Framing.COUNTED and not keep_length:
            self.framing = Framing.CHUNKED
            headers = self.headers.without("Content-Length")
            self.headers = headers.replaced("Transfer-Encoding", "chunked")
        self._opened.append(self.payload)
        self.payload = stage(self.payload)
        return self

    def over(self, stage: Stage) -> "Answer":
        """Change the bytes on the wire: the head and the framing of the body included."""
        self._stages.append(stage)
        return self

    async def read(self) -> bytes:
        """Wait for the whole body; it can still be passed on after that."""
        body = b"".join([piece async for piece in self.payload])
        self.with_body(body)
        return body

    def with_body(self, body: bytes) -> "Answer":
        """Have another body, and the length that goes with it."""
        self._opened.append(self.payload)
        self.payload = _once(body)
        if self.framing is not Framing.NONE:
            self.framing = Framing.COUNTED
            headers = self.headers.without("Transfer-Encoding")
            self.headers = headers.replaced("Content-Length", str(len(body)))
        return self

    def wire(self) -> Pieces:
        """Give the bytes for the client's connection."""
        pieces = self._rendered()
        for stage in self._stages:
            self._opened.append(pieces)
            pieces = stage(pieces)
        self._opened.append(pieces)
        return pieces

    async def _rendered(self) -> Pieces:
        yield self.head()
        is_chunked = self.framing is Framing.CHUNKED
        async for piece in self.payload:
            yield chunk(piece) if is_chunked else piece
        if is_chunked:
            yield chunk(b"")

    def head(self) -> bytes:
        """Write the head."""
        headers = self.headers
        if self.closes:
            headers = headers.replaced("Connection", "close")
        return write_head(f"HTTP/1.1 {self.status} {self.phrase}", headers.fields)

    async def close(self) -> None:
        """End all stages, the last first."""
        for pieces in (*reversed(self._opened), self.payload):
            await pieces.aclose()


async def _once(body: bytes) -> Pieces:
    if body:
        yield body


def answer_with(code: int, body: bytes, media: str = JSON, **headers: str) -> Answer:
    """Make an answer of one's own; underscores in header names stand for hyphens."""
    fields = [("Content-Type", media)] if body else []
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    fields.append(("Content-Length", str(len(body))))
    phrase = HTTPStatus(code).phrase if code in set(HTTPStatus) else "Unknown"
    return Answer(code, Headers(tuple(fields)), Framing.COUNTED, _once(body), phrase)


def answer_status(status: dict[str, Any], **headers: str) -> Answer:
    """Make an answer that has a Status."""
    return answer_with(status["code"], msgspec.json.encode(status), **headers)


def by_event(call: Call, answer: Answer, stage: Stage) -> Answer:
    """Change the events of a watch, one by one; leave any other answer as it is."""
    if not call.request.is_watch or answer.status != 200:
        return answer
    return answer.through(lines).through(stage)


async def lines(payload: Pieces) -> Pieces:
    """Give a body line by line; what follows the last newline comes when the body ends."""
    rest = b""
    async for piece in payload:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line + b"\n"
    if rest:
        yield rest
