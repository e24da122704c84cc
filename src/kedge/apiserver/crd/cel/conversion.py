"""From one type to another, and the types of values."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kedge.apiserver.crd.cel import clock
from kedge.apiserver.crd.cel.arithmetic import integer, unsigned
from kedge.apiserver.crd.cel.value import (
    NANO,
    CelError,
    Duration,
    Optional,
    Timestamp,
    Uint,
    no_such_overload,
)
from kedge.kube.gotext import float_text

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)")
_SPECIAL = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value."""

    name: str


_NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    dict: "map",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    Optional: "optional_type",
    TypeValue: "type",
}


def type_name(value: Any) -> str:
    """Name the type of a value."""
    return _NAMES.get(value.__class__) or str(value.type_name)


def _failed(value: Any, wanted: str) -> CelError:
    return CelError(f"type conversion error from '{type_name(value)}' to '{wanted}'")


def to_bool(value: Any) -> bool:
    """Convert to a boolean."""
    if value.__class__ is bool:
        return bool(value)
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise _failed(value, "bool")


def to_bytes(value: Any) -> bytes:
    """Convert to bytes."""
    return value if value.__class__ is bytes else value.encode()


def to_double(value: Any) -> float:
    """Convert to a floating point number."""
    if value.__class__ is not str:
        return float(value)
    word = value.lstrip("+-").lower()
    if word in _SPECIAL:
        return -_SPECIAL[word] if value.startswith("-") else _SPECIAL[word]
    number = float(value) if _DOUBLE.fullmatch(value) else math.inf
    if math.isinf(number):
        raise _failed(value, "double")
    return number


def to_duration(value: Any) -> Duration:
    """Convert to a span of time."""
    if isinstance(value, Duration):
        return value
    if value.__class__ is int:
        return Duration(value)
    try:
        return clock.parse_duration(value)
    except ValueError:
        raise _failed(value, "google.protobuf.Duration") from None


def to_timestamp(value: Any) -> Timestamp:
    """Convert to an instant."""
    if isinstance(value, Timestamp):
        return value
    if value.__class__ is int:
        return clock.instant(value * NANO)
    try:
        return clock.parse_time(value)
    except ValueError:
        raise _failed(value, "google.protobuf.Timestamp") from None


def to_int(value: Any) -> int:
    """Convert to an integer; fractions are cut off."""
    kind = value.__class__
    if kind is float:
        if math.isnan(value) or not -(2**63) <= value < 2**63:
            raise CelError("integer overflow")
        return int(value)
    if kind is str:
        if _INTEGER.fullmatch(value) is None or not -(2**63) <= int(value) < 2**63:
            raise _failed(value, "int")
        return int(value)
    if isinstance(value, Timestamp):
        return value.nanos // NANO
    return integer(value.nanos if kind is Duration else int(value))


def to_uint(value: Any) -> Uint:
    """Convert to an unsigned integer."""
    if value.__class__ is float:
        if math.isnan(value) or not 0 <= value < 2**64:
            raise CelError("unsigned integer overflow")
        return Uint(int(value))
    if value.__class__ is str:
        if not value.isascii() or not value.isdigit() or int(value) >= 2**64:
            raise _failed(value, "uint")
        return Uint(int(value))
    return unsigned(int(value))


def to_string(value: Any) -> str:
    """Convert to a text."""
    write = _WRITERS.get(value.__class__)
    if write is not None:
        return write(value)
    if hasattr(value, "type_name"):
        return str(value)
    raise no_such_overload()


def double_text(value: float) -> str:
    """Write a floating point number."""
    return special_text(value) or float_text(value)


def special_text(value: float) -> str:
    """Write what is no number, or none that ends; empty for all others."""
    if math.isfinite(value):
        return ""
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def from_bytes(value: bytes) -> str:
    """Read bytes as UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None


_WRITERS: dict[type, Callable[[Any], str]] = {
    str: lambda value: str(value),
    bool: lambda value: "true" if value else "false",
    int: str,
    Uint: lambda value: str(int(value)),
    float: double_text,
    bytes: from_bytes,
    Duration: clock.duration_text,
    Timestamp: clock.time_text,
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "bool": to_bool,
    "bytes": to_bytes,
    "double": to_double,
    "duration": to_duration,
    "dyn": lambda value: value,
    "int": to_int,
    "string": to_string,
    "timestamp": to_timestamp,
    "type": lambda value: TypeValue(type_name(value)),
    "uint": to_uint,
}
_CLOCKS: dict[str, Callable[[Any], int]] = {
    "getFullYear": lambda moment: moment.year,
    "getMonth": lambda moment: moment.month - 1,
    "getDayOfYear": lambda moment: moment.timetuple().tm_yday - 1,
    "getDayOfMonth": lambda moment: moment.day - 1,
    "getDate": lambda moment: moment.day,
    "getDayOfWeek": lambda moment: moment.isoweekday() % 7,
    "getHours": lambda moment: moment.hour,
    "getMinutes": lambda moment: moment.minute,
    "getSeconds": lambda moment: moment.second,
}
_LAPSES = {
    "getHours": 3600 * NANO,
    "getMinutes": 60 * NANO,
    "getSeconds": NANO,
    "getMilliseconds": 10**6,
}


def _clock(name: str) -> Callable[..., int]:
    def read(value: Any, zone: str | None = None) -> int:
        if value.__class__ is Duration:
            lapse = abs(value.nanos) // _LAPSES[name]
            return lapse if value.nanos >= 0 else -lapse
        if name == "getMilliseconds":
            return int(value.nanos % NANO // 10**6)
        return _CLOCKS[name](clock.local(value, zone))

    return read


FUNCTIONS.update({name: _clock(name) for name in {*_CLOCKS, *_LAPSES}})
