"""Values at run time beyond Python's own: unsigned integers, times, optional values, and errors.

bool, int, float, str, bytes, None, list and dict stand for themselves; lists and objects of a
resource stay as they are in its JSON, and their type knows how to read them.
"""

from dataclasses import dataclass
from typing import Any

NANO = 10**9


class CelError(Exception):
    """An expression that has no value; the text is cel-go's."""


class CostError(Exception):
    """An expression that takes too long; unlike other errors, nothing absorbs it."""


def no_such_overload(call: str = "") -> CelError:
    """Give the error of a function that does not take such arguments."""
    return CelError(f"no such overload: {call}" if call else "no such overload")


class Uint(int):
    """An unsigned integer."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A span of time in nanoseconds."""

    nanos: int


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """An instant, in nanoseconds since 1970."""

    nanos: int


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may not be there."""

    value: Any = None
    is_there: bool = False


NOTHING = Optional()
