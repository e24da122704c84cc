"""Text that comes as pieces of gzip, of which a few bytes may become very many."""

import zlib
from collections.abc import Iterator
from typing import Final

from kedge.cli.errors import Failure

MAGIC: Final = b"\x1f\x8b"
PIECE: Final = 2**20
"""Bytes that are given at once."""
_GZIP: Final = 16 + zlib.MAX_WBITS


class Gunzip:
    """Unpacks what is packed; what is not comes as it is, since some servers unpack on the way."""

    def __init__(self) -> None:
        self._head = b""
        self._unpacker: zlib._Decompress | None = None
        self._is_plain = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Take a piece; give what it becomes."""
        if self._is_plain:
            yield piece
            return
        if self._unpacker is None:
            self._head += piece
            if len(self._head) < len(MAGIC):
                return
            piece, self._head = self._head, b""
            if not piece.startswith(MAGIC):
                self._is_plain = True
                yield piece
                return
            self._unpacker = zlib.decompressobj(_GZIP)
        yield from self._unpacked(piece)

    def finish(self) -> Iterator[bytes]:
        """Give what is left; raises Failure where the end is missing."""
        if self._unpacker is not None and not self._unpacker.eof:
            raise Failure(
                "the file ends too early: it is not whole; try again, as it may have been cut on"
                " its way"
            )
        if self._head:
            yield self._head

    def _unpacked(self, piece: bytes) -> Iterator[bytes]:
        is_more = False
        while piece or is_more:
            assert self._unpacker is not None
            if self._unpacker.eof:  # gzip after gzip is one text
                if not piece.startswith(MAGIC[: len(piece)]):
                    return  # what follows the end is padding
                self._unpacker = zlib.decompressobj(_GZIP)
            try:
                text = self._unpacker.decompress(piece, PIECE)
            except zlib.error as exc:
                raise Failure(f"the file is not gzip, so what is kept is damaged: {exc}") from exc
            if text:
                yield text
            is_more = len(text) == PIECE and not self._unpacker.eof
            piece = self._unpacker.unconsumed_tail or self._unpacker.unused_data
