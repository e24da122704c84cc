"""Operators on numbers, texts, lists and times."""

import math
from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.cel import clock
from kedge.apiserver.crd.cel.value import CelError, Duration, Timestamp, Uint, no_such_overload

_LOW, _HIGH, _UINT_HIGH = -(2**63), 2**63 - 1, 2**64 - 1


def integer(value: int) -> int:
    """Give an int that fits 64 bits. Raises CelError."""
    if not _LOW <= value <= _HIGH:
        raise CelError("integer overflow")
    return value


def unsigned(value: int) -> Uint:
    """Give a uint that fits 64 bits. Raises CelError."""
    if not 0 <= value <= _UINT_HIGH:
        raise CelError("unsigned integer overflow")
    return Uint(value)


def _number(left: Any, right: Any) -> type[Any]:
    """Give the type that two numbers share."""
    kind: type[Any] = type(left)
    if kind is not type(right) or kind not in _FIT:
        raise no_such_overload()
    return kind


_FIT: dict[type, Callable[[Any], Any]] = {int: integer, Uint: unsigned, float: float}


def add(left: Any, right: Any) -> Any:
    """Add two values."""
    kind, other = left.__class__, right.__class__
    if kind is other and kind in (str, bytes, list):
        return left + right
    if kind is Duration and other is Duration:
        return clock.checked(left.nanos + right.nanos)
    if kind in (Duration, Timestamp) and other in (Duration, Timestamp) and kind is not other:
        return clock.instant(left.nanos + right.nanos)
    return _FIT[_number(left, right)](int(left) + int(right) if kind is Uint else left + right)


def subtract(left: Any, right: Any) -> Any:
    """Subtract one value from another."""
    kind, other = left.__class__, right.__class__
    if kind is other and kind in (Duration, Timestamp):
        return clock.checked(left.nanos - right.nanos)
    if kind is Timestamp and other is Duration:
        return clock.instant(left.nanos - right.nanos)
    return _FIT[_number(left, right)](int(left) - int(right) if kind is Uint else left - right)


def multiply(left: Any, right: Any) -> Any:
    """Multiply two numbers."""
    kind = _number(left, right)
    return _FIT[kind](int(left) * int(right) if kind is Uint else left * right)


def divide(left: Any, right: Any) -> Any:
    """Divide one number by another; integers towards zero."""
    kind = _number(left, right)
    if kind is float:
        return _float_division(left, right)
    if right == 0:
        raise CelError("division by zero")
    quotient = abs(int(left)) // abs(int(right))
    return _FIT[kind](quotient if (left < 0) == (right < 0) else -quotient)


def _float_division(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1, right)


def modulo(left: Any, right: Any) -> Any:
    """Give the rest of a division, with the sign of the left side."""
    kind = _number(left, right)
    if kind is float:
        raise no_such_overload()
    if right == 0:
        raise CelError("modulus by zero")
    rest = abs(int(left)) % abs(int(right))
    return _FIT[kind](-rest if left < 0 else rest)


def negate(value: Any) -> Any:
    """Change the sign of a number."""
    if value.__class__ is int:
        return integer(-value)
    if value.__class__ is not float:
        raise no_such_overload()
    return -value


def invert(value: Any) -> bool:
    """Give the opposite of a boolean."""
    if value.__class__ is not bool:
        raise no_such_overload()
    return not value


_NUMBERS = frozenset({int, Uint, float})
_ORDERED = frozenset({bool, str, bytes, Duration, Timestamp})


def comparable(left: Any, right: Any) -> None:
    """Check that two values have an order. Raises CelError."""
    one, other = left.__class__, right.__class__
    if not (one in _NUMBERS and other in _NUMBERS) and not (one is other and one in _ORDERED):
        raise no_such_overload()
    if (one is float and math.isnan(left)) or (other is float and math.isnan(right)):
        raise CelError("NaN values cannot be ordered")


def _order(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def run(left: Any, right: Any) -> bool:
        comparable(left, right)
        return compare(left, right)

    return run


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "_+_": add,
    "_-_": subtract,
    "_*_": multiply,
    "_/_": divide,
    "_%_": modulo,
    "-_": negate,
    "!_": invert,
    "@not_strictly_false": lambda value: value is not False,
    "_<_": _order(lambda left, right: bool(left < right)),
    "_<=_": _order(lambda left, right: bool(left <= right)),
    "_>_": _order(lambda left, right: bool(left > right)),
    "_>=_": _order(lambda left, right: bool(left >= right)),
}
