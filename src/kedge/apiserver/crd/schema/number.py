"""Numbers as Go's validator sees them: int64 or float64, with its own idea of what is whole."""

from typing import Any

SMALLEST, LARGEST = -(2**63), 2**63 - 1
_SAFE = float(2**53 - 1)
_EPSILON = 1e-9


def is_integer(value: Any) -> bool:
    """Whether Go holds the value as an int64."""
    return value.__class__ is int and SMALLEST <= value <= LARGEST


def is_number(value: Any) -> bool:
    """Whether the value is a number at all."""
    return value.__class__ is int or value.__class__ is float


def is_whole(value: float) -> bool:
    """Whether a float64 passes for an integer; large ones do when they are near enough."""
    if not -_SAFE <= value <= _SAFE:
        return False
    if value == int(value):
        return True
    whole = float(int(value))
    return value > 1 and (value - whole) / (value + whole) < _EPSILON


def is_multiple(value: int | float, factor: float) -> bool:
    """Whether a number is a multiple of a positive factor."""
    if is_integer(value):
        return value % int(factor) == 0
    value = float(value)
    return is_whole(1 / factor * value if factor < 1 else value / factor)


def bound_for(value: int | float, bound: float) -> int | float:
    """Give the bound in the type of the value: integers are compared with its whole part."""
    return int(bound) if is_integer(value) else bound
