"""What the header of a tar member says, in any of the dialects: ustar, pax, GNU, older ones."""

from typing import Final, NamedTuple
from zlib import adler32

from kedge.archive.errors import ArchiveError
from kedge.archive.header import BLOCK

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

_BLANK: Final = b" " * 8
_POSIX: Final = b"ustar\0"
_ADLER: Final = 65521
_NOWHERE: Final = frozenset({"", ".", ".."})


class Header(NamedTuple):
    """What one block says."""

    name: bytes
    size: int
    type: bytes


def read_header(block: bytes) -> Header:
    """Read a block; raises ArchiveError if it is none."""
    name = _text(block[:100])
    total = adler32(block[156:], adler32(_BLANK, adler32(block[:148])))
    if _octal(block[148:156], name) % _ADLER != ((total & 0xFFFF) - 1) % _ADLER:
        raise ArchiveError(_show(name), "its header is damaged, or this is no tar archive")
    if block[257:263] == _POSIX and block[345]:
        name = _text(block[345:500]) + b"/" + name
    return Header(name, _number(block[124:136], name), block[156:157])


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
            raise ArchiveError(_show(about), "its pax header is damaged")
        records[key.decode("utf-8", "replace")] = value
        at = end
    return records


def pax_size(value: bytes, about: bytes) -> int:
    """Read the size that a pax header tells."""
    if not value.isdigit() or len(value) > 20:
        raise ArchiveError(_show(about), "its pax header tells no size")
    return int(value)


def split_path(name: bytes, limit: int) -> list[str]:
    """Give the parts of a member's path; raises ArchiveError if it leads anywhere else."""
    if len(name) > limit:
        raise ArchiveError(_show(name), f"its name is longer than {limit} bytes")
    try:
        path = name.decode()
    except UnicodeDecodeError as exc:
        raise ArchiveError(_show(name), "its name is not UTF-8") from exc
    if "\0" in path:
        raise ArchiveError(path, "its name has a zero byte")
    if path.startswith("/"):
        raise ArchiveError(path, "its path is absolute")
    while path.startswith("./"):
        path = path[2:]
    parts = path.split("/")
    if not _NOWHERE.isdisjoint(parts):
        leads_out = ".." in parts
        raise ArchiveError(path, "its path leads out" if leads_out else "its path is not plain")
    return parts


def padded(size: int) -> int:
    """Give how much room data takes, in whole blocks."""
    return size + -size % BLOCK


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _octal(field: bytes, name: bytes) -> int:
    digits = field.strip(b" \0")
    if not digits:
        return 0
    if not digits.isdigit() or b"8" in digits or b"9" in digits:
        raise ArchiveError(_show(name), "its header is damaged, or this is no tar archive")
    return int(digits, 8)


def _number(field: bytes, name: bytes) -> int:
    """Read a number, which GNU tar writes in binary when it is large."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    return _octal(field, name)


def _show(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
