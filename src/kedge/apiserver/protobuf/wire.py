"""The bytes of protobuf: varints, tags, and the way from one field to the next."""

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from kedge.kube.goerror import GoError

VARINT: Final = 0
FIXED64: Final = 1
DELIMITED: Final = 2
START_GROUP: Final = 3
END_GROUP: Final = 4
FIXED32: Final = 5

TRUNCATED: Final = "unexpected EOF"
OVERFLOW: Final = "proto: integer overflow"
NEGATIVE: Final = "proto: negative length found during unmarshaling"
NO_GROUP: Final = "proto: unexpected end of group"

_FIXED: Final = {FIXED64: 8, FIXED32: 4}
_MASK: Final = (1 << 64) - 1
_SIGN: Final = 1 << 63
_ONE_BYTE: Final = tuple(bytes((number,)) for number in range(0x80))


def varint(number: int) -> bytes:
    """Write an integer; a negative one as its 64 bits, unsigned."""
    if 0 <= number < 0x80:
        return _ONE_BYTE[number]
    if 0 < number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    number &= _MASK
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


@cache
def tag_of(number: int, kind: int) -> bytes:
    """Write what precedes the value of a field."""
    return varint(number << 3 | kind)


@cache
def heads_of(number: int) -> tuple[bytes, ...]:
    """Give tag and length of a field, by its length, for all lengths of one byte."""
    tag = tag_of(number, DELIMITED)
    return tuple(tag + size for size in _ONE_BYTE)


def delimited(number: int, data: bytes) -> bytes:
    """Write a field that has a length."""
    return b"".join((tag_of(number, DELIMITED), varint(len(data)), data))


def read_varint(data: bytes, pos: int, end: int) -> tuple[int, int]:
    """Read an integer of 64 bits, unsigned, and where it ends; raises GoError."""
    number = shift = 0
    while pos < end:
        byte = data[pos]
        pos += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & _MASK, pos
        shift += 7
        if shift >= 64:
            raise GoError(OVERFLOW)
    raise GoError(TRUNCATED)


def read_length(data: bytes, pos: int, end: int) -> tuple[int, int]:
    """Read a length: give where the value begins and ends; raises GoError."""
    if pos < end and data[pos] < 0x80:
        size = data[pos]
        pos += 1
    else:
        size, pos = read_varint(data, pos, end)
    if size >= _SIGN or pos + size >= _SIGN:
        raise GoError(NEGATIVE)
    if pos + size > end:
        raise GoError(TRUNCATED)
    return pos, pos + size


def signed(number: int, bits: int) -> int:
    """Cut an integer to its lowest bits, the first of which is the sign."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def skip(data: bytes, pos: int, end: int) -> int:
    """Give where the field ends that begins here with its tag; raises GoError."""
    depth = 0
    while pos < end:
        tag, pos = read_varint(data, pos, end)
        kind = tag & 7
        if kind == VARINT:
            _, pos = read_varint(data, pos, end)
        elif kind == DELIMITED:
            size, pos = read_varint(data, pos, end)
            if size >= _SIGN:
                raise GoError(NEGATIVE)
            pos += size
        elif kind in _FIXED:
            pos += _FIXED[kind]
        else:
            depth += _step(kind, depth)
        if pos > end:
            raise GoError(TRUNCATED)
        if not depth:
            return pos
    raise GoError(TRUNCATED)


def _step(kind: int, depth: int) -> int:
    if kind == START_GROUP:
        return 1
    if kind != END_GROUP:
        raise GoError(f"proto: illegal wireType {kind}")
    if not depth:
        raise GoError(NO_GROUP)
    return -1


def check_tag(tag: int, message: str) -> int:
    """Give the number of the field that a tag announces; raises GoError."""
    if tag & 7 == END_GROUP:
        raise GoError(f"proto: {message}: wiretype end group for non-group")
    number = signed(tag >> 3, 32)
    if number <= 0:
        raise GoError(f"proto: {message}: illegal tag {number} (wire type {tag})")
    return number


def wrong_kind(tag: int, name: str) -> GoError:
    """Say that a field has a value of another kind than its type."""
    return GoError(f"proto: wrong wireType = {tag & 7} for field {name}")


class Part(NamedTuple):
    """One field of a message: an integer, or a range of the bytes."""

    number: int
    integer: int
    start: int
    stop: int


def parts(
    data: bytes, start: int, stop: int, message: str, fields: dict[int, tuple[str, int]]
) -> Iterator[Part]:
    """Give the fields of a small message that are known by number, name and kind."""
    pos = start
    while pos < stop:
        begin = pos
        tag, pos = read_varint(data, pos, stop)
        number = check_tag(tag, message)
        if number not in fields:
            pos = skip(data, begin, stop)
            continue
        name, kind = fields[number]
        if tag & 7 != kind:
            raise wrong_kind(tag, name)
        if kind == VARINT:
            integer, pos = read_varint(data, pos, stop)
            yield Part(number, integer, pos, pos)
        else:
            first, pos = read_length(data, pos, stop)
            yield Part(number, 0, first, pos)
