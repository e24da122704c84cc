"""Whether two values mean the same: quantities by their amount, empty lists as missing ones."""

from collections.abc import Mapping
from typing import Any

from kedge.kube.quantity import QuantityError, parse_quantity

# Fields whose values are quantities, or maps of them.
QUANTITIES = frozenset(
    ("limits", "requests", "overhead", "sizeLimit", "divisor", "capacity", "allocatedResources")
)


def same(left: Any, right: Any) -> bool:
    """Tell whether two values of one type mean the same."""
    return left == right or _same(left, right, False)


def _same(left: Any, right: Any, quantity: bool) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return _same_maps(left, right, quantity)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            a == b or _same(a, b, quantity) for a, b in zip(left, right, strict=True)
        )
    if quantity and isinstance(left, str) and isinstance(right, str):
        return _same_amount(left, right)
    # Go's nil and empty lists are one.
    return bool(left == right) or (left in (None, []) and right in (None, []))


def _same_amount(left: str, right: str) -> bool:
    try:
        return parse_quantity(left) == parse_quantity(right)
    except QuantityError:  # requests of a resource claim are a list with names
        return False


def _same_maps(left: Mapping[str, Any], right: Mapping[str, Any], quantity: bool) -> bool:
    for key in left.keys() | right.keys():
        a, b = left.get(key), right.get(key)
        if a != b and not _same(a, b, quantity or key in QUANTITIES):
            return False
    return True
