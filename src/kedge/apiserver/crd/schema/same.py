"""Equality of JSON values as Go sees it: 1, 1.0 and true are three different values."""

from typing import Any


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are deeply equal, types included."""
    kind = left.__class__
    if kind is not right.__class__:
        return False
    if kind is dict:
        return len(left) == len(right) and all(
            key in right and same(value, right[key]) for key, value in left.items()
        )
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)
