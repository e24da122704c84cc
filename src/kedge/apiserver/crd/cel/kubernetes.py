"""Functions on Kubernetes' own types: quantities, semantic versions, named formats."""

import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import total_ordering
from typing import Any, ClassVar

from kedge.apiserver.crd.cel.value import NOTHING, CelError, Optional
from kedge.apiserver.crd.text import format as formats
from kedge.apiserver.crd.text import uri
from kedge.kube import names
from kedge.kube.gonumbers import INT64
from kedge.kube.gotext import quote
from kedge.kube.quantity import Quantity, QuantityError, parse_quantity

_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?",
    re.ASCII,
)

_MOST_ZEROS = 5000
"""No two amounts are further apart than this; an exponent may be anything."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Amount:
    """A quantity."""

    type_name: ClassVar[str] = "kubernetes.Quantity"
    quantity: Quantity

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Amount) and self.quantity == other.quantity

    def __lt__(self, other: "Amount") -> bool:
        return self.quantity < other.quantity

    def __hash__(self) -> int:
        return hash(self.quantity)


def amount(text: str) -> Amount:
    """Read a quantity."""
    try:
        return Amount(parse_quantity(text))
    except QuantityError as exc:
        raise CelError(str(exc)) from None


def _sum(value: Amount, other: Any, sign: int) -> Amount:
    one, two = value.quantity, other.quantity if isinstance(other, Amount) else Quantity(other)
    if not one.digits or not two.digits:
        rest = one if one.digits else Quantity(sign * two.digits, two.power, is_long=two.is_long)
        return Amount(replace(rest, is_long=one.is_long or two.is_long))
    power = min(one.power, two.power)
    if max(one.power, two.power) - power > _MOST_ZEROS:
        raise CelError("quantities are too far apart")
    parts = (one.digits * 10 ** (one.power - power), sign * two.digits * 10 ** (two.power - power))
    is_long = one.is_long or two.is_long or any(n not in INT64 for n in (*parts, sum(parts)))
    return Amount(Quantity(sum(parts), power, is_long=is_long))


def _integer(value: Amount) -> int | None:
    """Give the integer that Kubernetes sees: nothing that came with a fraction, be it `1.0`."""
    found = value.quantity
    if found.is_long or found.power < 0 or (found.digits and found.power > _MOST_ZEROS):
        return None
    number: int = found.digits * 10**found.power if found.digits else 0
    return number if number in INT64 else None


def _approximate(value: Amount) -> float:
    """Multiply as Kubernetes does, with its errors."""
    found = value.quantity
    factor = math.inf if found.power > sys.float_info.max_10_exp else 10.0**found.power
    return float(str(found.digits)) * factor if found.digits else 0.0


def _as_integer(value: Amount) -> int:
    found = _integer(value)
    if found is None:
        raise CelError("cannot convert value to integer")
    return found


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Semver:
    """A semantic version."""

    type_name: ClassVar[str] = "kubernetes.Semver"
    numbers: tuple[int, int, int]
    pre: tuple[str, ...] = ()

    @property
    def _rank(self) -> tuple[Any, ...]:
        parts = [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in self.pre]
        return self.numbers, not self.pre, parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self._rank == other._rank

    def __lt__(self, other: "Semver") -> bool:
        return self._rank < other._rank

    def __hash__(self) -> int:
        return hash((self.numbers, self.pre))


def semver(text: str, tolerant: bool = False) -> Semver:
    """Read a version; tolerantly: with a leading v, leading zeros, and missing parts."""
    found = _SEMVER.fullmatch(_normalized(text) if tolerant else text)
    if found is None:
        raise CelError(f"Invalid character(s) found in version {quote(text)}")
    numbers = (int(found[1]), int(found[2]), int(found[3]))
    return Semver(numbers, tuple(found[4].split(".")) if found[4] else ())


def _normalized(text: str) -> str:
    head = re.match(r"[0-9.]*", text.strip().removeprefix("v"))
    core = head[0] if head else ""
    rest = text.strip().removeprefix("v")[len(core) :]
    parts = [part.lstrip("0") or "0" for part in core.split(".")]
    if len(parts) < 3 and not rest:
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts) + rest


def _succeeds(run: Callable[..., Any]) -> Callable[..., bool]:
    def test(*args: Any) -> bool:
        try:
            run(*args)
        except CelError:
            return False
        return True

    return test


@dataclass(frozen=True, slots=True)
class Format:
    """A named format of texts."""

    type_name: ClassVar[str] = "kubernetes.NamedFormat"
    name: str


def _by_format(name: str, told: str) -> Callable[[str], list[str]]:
    test = formats.find(name)
    assert test is not None
    return lambda text: [] if test(text) else [told]


def _uri(text: str) -> list[str]:
    return [] if uri.parse(text) else [f"parse {quote(text)}: invalid URI for request"]


_CHECKS: dict[str, Callable[[str], list[str]]] = {
    "dns1123Label": names.label_name,
    "dns1123Subdomain": names.subdomain_name,
    "dns1035Label": names.label_1035_name,
    "qualifiedName": names.qualified_name,
    "dns1123LabelPrefix": lambda text: names.label_name(text, True),
    "dns1123SubdomainPrefix": lambda text: names.subdomain_name(text, True),
    "dns1035LabelPrefix": lambda text: names.label_1035_name(text, True),
    "labelValue": names.label_value,
    "uri": _uri,
    "uuid": _by_format("uuid", "does not match the UUID format"),
    "byte": _by_format("byte", "invalid base64"),
    "date": _by_format("date", "invalid date"),
    "datetime": _by_format("datetime", "invalid datetime"),
}


def _validate(value: Format, text: str) -> Optional:
    problems = _CHECKS[value.name](text)
    return Optional(problems, True) if problems else NOTHING


def _named(name: str) -> Optional:
    return Optional(Format(name), True) if name in _CHECKS else NOTHING


def _constant(name: str) -> Callable[[], Format]:
    return lambda: Format(name)


def _order(left: Any, right: Any) -> int:
    return int(left > right) - int(left < right)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "quantity": amount,
    "isQuantity": _succeeds(amount),
    "sign": lambda value: _order(value.quantity.digits, 0),
    "add": lambda value, other: _sum(value, other, 1),
    "sub": lambda value, other: _sum(value, other, -1),
    "isLessThan": lambda value, other: value < other,
    "isGreaterThan": lambda value, other: value > other,
    "compareTo": _order,
    "asApproximateFloat": _approximate,
    "asInteger": _as_integer,
    "isInteger": lambda value: _integer(value) is not None,
    "semver": semver,
    "isSemver": _succeeds(semver),
    "major": lambda value: value.numbers[0],
    "minor": lambda value: value.numbers[1],
    "patch": lambda value: value.numbers[2],
    "validate": _validate,
    "format.named": _named,
    **{f"format.{name}": _constant(name) for name in _CHECKS},
}
