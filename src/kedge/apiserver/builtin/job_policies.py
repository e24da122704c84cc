"""Rules for when a job fails or succeeds before all its pods have run."""

import re

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_struct
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.fielderror import OMITTED, Shown
from kedge.kube.gotext import quote, to_json

MOST_RULES = 20
MOST_CODES = 255
MOST_PATTERNS = 20
LONGEST_INDEXES = 64 * 1024
ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
OPERATORS = ("In", "NotIn")
STATUSES = ("False", "True", "Unknown")
NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


class BadIndexes(ValueError):
    """A text that is no list of indexes, in Kubernetes' words."""


def check_failure_policy(errors: Errors, path: str, spec: Object) -> None:
    """Check which failures of pods end the job, or do not count."""
    rules = spec["podFailurePolicy"].get("rules") or ()
    if len(rules) > MOST_RULES:
        errors.too_many(f"{path}.rules", len(rules), MOST_RULES)
    pod = (spec.get("template") or {}).get("spec") or {}
    known = {
        container.get("name", "")
        for kind in ("containers", "initContainers")
        for container in pod.get(kind) or ()
    }
    for index, rule in enumerate(rules):
        _check_rule(errors, f"{path}.rules[{index}]", rule, spec, known)


def _check_rule(errors: Errors, path: str, rule: Object, spec: Object, known: set[str]) -> None:
    action, codes = rule.get("action", ""), rule.get("onExitCodes")
    conditions = rule.get("onPodConditions") or ()
    if not action:
        errors.required(f"{path}.action", f"valid values: {_listed(ACTIONS)}")
    elif action == "FailIndex":
        if "backoffLimitPerIndex" not in spec:
            what = "requires the backoffLimitPerIndex to be set"
            errors.invalid(f"{path}.action", action, what)
    elif action not in ACTIONS:
        errors.unsupported(f"{path}.action", action, ACTIONS)
    if codes is not None:
        _check_codes(errors, f"{path}.onExitCodes", codes, known)
    if conditions:
        _check_conditions(errors, f"{path}.onPodConditions", conditions)
    if codes is not None and conditions:
        what = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.invalid(path, OMITTED, what)
    if codes is None and not conditions:
        what = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.invalid(path, OMITTED, what)


def _listed(values: tuple[str, ...]) -> str:
    return f"[{' '.join(map(quote, values))}]"


def _check_codes(errors: Errors, path: str, codes: Object, known: set[str]) -> None:
    operator, values = codes.get("operator", ""), codes.get("values") or []
    if not operator:
        errors.required(f"{path}.operator", f"valid values: {_listed(OPERATORS)}")
    else:
        fields.optional_enum(errors, f"{path}.operator", operator, OPERATORS)
    name = codes.get("containerName")
    if name is not None and name not in known:
        what = "must be one of the container or initContainer names in the pod template"
        errors.invalid(f"{path}.containerName", name, what)
    where = f"{path}.values"
    if not values:
        shown = Shown(to_json(codes.get("values")))
        errors.invalid(where, shown, "at least one value is required")
    elif len(values) > MOST_CODES:
        errors.too_many(where, len(values), MOST_CODES)
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            errors.invalid(f"{where}[{index}]", value, "must not be 0 for the In operator")
        if value in values[:index]:
            errors.duplicate(f"{where}[{index}]", value)
    if values != sorted(values):
        errors.invalid(where, Shown(to_json(values)), "must be ordered")


def _check_conditions(errors: Errors, path: str, patterns: list[Object]) -> None:
    if len(patterns) > MOST_PATTERNS:
        errors.too_many(path, len(patterns), MOST_PATTERNS)
    for index, pattern in enumerate(patterns):
        where, status = f"{path}[{index}]", pattern.get("status", "")
        fields.qualified_name(errors, f"{where}.type", pattern.get("type", ""))
        if not status:
            errors.required(f"{where}.status", f"valid values: {_listed(STATUSES)}")
        else:
            fields.optional_enum(errors, f"{where}.status", status, STATUSES)


def check_success_policy(errors: Errors, path: str, spec: Object) -> None:
    """Check which indexes are enough for success."""
    policy = spec["successPolicy"]
    if spec.get("completionMode") != "Indexed":
        shown = shown_struct("SuccessPolicy", policy)
        errors.invalid(path, shown, "requires indexed completion mode")
        return
    rules = policy.get("rules") or ()
    if not rules:
        what = "at least one rules must be specified when the successPolicy is specified"
        errors.required(f"{path}.rules", what)
    if len(rules) > MOST_RULES:
        errors.too_many(f"{path}.rules", len(rules), MOST_RULES)
    for index, rule in enumerate(rules):
        _check_success_rule(errors, f"{path}.rules[{index}]", rule, spec.get("completions") or 0)


def _check_success_rule(errors: Errors, path: str, rule: Object, completions: int) -> None:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        what = "at least one of succeededCount or succeededIndexes must be specified"
        errors.required(path, what)
    total = 0
    if indexes is not None:
        where = f"{path}.succeededIndexes"
        if names.size(indexes) > LONGEST_INDEXES:
            errors.too_long(where, LONGEST_INDEXES)
        try:
            total = count_indexes(indexes, completions)
        except BadIndexes as wrong:
            errors.invalid(where, indexes, f"error parsing succeededIndexes: {wrong}")
    if count is None:
        return
    where = f"{path}.succeededCount"
    fields.non_negative(errors, where, count)
    least = "must be less than or equal to"
    if count > completions:
        what = f"{least} {completions} (the number of specified completions)"
        errors.invalid(where, count, what)
    if indexes is not None and count > total:
        of = "the number of indexes in the specified succeededIndexes field"
        errors.invalid(where, count, f"{least} {total} ({of})")


def count_indexes(text: str, completions: int) -> int:
    """Count the indexes of a list such as `0-3,5`, or raise what is wrong with it."""
    total, last = 0, -1
    for piece in text.split(",") if text else ():
        first, end = interval(piece, completions)
        if last >= first and total:
            raise BadIndexes(f"non-increasing order, previous: {last}, current: {first}")
        total += end - first + 1
        last = end
    return total


def interval(piece: str, completions: int) -> tuple[int, int]:
    """Read one index or a range of them, or raise what is wrong with it."""
    parts = piece.split("-")
    if len(parts) > 2:
        raise BadIndexes(
            f"the fragment {quote(piece)} violates the requirement that an index interval can "
            "have at most two parts separated by '-'"
        )
    numbers = []
    for part in parts:
        if not NUMBER.fullmatch(part):
            raise BadIndexes(f"cannot convert string to integer for index: {quote(part)}")
        if int(part) >= completions:
            raise BadIndexes(f"too large index: {quote(part)}")
        numbers.append(int(part))
    if len(numbers) == 2 and numbers[0] >= numbers[1]:
        raise BadIndexes(f"non-increasing order, previous: {numbers[0]}, current: {numbers[1]}")
    return numbers[0], numbers[-1]
