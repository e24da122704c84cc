"""Rules for conditions of the common form."""

import re

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.resource import Object
from kedge.kube import names

STATUSES = ("False", "True", "Unknown")
LONGEST_REASON = 1024
LONGEST_MESSAGE = 32 * 1024
REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
BAD_REASON = names.pattern_rule(
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    REASON,
    "my_name",
    "MY_NAME",
    "MyName",
    "ReasonA,ReasonB",
    "ReasonA:ReasonB",
)


def check_conditions(errors: Errors, path: str, conditions: list[Object]) -> None:
    """Check a list of conditions: complete, and one of each type."""
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        kind = condition.get("type", "")
        if kind in seen:
            errors.duplicate(f"{path}[{index}].type", kind)
        seen.add(kind)
        _check(errors, f"{path}[{index}]", condition)


def _check(errors: Errors, path: str, condition: Object) -> None:
    get = condition.get
    fields.qualified_name(errors, f"{path}.type", get("type", ""))
    fields.optional_enum(errors, f"{path}.status", get("status", ""), STATUSES)
    generation, reason = get("observedGeneration", 0), get("reason", "")
    if generation < 0:
        what = "must be greater than or equal to zero"
        errors.invalid(f"{path}.observedGeneration", generation, what)
    if not get("lastTransitionTime"):
        errors.required(f"{path}.lastTransitionTime")
    if not reason:
        errors.required(f"{path}.reason")
    else:
        if not re.fullmatch(REASON, reason):
            errors.invalid(f"{path}.reason", reason, BAD_REASON)
        if names.size(reason) > LONGEST_REASON:
            errors.too_long(f"{path}.reason", LONGEST_REASON)
    if names.size(get("message", "")) > LONGEST_MESSAGE:
        errors.too_long(f"{path}.message", LONGEST_MESSAGE)
