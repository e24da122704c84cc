"""HTTP/1.1 on a stream: heads, and bodies in the ways they are framed."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

HEAD_LIMIT = 1 << 20
"""Bytes of a head; far more than servers take."""
PIECE = 1 << 16
"""The most bytes of a body that are passed on at once."""

Pieces: TypeAlias = AsyncGenerator[bytes, None]


class WireError(Exception):
    """What came is no HTTP/1.1."""


class Framing(Enum):
    """How the end of a body is found."""

    NONE = "no body"
    COUNTED = "Content-Length"
    CHUNKED = "chunked"
    TO_END = "until the connection ends"


@dataclass(frozen=True, slots=True)
class Headers:
    """Header fields in their order; names are compared without regard to case."""

    fields: tuple[tuple[str, str], ...] = ()

    def get(self, name: str, default: str = "") -> str:
        """Give the value of the first field of that name."""
        return next((value for key, value in self.fields if key.lower() == name.lower()), default)

    def without(self, *names: str) -> "Headers":
        """Leave out all fields of these names."""
        gone = {name.lower() for name in names}
        return Headers(tuple(field for field in self.fields if field[0].lower() not in gone))

    def replaced(self, name: str, value: str) -> "Headers":
        """Have one field of that name, with this value."""
        return Headers((*self.without(name).fields, (name, value)))

    def lists(self, name: str, token: str) -> bool:
        """Tell whether a field that is a list has this token."""
        return any(
            part.strip().lower() == token
            for key, value in self.fields
            if key.lower() == name.lower()
            for part in value.split(",")
        )

    @property
    def is_chunked(self) -> bool:
        """Whether the body comes in chunks."""
        return self.lists("Transfer-Encoding", "chunked")


@dataclass(frozen=True, slots=True)
class Head:
    """The first line, and the headers."""

    line: str
    headers: Headers


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """Read a head; None where the stream ended before it. Raises WireError and EOFError."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as exc:
        if not exc.partial:
            return None
        raise
    except asyncio.LimitOverrunError as exc:
        raise WireError(f"a head of more than {HEAD_LIMIT} bytes") from exc
    line, *rest = raw.decode("latin1").rstrip("\r\n").split("\r\n")
    return Head(line, Headers(tuple(_field(text) for text in rest)))


def _field(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name or name != name.strip():
        raise WireError("a header without a name")
    return name, value.strip()


def write_head(line: str, fields: Iterable[tuple[str, str]]) -> bytes:
    """Write a head, with the empty line that ends it."""
    lines = [line, *(f"{name}: {value}" for name, value in fields)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin1")


def chunk(piece: bytes) -> bytes:
    """Frame bytes as one chunk; no bytes are the last chunk."""
    return b"%x\r\n%b\r\n" % (len(piece), piece)


def count_of(headers: Headers) -> int:
    """Read Content-Length; without one there is no body. Raises WireError."""
    text = headers.get("Content-Length", "0")
    if not (text.isascii() and text.isdigit()):
        raise WireError("a Content-Length that is no number")
    return int(text)


async def read_body(reader: asyncio.StreamReader, framing: Framing, headers: Headers) -> Pieces:
    """Give the bytes of a body as they come. Raises WireError, and EOFError where it breaks off."""
    if framing is Framing.NONE:
        return
    if framing is Framing.TO_END:
        while piece := await reader.read(PIECE):
            yield piece
        return
    is_chunked = framing is Framing.CHUNKED
    left = await _chunk_size(reader) if is_chunked else count_of(headers)
    while left:
        piece = await reader.read(min(left, PIECE))
        if not piece:
            raise EOFError
        left -= len(piece)
        yield piece
        if is_chunked and not left:
            await reader.readexactly(2)
            left = await _chunk_size(reader)
    while is_chunked and await reader.readuntil(b"\r\n") != b"\r\n":
        pass  # trailers, which nobody uses


async def _chunk_size(reader: asyncio.StreamReader) -> int:
    line = await reader.readuntil(b"\r\n")
    try:
        return int(line.partition(b";")[0], 16)
    except ValueError as exc:
        raise WireError("a chunk without a size") from exc
