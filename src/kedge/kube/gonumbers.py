"""JSON numbers as Go sees them: integers of 64 bits, floats that know how they were written."""

import math
from typing import Final

from kedge.kube.gotext import to_json

INT64: Final = range(-(2**63), 2**63)
INT32: Final = range(-(2**31), 2**31)
_EXACT: Final = 1e21  # Go writes larger floats with an exponent


class Literal(float):
    """A JSON number with a fraction or an exponent, with its text: messages quote it."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> "Literal":
        """Read a number."""
        self = super().__new__(cls, text)
        self.text = text
        return self


def number_text(value: float | int) -> str:
    """Write a number as the client did, or as Go would."""
    if isinstance(value, Literal):
        return value.text
    return to_json(value)


def as_json_number(value: float) -> float | int:
    """Give what comes out when Go writes a float64 as JSON and reads it again: 1.0 is 1."""
    if value == math.trunc(value) and abs(value) < _EXACT:
        whole = int(value)
        return whole if whole in INT64 else float(value)
    return float(value)


def loose_number(text: str) -> float | int:
    """Read a number with a fraction or an exponent for a place without a type."""
    return as_json_number(float(text))
