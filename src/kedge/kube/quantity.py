"""Amounts of resources: `100m`, `1.5Gi`, `1e3`; exact, and written the way Kubernetes writes them.

A quantity keeps the family of its suffix (binary, decimal, exponent) and is written with the
largest suffix that loses nothing. Some of what follows is no rule anybody would make, but it is
what Kubernetes does: text that looks canonical enough is kept as it came, and a decimal number
beyond the suffix `E` loses its zeros.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, total_ordering
from typing import Final

FORMAT_ERROR: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
NUMBER_ERROR: Final = "unable to parse numeric part of quantity"
SUFFIX_ERROR: Final = "unable to parse quantity's suffix"

BINARY: Final = "BinarySI"
DECIMAL: Final = "DecimalSI"
EXPONENT: Final = "DecimalExponent"

_BINARY_POWERS: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_POWERS: Final = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY_SUFFIXES: Final = {power: suffix for suffix, power in _BINARY_POWERS.items()}
_DECIMAL_SUFFIXES: Final = {power: suffix for suffix, power in _DECIMAL_POWERS.items()}
_NANO: Final = -9
_EXACT_DIGITS: Final = 18  # as many as surely fit in 64 bits
_MOST_DIGITS: Final = 4000  # more than anybody needs, and less than Python refuses to read
_LARGEST: Final = 2**63 - 1

_PARTS: Final = re.compile(
    r"([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII
)


class QuantityError(ValueError):
    """A text that is no quantity, in Kubernetes' words."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """The number `digits` x 10^`power`, and the family of suffixes it is written with."""

    digits: int
    power: int = 0
    family: str = DECIMAL
    text: str = field(default="", repr=False)
    """How it came, where Kubernetes keeps that."""
    is_long: bool = field(default=False, repr=False)
    """Whether Kubernetes does not keep it in 64 bits, be it small."""

    def __str__(self) -> str:
        """Write it in canonical form."""
        if self.text:
            return self.text
        if not self.digits:
            return "0"
        if self.family == BINARY and self._shows_binary():
            return self._binary()
        return self._decimal()

    def _shows_binary(self) -> bool:
        value = self._whole()
        return value is not None and abs(value) >= 1024

    def _whole(self) -> int | None:
        """Give the number if it is an integer; only asked where the power is small."""
        if self.power >= 0:
            return self.digits * int(10**self.power)
        value, rest = divmod(self.digits, 10**-self.power)
        return None if rest else value

    def _binary(self) -> str:
        value, power = self._whole() or 0, 0
        while value % 1024 == 0:
            value, power = value // 1024, power + 10
        return f"{value}{_BINARY_SUFFIXES.get(power, '')}"

    def _decimal(self) -> str:
        digits, power = self.digits, self.power
        while digits % 10 == 0:
            digits, power = digits // 10, power + 1
        digits, power = digits * 10 ** (power % 3), power - power % 3
        if self.family == EXPONENT:
            return f"{digits}e{power}" if power else str(digits)
        return f"{digits}{_DECIMAL_SUFFIXES.get(power, '')}"

    def compare(self, other: "Quantity") -> int:
        """Tell whether this is less (-1), the same (0) or more (1)."""
        if not self.digits or not other.digits or (self.digits < 0) != (other.digits < 0):
            return (self.digits > other.digits) - (self.digits < other.digits)
        # An exponent may be huge: look at the sizes before any zeros are written out.
        ours, theirs = self._size(), other._size()
        if ours != theirs:
            return 1 if (ours > theirs) == (self.digits > 0) else -1
        least = min(self.power, other.power)
        mine: int = self.digits * 10 ** (self.power - least)
        its: int = other.digits * 10 ** (other.power - least)
        return (mine > its) - (mine < its)

    def _size(self) -> int:
        return len(str(abs(self.digits))) + self.power

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.compare(other) == 0

    def __lt__(self, other: "Quantity") -> bool:
        return self.compare(other) < 0

    def __hash__(self) -> int:
        digits, power = self.digits, self.power
        while digits and digits % 10 == 0:
            digits, power = digits // 10, power + 1
        return hash((digits, power if digits else 0))

    def fraction(self) -> Fraction:
        """Give the exact number; beware of exponents that nobody can write out."""
        return Fraction(self.digits) * Fraction(10) ** self.power


@lru_cache(maxsize=1024)  # a cluster has few different amounts
def _parse_short(text: str) -> Quantity:
    return _parse(text)


def parse_quantity(text: str) -> Quantity:
    """Read a quantity, or raise QuantityError."""
    return _parse_short(text) if len(text) < 32 else _parse(text)


def canonical_quantity(text: str) -> str:
    """Rewrite a quantity the way the server gives it back."""
    return str(parse_quantity(text))


def _parse(text: str) -> Quantity:
    parts = _PARTS.fullmatch(text)
    if not text or not parts:
        raise QuantityError(FORMAT_ERROR)
    sign, zeros, whole, rest, suffix = parts.groups(default="")
    family, power = _suffix(suffix)
    if family == BINARY:
        exact = not rest and 15 - max(len(whole), 1) - power * 3 // 10 - 1 >= 0
    else:
        exact = _EXACT_DIGITS - len(rest) - max(len(whole), 1) >= 0 and power - len(rest) >= _NANO
    if len(whole + rest) > _MOST_DIGITS or not (exact or zeros + whole + rest):
        raise QuantityError(NUMBER_ERROR)
    digits = int(whole + rest or "0")
    factor = -1 if sign == "-" else 1
    if not exact:
        return _rounded(factor, digits, -len(rest), family, power)
    kept = text if _is_kept((whole or "0") + rest, family, power - len(rest)) else ""
    if family == BINARY:
        return Quantity(factor * digits * 2**power, 0, family, kept)
    return Quantity(factor * digits, power - len(rest), family, kept)


def _suffix(suffix: str) -> tuple[str, int]:
    if suffix in _DECIMAL_POWERS:
        return DECIMAL, _DECIMAL_POWERS[suffix]
    if suffix in _BINARY_POWERS:
        return BINARY, _BINARY_POWERS[suffix]
    if re.fullmatch("[eE][-+]?[0-9]+", suffix):
        power = int(suffix[1:]) if len(suffix) < 24 else 2**63
        if -(2**63) <= power < 2**63:
            return EXPONENT, (power + 2**31) % 2**32 - 2**31  # Go cuts it to 32 bits
    raise QuantityError(SUFFIX_ERROR)


def _is_kept(digits: str, family: str, power: int) -> bool:
    """Tell whether Kubernetes takes the text for canonical and keeps it."""
    if family == BINARY:
        return int(digits) & 7 != 0
    return power % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _rounded(factor: int, digits: int, power: int, family: str, suffix: int) -> Quantity:
    """Make a number that is too long for 64 bits, or finer than a billionth: rounded up to that."""
    if family == BINARY:
        digits *= 2**suffix
    else:
        power += suffix
    if power < _NANO:
        cut = _NANO - power
        digits = -(-digits // 10**cut) if cut <= len(str(digits)) else min(digits, 1)
        power = _NANO
    if family == BINARY:
        if digits > _LARGEST * 10**-power:
            digits, power = _LARGEST, 0
        elif 0 < digits < 10**-power:
            family = DECIMAL
    return Quantity(factor * digits, power, family, is_long=True)
