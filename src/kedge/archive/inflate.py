"""Unpack gzip as it comes, in small pieces, and no more of it than was agreed."""

from collections.abc import Iterator
from typing import Final, cast

from isal import isal_zlib

from kedge.archive.errors import ArchiveError
from kedge.archive.limits import DEFAULT, Limits

GZIP: Final = 31
"""How zlib is told that there is a gzip header and trailer around the data."""
PackError: Final = cast("type[Exception]", isal_zlib.IsalError)
"""What isal raises; its stubs take the class for an instance."""
PIECE: Final = 256 * 1024
"""At most so many bytes are unpacked at once, whatever they were packed into."""


class Inflater:
    """Unpacks one or several gzip members, as `cat a.gz b.gz` makes them, and checks their sums."""

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self.packed_bytes = 0
        self.unpacked_bytes = 0
        self._limits = limits
        self._member = isal_zlib.decompressobj(GZIP)
        self._has_begun = False
        self._is_padding = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Unpack some more, piece by piece."""
        self.packed_bytes += len(chunk)
        while chunk:
            if self._is_between:
                chunk = self._next_member(chunk)
                if not chunk:
                    return
            self._has_begun = True
            yield from self._unpack(chunk)
            chunk = self._member.unused_data if self._member.eof else b""

    def finish(self) -> None:
        """Check that the last member was whole."""
        if not self.packed_bytes:
            raise ArchiveError("", "it is empty")
        if not self._is_between:
            raise ArchiveError("", "it ends too early: the gzip data is cut off")

    @property
    def _is_between(self) -> bool:
        return self._has_begun and self._member.eof

    def _next_member(self, chunk: bytes) -> bytes:
        """Go on to the next member; zeros may fill up the rest of a file, as on a tape."""
        rest = chunk.lstrip(b"\0")
        if rest != chunk:
            self._is_padding = True
        if not rest:
            return b""
        if self._is_padding or rest[0] != 0x1F:
            raise ArchiveError("", "there is something behind its end that is not gzip")
        self._member = isal_zlib.decompressobj(GZIP)
        self._has_begun = False
        return rest

    def _unpack(self, chunk: bytes) -> Iterator[bytes]:
        while True:
            try:
                piece = self._member.decompress(chunk, PIECE)
            except PackError as exc:
                raise ArchiveError("", f"it is not whole gzip data: {exc}") from exc
            if piece:
                self._count(len(piece))
                yield piece
            chunk = self._member.unconsumed_tail
            if self._member.eof or (not chunk and len(piece) < PIECE):
                return

    def _count(self, unpacked: int) -> None:
        self.unpacked_bytes += unpacked
        limits = self._limits
        if self.unpacked_bytes > limits.free_bytes + limits.ratio * self.packed_bytes:
            reason = f"it unpacks to more than {limits.ratio} times its size"
            raise ArchiveError("", reason)
