"""An answer of HTTP/1.1, put together while its bytes come in. Pure."""

import re
from collections.abc import Callable
from typing import Final, cast

from isal import isal_zlib

from kedge.client.errors import BadAnswer
from kedge.client.head import Head

HEAD_BYTES: Final = 2**18
"""A head that is longer than this is none."""
LINE_BYTES: Final = 2**10
"""So long the line before a chunk may be."""
INFORMATIONAL: Final = range(100, 200)
BODILESS: Final = (204, 304)
_END: Final = b"\r\n\r\n"
_HEAD: Final = re.compile(
    rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: [^\r\n]*+)?+(?:\r\n[^ \t\r\n:]++:[^\r\n]*+)*+"
).fullmatch
_FIELDS: Final = (
    rb"(?:\r\n(?!(?i:connection|content-(?:encoding|length)|transfer-encoding):)"
    rb"[^ \t\r\n:]++:[^\r\n]*+)*+"
)
_USUAL: Final = re.compile(
    rb"HTTP/1\.1 ([2-5][0-9]{2})(?: [^\r\n]*+)?+"
    + _FIELDS
    + rb"\r\n(?i:content-length):[ \t]*+([0-9]{1,18})[ \t]*+"
    + _FIELDS
    + rb"\r\n\r\n"
).match
"""A head that tells the length of a plain body, and nothing else that matters."""
_NUMBER: Final = re.compile(r"[0-9]{1,18}").fullmatch
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?").fullmatch
_PLAIN_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,15})\r\n").match
_GZIP: Final = 31
"""How zlib is told that there is a gzip header and trailer around the data."""
_PackError: Final = cast("type[Exception]", isal_zlib.IsalError)
"""What isal raises; its stubs take the class for an instance."""


class Answer:
    """Takes bytes until the answer is whole; raises BadAnswer where they are none of HTTP."""

    __slots__ = (
        "_buffer",
        "_keeps",
        "_parts",
        "_rest",
        "_take",
        "_unpack",
        "chunks",
        "code",
        "head",
        "is_whole",
    )

    def __init__(self) -> None:
        """Begin with nothing."""
        self.code = 0
        self.head = Head()
        self.is_whole = False
        self.chunks = 0
        """In so many pieces the server has sent it."""
        self._keeps = True
        self._buffer = bytearray()
        self._parts: list[bytes] = []
        self._rest = 0
        # A function and no method: an answer that holds itself would stay until it is searched for.
        self._take: Callable[[Answer], bool] = Answer._head
        self._unpack: isal_zlib.Decompress | None = None

    @property
    def keeps(self) -> bool:
        """Whether the connection can be used again: not if more came than was asked for."""
        return self._keeps and not (self.is_whole and self._buffer)

    @property
    def has_begun(self) -> bool:
        """Whether the head is there."""
        return self.is_whole or self._take is not Answer._head

    @property
    def body(self) -> bytes:
        """All of the body, unpacked."""
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    def drain(self) -> bytes:
        """Take out what there is of the body."""
        body = self.body
        self._parts.clear()
        return body

    def feed(self, data: bytes) -> bool:
        """Take what has come in; tell whether the answer is whole."""
        self._buffer += data[self.take(data, 0) :]
        while not self.is_whole and self._take(self):
            pass
        return self.is_whole

    def take(self, data: bytes, start: int) -> int:
        """Take an answer of the usual kind that is there as a whole; give where it ends.

        0: it is another, or a part of one, and is to be fed.
        """
        if self._buffer or self.is_whole or self._take is not Answer._head:
            return 0
        found = _USUAL(data, start)
        if found is None or (code := int(found[1])) in BODILESS:
            return 0
        body = found.end()
        end = body + int(found[2])
        if end > len(data):
            return 0
        self.code, self.head = code, Head(data[start : body - len(_END)])
        self._parts.append(data[body:end])
        self.is_whole = True
        return end

    def rest(self) -> bytes:
        """Take out what came after the answer: where more was asked, the next one begins there."""
        data = bytes(self._buffer)
        self._buffer.clear()
        return data

    def end(self) -> bool:
        """Take note that nothing more comes; tell whether the answer is whole."""
        self._keeps = False
        if self._take is Answer._until_end and not self.is_whole:
            self._finish()
        return self.is_whole

    def _head(self) -> bool:
        end = self._buffer.find(_END)
        if end < 0:
            if len(self._buffer) > HEAD_BYTES or not b"HTTP/1.".startswith(self._buffer[:7]):
                raise BadAnswer(
                    "the head of an answer of HTTP is expected, and something else came"
                )
            return False
        head = bytes(self._buffer[:end])
        del self._buffer[: end + len(_END)]
        found = _HEAD(head)
        if found is None:
            raise BadAnswer("the head of the answer has a line that is none of HTTP/1.1")
        self.code = int(found[2])
        if self.code in INFORMATIONAL:
            return True
        self.head = Head(head)
        self._prepare(is_old=found[1] == b"0")
        return True

    def _prepare(self, *, is_old: bool) -> None:
        """Find out how long the body is, and how it comes."""
        fields = self.head.fields
        known = dict(fields)
        connection = known.get("connection", "").lower()
        self._keeps = connection == "keep-alive" if is_old else "close" not in connection
        packed = known.get("content-encoding", "identity").lower()
        if packed == "gzip":
            self._unpack = isal_zlib.decompressobj(_GZIP)
        elif packed != "identity":
            raise BadAnswer("the answer is packed in a way that was not asked for")
        lengths = {value for name, value in fields if name == "content-length"}
        if self.code in BODILESS:
            self._finish()
        elif "transfer-encoding" in known:
            if known["transfer-encoding"].lower() != "chunked" or lengths:
                raise BadAnswer("the answer does not say how long it is")
            self._take = Answer._chunk
        elif lengths:
            self._rest = _length(lengths)
            self._take = Answer._counted
            if not self._rest:
                self._finish()
        else:
            self._take = Answer._until_end

    def _counted(self) -> bool:
        """Take the body that has a known length."""
        self._rest -= self._move(self._rest)
        if not self._rest:
            self._finish()
        return False

    def _chunk(self) -> bool:
        """Take the line before a chunk; one of no bytes is the last."""
        self._take_chunks()
        line = self._line()
        if line is None:
            return False
        size = _CHUNK(line)
        if size is None:
            raise BadAnswer("the answer comes in chunks of unknown sizes")
        self._rest = int(size[1], 16)
        self.chunks += 1
        self._take = Answer._inside if self._rest else Answer._trailer
        return True

    def _take_chunks(self) -> None:
        """Take the chunks that are there as a whole: a kube-apiserver sends 2 KiB in each."""
        data, taken, at = bytes(self._buffer), [], 0
        while size := _PLAIN_CHUNK(data, at):
            start = size.end()
            end = start + int(size[1], 16)
            if end == start or data[end : end + 2] != b"\r\n":
                break
            taken.append(data[start:end])
            at = end + 2
        del self._buffer[:at]
        self.chunks += len(taken)
        self._add(b"".join(taken))

    def _inside(self) -> bool:
        """Take the bytes of a chunk."""
        self._rest -= self._move(self._rest)
        if self._rest or len(self._buffer) < len(b"\r\n"):
            return False
        if self._line():
            raise BadAnswer("the chunks of the answer are longer than they say")
        self._take = Answer._chunk
        return True

    def _trailer(self) -> bool:
        """Pass over what comes after the last chunk."""
        line = self._line()
        if line == b"":
            self._finish()
        return bool(line)

    def _until_end(self) -> bool:
        """Take the body that ends with the connection."""
        self._move(len(self._buffer))
        return False

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\r\n")
        if end < 0:
            if len(self._buffer) > LINE_BYTES:
                raise BadAnswer("the answer comes in chunks of unknown sizes")
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line

    def _move(self, most: int) -> int:
        """Move bytes to the body; give how many."""
        data = bytes(self._buffer[:most])
        del self._buffer[:most]
        self._add(data)
        return len(data)

    def _add(self, data: bytes) -> None:
        """Add to the body what has come of it."""
        if not data:
            return
        try:
            self._parts.append(data if self._unpack is None else self._unpack.decompress(data))
        except _PackError as exc:
            raise BadAnswer("the answer can not be unpacked") from exc

    def _finish(self) -> None:
        if self._unpack is not None and self._parts and not self._unpack.eof:
            raise BadAnswer("the answer is packed, and its end is missing")
        self.is_whole = True


def _length(lengths: set[str]) -> int:
    text = lengths.pop()
    if lengths or not _NUMBER(text):
        raise BadAnswer("the answer does not say how long it is")
    return int(text)
