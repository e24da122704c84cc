"""The 512-byte blocks that tar puts before each member: ustar, with pax for what it cannot say.

POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header Block".
"""

from functools import lru_cache
from typing import Final
from zlib import adler32

BLOCK: Final = 512
END: Final = bytes(2 * BLOCK)
"""What ends an archive."""

REGULAR: Final = b"0"
PAX: Final = b"x"
NAME_LIMIT: Final = 100
PREFIX_LIMIT: Final = 155
_OWNER: Final = b"0000755\0" + b"0000000\0" * 2
"""Mode, uid and gid of every member."""
_BLANKS: Final = 8 * ord(" ")
"""What the checksum counts for itself."""
_MAGIC: Final = b"ustar\x0000" + bytes(64) + b"0000000\0" * 2
"""With the version, no names of user and group, no device."""
KEPT: Final = 64
"""Parts of headers that are at hand: those of one archive are mostly alike."""
ADLER: Final = 65521
"""The modulus of Adler-32, and so of our checksums."""


def padding(size: int) -> bytes:
    """Give the zeros that fill up the last block of a member."""
    return bytes(-size % BLOCK)


def total(part: bytes) -> int:
    """Add up the bytes of a part of a block, modulo 65521: at a tenth of the cost of sum().

    A block of ours stays below that, for all of it is ASCII and half of it is zeros.
    """
    return ((adler32(part) & 0xFFFF) - 1) % ADLER


class Headers:
    """Makes the headers of members that all have the same time."""

    def __init__(self, mtime: int) -> None:
        self._mtime = b"%011o\0" % max(0, min(mtime, 8**11 - 1))
        self._total = total(_OWNER + self._mtime) + _BLANKS

    def member(self, path: str, size: int) -> bytes:
        """Give all that stands before the data of a regular file."""
        name = path.encode()
        if len(name) <= NAME_LIMIT and path.isascii():
            return self._block(name, b"", size, REGULAR)
        if path.isascii() and (parts := _split(name)):
            return self._block(parts[1], parts[0], size, REGULAR)
        return self._extended(name) + self._block(_ascii(name), b"", size, REGULAR)

    def _extended(self, name: bytes) -> bytes:
        """Give the pax header that tells the name of the next member."""
        record = _record(b"path", name)
        folder, _, base = name.rpartition(b"/")
        own = _ascii(
            b"PaxHeaders.0/" + base if not folder else folder[:60] + b"/PaxHeaders.0/" + base
        )
        return self._block(own, b"", len(record), PAX) + record + padding(len(record))

    def _block(self, name: bytes, prefix: bytes, size: int, type_: bytes) -> bytes:
        length, length_total = _length(size)
        rest, rest_total = _rest(type_, prefix)
        told = b"%06o\0 " % (self._total + total(name) + length_total + rest_total)
        return b"".join((name.ljust(NAME_LIMIT, b"\0"), _OWNER, length, self._mtime, told, rest))


@lru_cache(KEPT)
def _length(size: int) -> tuple[bytes, int]:
    """Write the size of a member; give it with what its bytes add up to."""
    text = b"%011o\0" % size
    return text, total(text)


@lru_cache(KEPT)
def _rest(type_: bytes, prefix: bytes) -> tuple[bytes, int]:
    """Write what comes after the checksum; give it with what its bytes add up to."""
    text = type_ + bytes(100) + _MAGIC + prefix.ljust(167, b"\0")
    return text, total(text)


def _split(name: bytes) -> tuple[bytes, bytes] | None:
    """Divide a path into what fits the prefix and the name of a header, if it can be done."""
    at = name.rfind(b"/", 0, PREFIX_LIMIT + 1)
    if at <= 0 or not 0 < len(name) - at - 1 <= NAME_LIMIT:
        return None
    return name[:at], name[at + 1 :]


def _ascii(name: bytes) -> bytes:
    """Give what a reader that knows no pax gets to see."""
    return bytes(byte if 32 < byte < 127 else 95 for byte in name[:NAME_LIMIT])


def _record(key: bytes, value: bytes) -> bytes:
    """Write a pax record, which begins with its own length."""
    body = b" %b=%b\n" % (key, value)
    length = len(body)
    while length != len(b"%d" % length) + len(body):
        length = len(b"%d" % length) + len(body)
    return b"%d" % length + body
