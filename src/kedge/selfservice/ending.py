"""How a request ended, as a condition that `kubectl wait` can wait for. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kedge.kube.conditions import is_condition
from kedge.kube.foreign import cut
from kedge.selfservice.conditions import FALSE, TRUE, ConditionType, Saying

COMPLETED: Final = "Completed"
_DELETING: Final = "Deleting"
_BAD: Final = {
    "FailedValidation": "was refused",
    "PartiallyFailed": "has failed in part",
    "Failed": "has failed",
}

_ENDS: Final = (ConditionType.SUCCEEDED, ConditionType.FAILED)
_LASTING: Final = (ConditionType.QUEUED, *_ENDS)

Conditions = Sequence[Mapping[str, Any]] | None


def ending(what: str, status: Mapping[str, Any], old: Conditions) -> list[Saying]:
    """Say how a Velero Backup or Restore ended; nothing while it has not.

    While it is deleted, and where that has failed, its phase does not tell any more.
    `what` is Backup or Restore, `old` are the conditions so far.
    """
    phase = str(status.get("phase") or "")
    if phase == COMPLETED:
        text = _words(what, "is completed", _numbers(status))
        saying = Saying(ConditionType.SUCCEEDED, TRUE, f"{what}{COMPLETED}", text)
        return [saying, *mended(f"{what}{COMPLETED}", text, old)]
    if phase in _BAD:
        reasons = status.get("failureReason") or "; ".join(
            map(str, status.get("validationErrors") or ())
        )
        text = _words(what, _BAD[phase], cut(str(reasons)) or _numbers(status))
        reason, has_succeeded = f"{what}{phase}", is_condition(old, ConditionType.SUCCEEDED)
        undone = [Saying(ConditionType.SUCCEEDED, FALSE, reason, text)] if has_succeeded else []
        return [*undone, failed(reason, text)]
    return _ends(old) if phase == _DELETING else []


def lasting(old: Conditions) -> list[Saying]:
    """Say again, of a later generation, what no deletion changes: what was made, how it ended.

    Who waits with kubectl hears only of what is said of the newest one.
    """
    return [
        Saying(ConditionType(one["type"]), one["status"], one["reason"], one["message"])
        for one in old or ()
        if one.get("type") in _LASTING
    ]


def _ends(old: Conditions) -> list[Saying]:
    return [one for one in lasting(old) if one.type in _ENDS]


def failed(reason: str, message: str) -> Saying:
    """Say that a request came to nothing, unless somebody does something about it."""
    return Saying(ConditionType.FAILED, TRUE, reason, message)


def gone(reason: str, message: str, old: Conditions) -> list[Saying]:
    """Say that what was made is gone: this is the end, unless there was another one before.

    What was said goes on to hold, whatever the spec says by now: nothing is made of it any more.
    """
    said = {one.type: one for one in lasting(old) if one.status == TRUE}
    if said.keys() <= {ConditionType.QUEUED}:
        said[ConditionType.FAILED] = failed(reason, message)
    return list(said.values())


def mended(reason: str, message: str, old: Conditions) -> list[Saying]:
    """Say that what had failed has not any more; nothing where it had not."""
    if not is_condition(old, ConditionType.FAILED):
        return []
    return [Saying(ConditionType.FAILED, FALSE, reason, message)]


def _numbers(status: Mapping[str, Any]) -> str:
    return ", ".join(f"{status[key]} {key}" for key in ("errors", "warnings") if status.get(key))


def _words(what: str, fate: str, more: str) -> str:
    text = f"the {what.lower()} {fate}"
    return f"{text}: {more}" if more else text
