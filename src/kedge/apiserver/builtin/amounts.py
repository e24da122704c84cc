"""Arithmetic with amounts of resources as text: rounding, sums, comparison."""

from collections.abc import Mapping
from functools import lru_cache

from kedge.kube.gotext import quote
from kedge.kube.quantity import Quantity, parse_quantity

MILLI = -3
LIMIT = 2**63
Amounts = dict[str, str]


@lru_cache(maxsize=1024)
def rounded(text: str) -> str:
    """Round an amount up to thousandths, as the server stores it; away from zero if negative."""
    amount = parse_quantity(text)
    if amount.power >= MILLI:
        return text
    return str(Quantity(_cut(amount, MILLI), MILLI, amount.family))


def _cut(amount: Quantity, power: int) -> int:
    """Give the digits at a power of ten, rounded away from zero."""
    if amount.power >= power:
        return amount.digits * int(10 ** (amount.power - power))
    size = -(-abs(amount.digits) // int(10 ** (power - amount.power)))
    return size if amount.digits > 0 else -size


def round_all(amounts: Amounts) -> None:
    """Round amounts up to thousandths, in place."""
    for name, text in amounts.items():
        amounts[name] = rounded(text)


def compare(left: str, right: str) -> int:
    """Tell whether an amount is less (-1), the same (0) or more (1)."""
    return 0 if left == right else parse_quantity(left).compare(parse_quantity(right))


def sign(text: str) -> int:
    """Tell whether an amount is below zero (-1), zero or above."""
    digits = parse_quantity(text).digits
    return (digits > 0) - (digits < 0)


def whole(text: str) -> int:
    """Give an amount as a whole number, rounded away from zero; what Go can not hold wraps."""
    return _wrapped(_cut(parse_quantity(text), 0))


def _wrapped(number: int) -> int:
    """Give what is left of a number in Go's int64."""
    return (number + LIMIT) % (2 * LIMIT) - LIMIT


def is_fraction(text: str) -> bool:
    """Tell whether an amount is no whole number."""
    amount = parse_quantity(text)
    if amount.power == 0 and abs(amount.digits) >= LIMIT:
        return _wrapped(_wrapped(amount.digits) * 1000) % 1000 != 0
    return amount.power < 0 and _cut(amount, MILLI) % 1000 != 0


def fraction_warning(path: str, text: str) -> list[str]:
    """Warn of a fraction of a byte."""
    if not is_fraction(text):
        return []
    return [f"{path}: fractional byte value {quote(text)} is invalid, must be an integer"]


def add(total: Amounts, amounts: Mapping[str, str]) -> None:
    """Add amounts to a sum, in place."""
    for name, text in amounts.items():
        total[name] = plus(total[name], text) if name in total else text


def plus(left: str, right: str) -> str:
    """Add two amounts; the sum is written in the family of the first that is not zero."""
    one, two = parse_quantity(left), parse_quantity(right)
    if not one.digits:
        return right
    power = min(one.power, two.power)
    digits = one.digits * int(10 ** (one.power - power))
    digits += two.digits * int(10 ** (two.power - power))
    return str(Quantity(digits, power, one.family))


def raise_to(total: Amounts, amounts: Mapping[str, str]) -> None:
    """Raise each amount to that of the other where it is more, in place."""
    for name, text in amounts.items():
        if name not in total or compare(text, total[name]) > 0:
            total[name] = text
