"""Conditions and phases of the kinds of self-service: phases never go back. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from kedge.api.nonadmin.stage import PHASES
from kedge.kube.conditions import Condition, condition, find_condition
from kedge.kube.conditions import set_condition as put_condition


class ConditionType(StrEnum):
    """What a condition is about; they are listed in this order."""

    ACCEPTED = "Accepted"
    QUEUED = "Queued"
    DELETING = "Deleting"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"


TRUE: Final = "True"
FALSE: Final = "False"
MESSAGE_LIMIT: Final = 32768
_ORDER: Final = {each.value: rank for rank, each in enumerate(ConditionType)}
_RANKS: Final = {phase: rank for rank, phase in enumerate(PHASES, 1)}


@dataclass(frozen=True, slots=True)
class Saying:
    """A condition that holds now."""

    type: ConditionType
    status: str
    reason: str
    message: str


def later(old: str, new: str) -> str:
    """Give the later of two phases; one that nobody knows is earlier than all.

    >>> later("Created", "BackingOff")
    'Created'
    """
    return new if _RANKS.get(new, 0) > _RANKS.get(old, 0) else old


def with_conditions(
    old: Sequence[Mapping[str, Any]] | None,
    sayings: Sequence[Saying],
    generation: int,
    now: str,
) -> list[Condition]:
    """Put in some conditions, found for a generation; times move only with a status."""
    conditions: list[Condition] = [dict(each) for each in old or ()]
    for one in sayings:
        new = condition(one.type, one.status, one.reason, one.message[:MESSAGE_LIMIT])
        new["observedGeneration"] = generation
        is_there = find_condition(conditions, one.type) is not None
        conditions = put_condition(conditions, new, now)
        if not is_there:
            conditions = _placed(conditions)
    return conditions


def _placed(conditions: list[Condition]) -> list[Condition]:
    """Put the last condition before the first known one that is listed after it."""
    *others, new = conditions
    rank = _ORDER[new["type"]]
    index = next(
        (at for at, one in enumerate(others) if _ORDER.get(one.get("type", ""), -1) > rank),
        len(others),
    )
    return [*others[:index], new, *others[index:]]
