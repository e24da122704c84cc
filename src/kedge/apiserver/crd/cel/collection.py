"""Functions on lists and maps."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from kedge.apiserver.crd.cel.arithmetic import add, comparable
from kedge.apiserver.crd.cel.reading import equal
from kedge.apiserver.crd.cel.value import CelError, no_such_overload


def size(value: Any) -> int:
    """Count items, entries, characters or bytes."""
    if value.__class__ not in (str, bytes, list, dict):
        raise no_such_overload()
    return len(value)


def index_of(items: list[Any], wanted: Any) -> int:
    """Find the first place of an item, or -1."""
    return next((i for i, item in enumerate(items) if equal(item, wanted)), -1)


def last_index_of(items: list[Any], wanted: Any) -> int:
    """Find the last place of an item, or -1."""
    found = index_of(items[::-1], wanted)
    return len(items) - 1 - found if found >= 0 else -1


def is_sorted(items: list[Any]) -> bool:
    """Say whether items ascend."""
    for left, right in pairwise(items):
        comparable(left, right)
        if left > right:
            return False
    return True


def total(items: list[Any]) -> Any:
    """Add all items."""
    if not items:
        return 0
    result = items[0]
    for item in items[1:]:
        result = add(result, item)
    return result


def _extreme(name: str) -> Callable[[list[Any]], Any]:
    def find(items: list[Any]) -> Any:
        if not items:
            raise CelError(f"{name} called on empty list")
        best = items[0]
        for item in items[1:]:
            comparable(item, best)
            if item < best if name == "min" else item > best:
                best = item
        return best

    return find


def _within(items: list[Any], wanted: list[Any]) -> bool:
    return all(any(equal(one, other) for other in items) for one in wanted)


def insert(target: dict[Any, Any], *entry: Any) -> dict[Any, Any]:
    """Add an entry, or the entries of a map, to a copy of a map."""
    fresh = dict([entry]) if len(entry) == 2 else entry[0]
    for key in fresh:
        if key in target:
            raise CelError(f"insert failed: key {key} already exists")
    return {**target, **fresh}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "size": size,
    "isSorted": is_sorted,
    "sum": total,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "sets.contains": _within,
    "sets.equivalent": lambda left, right: _within(left, right) and _within(right, left),
    "sets.intersects": lambda left, right: any(equal(a, b) for a in left for b in right),
    "cel.@mapInsert": insert,
}
