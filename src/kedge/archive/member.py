"""What the header of a tar member says, in any of the dialects: ustar, pax, GNU, older ones."""

import struct
from functools import lru_cache
from typing import Final
from zlib import adler32

from msgspec import Struct

from kedge.archive.errors import ArchiveError
from kedge.archive.header import ADLER, BLOCK
from kedge.archive.path import shown_name

REGULAR: Final = frozenset({b"0", b"\0"})
DIRECTORY: Final = b"5"
LONG_NAME: Final = b"L"
LONG_LINK: Final = b"K"
PAX_NEXT: Final = b"x"
PAX_ALL: Final = b"g"
EXTENSIONS: Final = frozenset({LONG_NAME, LONG_LINK, PAX_NEXT, PAX_ALL})
"""Members that only tell something about the next ones."""
REFUSED: Final = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a named pipe",
    b"S": "a sparse file",
}

_FIELDS: Final = struct.Struct("100s24x12s12x8sc100x6s82x155s12x").unpack_from
"""Name, size, checksum, type, magic and prefix of a block."""
_BLANKS: Final = 8 * ord(" ")
"""What the checksum counts for itself."""
_POSIX: Final = b"ustar\0"
_KEPT: Final = 4096
"""Numbers that are at hand: those of one archive are mostly alike."""


class Header(Struct, frozen=True, gc=False):
    """What one block says."""

    name: bytes
    size: int
    type: bytes


def read_header(data: bytes, at: int = 0) -> Header:
    """Read the block that begins here; raises ArchiveError if it is none."""
    name, size, told, type_, magic, prefix = _FIELDS(data, at)
    name = _text(name)
    if prefix[0] and magic == _POSIX:
        name = _text(prefix) + b"/" + name
    # Adler-32 adds up bytes at a tenth of the cost of sum(), modulo 65521.
    total = (adler32(data[at : at + BLOCK]) & 0xFFFF) - 1
    try:
        if (total - _sum(told)) % ADLER == 0:
            return Header(name, _number(size), type_)
    except ValueError:
        pass
    raise ArchiveError(shown_name(name), "its header is damaged, or this is no tar archive")


def read_pax(data: bytes, about: bytes) -> dict[str, bytes]:
    """Read the records of a pax header; raises ArchiveError if they are damaged."""
    records: dict[str, bytes] = {}
    at = 0
    while at < len(data):
        space = data.find(b" ", at, at + 20)
        digits = data[at:space]
        end = at + int(digits) if space > 0 and digits.isdigit() else 0
        key, equals, value = data[space + 1 : end - 1].partition(b"=")
        if not space < end <= len(data) or not equals or data[end - 1 : end] != b"\n":
            raise ArchiveError(shown_name(about), "its pax header is damaged")
        records[key.decode("utf-8", "replace")] = value
        at = end
    return records


def pax_size(value: bytes, about: bytes) -> int:
    """Read the size that a pax header tells."""
    if not value.isdigit() or len(value) > 20:
        raise ArchiveError(shown_name(about), "its pax header tells no size")
    return int(value)


def padded(size: int) -> int:
    """Give how much room data takes, in whole blocks."""
    return size + -size % BLOCK


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


@lru_cache(_KEPT)
def _sum(field: bytes) -> int:
    """Give what the bytes of a block add up to whose checksum this is, with the checksum."""
    return _octal(field) + sum(field) - _BLANKS


@lru_cache(_KEPT)
def _number(field: bytes) -> int:
    """Read a number, which GNU tar writes in binary when it is large."""
    return int.from_bytes(field[1:], "big") if field[0] == 0x80 else _octal(field)


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if digits and not digits.isdigit():
        raise ValueError  # int() would take signs, blanks and underlines
    return int(digits or b"0", 8)
