"""What a merge patch must say to make one object another. Pure."""

from collections.abc import Mapping
from typing import Any


def change_to(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, Any]:
    """Give the change; empty where there is none. What is None, or not in the new one, is removed.

    >>> change_to({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 1, "b": {"c": 4}})
    {'b': {'c': 4, 'd': None}}
    """
    known = old or {}
    change: dict[str, Any] = {}
    for name, value in new.items():
        before = known.get(name)
        if value == before:
            continue  # most are, and to compare is cheaper than to look inside
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            if inner := change_to(before, value):
                change[name] = inner
        else:
            change[name] = _bare(value)
    for name, value in known.items():
        if name not in new and value is not None:
            change[name] = None
    return change


def _bare(value: Any) -> Any:
    """Leave out what is None in a value that takes the place of another."""
    if isinstance(value, Mapping):
        return {name: _bare(each) for name, each in value.items() if each is not None}
    return value
