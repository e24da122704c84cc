"""Types with a form of their own: times, quantities, numbers or strings, raw JSON."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

import msgspec

from kedge.apiserver.protobuf.wire import DELIMITED, VARINT, delimited, parts, signed, varint
from kedge.kube.goerror import GoError
from kedge.kube.gonumbers import Literal
from kedge.kube.times import format_micro_time, format_time

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
_INTEGER: Final = 0
_STRING: Final = 1
"""Which of its two values an IntOrString has."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(float_hook=Literal).decode


@lru_cache(maxsize=4096)
def write_time(text: str) -> bytes:
    """Write a time, to the second or the microsecond. Many objects share theirs."""
    when = datetime.fromisoformat(text)
    if when == _BEGINNING:
        return b""
    seconds = (when - _EPOCH) // _SECOND
    return b"".join((b"\x08", varint(seconds), b"\x10", varint(when.microsecond * 1000)))


def write_quantity(text: str) -> bytes:
    """Write a quantity."""
    return delimited(1, text.encode())


def write_int_or_string(value: int | str) -> bytes:
    """Write a number or a string."""
    if isinstance(value, str):
        return b"\x08\x01\x10\x00" + delimited(3, value.encode())
    return b"".join((b"\x08\x00\x10", varint(value), b"\x1a\x00"))


def write_raw(value: Any) -> bytes:
    """Write any JSON as its text; none for null."""
    return b"" if value is None else delimited(1, _encode(value))


WRITERS: Final[dict[str, tuple[Callable[[Any], bytes], bytes]]] = {
    "time": (write_time, b""),
    "microtime": (write_time, b""),
    "quantity": (write_quantity, write_quantity("0")),
    "int-or-string": (write_int_or_string, write_int_or_string(0)),
    "raw": (write_raw, b""),
    "fields": (write_raw, b""),
    "json": (write_raw, b""),
}
"""By the form of a type: what writes a value, and what is written where there is none."""


def _moment(data: bytes, start: int, stop: int) -> tuple[int, int]:
    seconds = nanos = 0
    fields = {1: ("Seconds", VARINT), 2: ("Nanos", VARINT)}
    for part in parts(data, start, stop, "Timestamp", fields):
        if part.number == 1:
            seconds = signed(part.integer, 64)
        else:
            nanos = signed(part.integer, 32)
    return seconds, nanos


def _read_clock(data: bytes, start: int, stop: int) -> datetime | None:
    if start == stop:
        return None
    seconds, nanos = _moment(data, start, stop)
    try:
        when = _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError:
        raise GoError("Time.MarshalJSON: year outside of range [0,9999]") from None
    return None if when == _BEGINNING else when


def read_time(data: bytes, start: int, stop: int) -> str | None:
    """Read a time to the second."""
    when = _read_clock(data, start, stop)
    return None if when is None else format_time(when)


def read_micro_time(data: bytes, start: int, stop: int) -> str | None:
    """Read a time to the microsecond."""
    when = _read_clock(data, start, stop)
    return None if when is None else format_micro_time(when)


def read_quantity(data: bytes, start: int, stop: int) -> str:
    """Read a quantity, which may not be one."""
    text = "0"
    for part in parts(data, start, stop, "Quantity", {1: ("String_", DELIMITED)}):
        text = data[part.start : part.stop].decode(errors="replace")
    return text


def read_int_or_string(data: bytes, start: int, stop: int) -> int | str:
    """Read a number or a string."""
    fields = {1: ("Type", VARINT), 2: ("IntVal", VARINT), 3: ("StrVal", DELIMITED)}
    kind, number, text = _INTEGER, 0, ""
    for part in parts(data, start, stop, "IntOrString", fields):
        if part.number == 1:
            kind = signed(part.integer, 64)
        elif part.number == 2:
            number = signed(part.integer, 32)
        else:
            text = data[part.start : part.stop].decode(errors="replace")
    if kind not in {_INTEGER, _STRING}:
        raise GoError("impossible IntOrString.Type")
    return text if kind == _STRING else number


def read_raw(data: bytes, start: int, stop: int) -> Any:
    """Read the text of JSON."""
    raw = b""
    for part in parts(data, start, stop, "RawExtension", {1: ("Raw", DELIMITED)}):
        raw = data[part.start : part.stop]
    if not raw:
        return None
    try:
        return _decode(raw)
    except (msgspec.DecodeError, RecursionError, ValueError) as exc:
        raise GoError(f"failed to parse RawExtension bytes as JSON: {exc}") from None


READERS: Final[dict[str, Callable[[bytes, int, int], Any]]] = {
    "time": read_time,
    "microtime": read_micro_time,
    "quantity": read_quantity,
    "int-or-string": read_int_or_string,
    "raw": read_raw,
    "fields": read_raw,
    "json": read_raw,
}
"""What reads a value, by the form of its type. Raises GoError."""
