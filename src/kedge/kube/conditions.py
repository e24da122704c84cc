"""Conditions in a status: what holds now, since when, and why."""

from collections.abc import Mapping, Sequence
from typing import Any

Condition = dict[str, Any]


def condition(kind: str, status: str, reason: str, message: str = "") -> Condition:
    """Make a condition; `status` is True, False or Unknown as text."""
    return {"type": kind, "status": status, "reason": reason, "message": message}


def find_condition(
    conditions: Sequence[Mapping[str, Any]] | None, kind: str
) -> Mapping[str, Any] | None:
    """Give the condition of this type, if there is one."""
    return next((each for each in conditions or () if each.get("type") == kind), None)


def is_condition(
    conditions: Sequence[Mapping[str, Any]] | None, kind: str, status: str = "True"
) -> bool:
    """Tell whether the condition of this type is there with this status."""
    found = find_condition(conditions, kind)
    return found is not None and found.get("status") == status


def set_condition(
    conditions: Sequence[Mapping[str, Any]] | None, new: Mapping[str, Any], now: str
) -> list[Condition]:
    """Put in a condition, in its old place or last; its time moves only with its status.

    `now` is the time as text; a `lastTransitionTime` in `new` goes before it.
    """
    result: list[Condition] = [dict(each) for each in conditions or ()]
    time = new.get("lastTransitionTime") or now
    for index, old in enumerate(result):
        if old.get("type") == new["type"]:
            if old.get("status") == new.get("status"):
                time = old.get("lastTransitionTime") or now
            result[index] = {**old, **new, "lastTransitionTime": time}
            return result
    return [*result, {**new, "lastTransitionTime": time}]


def remove_condition(
    conditions: Sequence[Mapping[str, Any]] | None, kind: str
) -> list[Mapping[str, Any]]:
    """Leave out the conditions of this type."""
    return [each for each in conditions or () if each.get("type") != kind]
