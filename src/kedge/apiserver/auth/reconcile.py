"""Bring the server's own roles and bindings up to date, keeping what others have added."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kedge.apiserver.auth.bootstrap import AUTOUPDATE
from kedge.apiserver.auth.rules import Rule, missing, rules_of

KEEP: Final = "keep"
CREATE: Final = "create"
UPDATE: Final = "update"
RECREATE: Final = "recreate"
"""Delete and create: the role of a binding can not change."""

Object = dict[str, Any]


class Step(NamedTuple):
    """What is to be done, and the object to write (none to keep what is there)."""

    action: str
    obj: Object | None = None


def reconcile(existing: Object | None, expected: Object) -> Step:
    """Compare what is stored with what should be there."""
    if existing is None:
        return Step(CREATE, expected)
    if _annotations(existing).get(AUTOUPDATE) == "false":
        return Step(KEEP)
    if "roleRef" in expected and existing["roleRef"] != expected["roleRef"]:
        return Step(RECREATE, expected)
    wanted = {**existing, "metadata": _merged(existing["metadata"], expected["metadata"])}
    if "roleRef" in expected:
        _add_subjects(wanted, expected)
    else:
        _add_rules(wanted, expected)
        _add_selectors(wanted, expected)
    return Step(KEEP) if wanted == existing else Step(UPDATE, wanted)


def _annotations(obj: Object) -> Mapping[str, str]:
    return obj["metadata"].get("annotations") or {}


def _merged(existing: Object, expected: Object) -> Object:
    """Labels and annotations that should be there are added; values that were changed stay."""
    merged = dict(existing)
    for name in ("labels", "annotations"):
        merged[name] = {**expected[name], **(existing.get(name) or {})}
    return merged


def _add_subjects(wanted: Object, expected: Object) -> None:
    subjects = list(wanted.get("subjects") or ())
    added = [one for one in expected.get("subjects") or () if one not in subjects]
    if added:
        wanted["subjects"] = subjects + added


def _add_rules(wanted: Object, expected: Object) -> None:
    lacking = missing(rules_of(wanted), rules_of(expected))
    if lacking:
        wanted["rules"] = list(wanted.get("rules") or ()) + [_written(rule) for rule in lacking]


def _add_selectors(wanted: Object, expected: Object) -> None:
    aggregation = expected.get("aggregationRule")
    if aggregation is None:
        wanted.pop("aggregationRule", None)
        return
    selectors = list((wanted.get("aggregationRule") or {}).get("clusterRoleSelectors") or ())
    added = [one for one in aggregation["clusterRoleSelectors"] if one not in selectors]
    if added:
        wanted["aggregationRule"] = {"clusterRoleSelectors": selectors + added}


def _written(rule: Rule) -> Object:
    fields = (
        ("verbs", rule.verbs),
        ("apiGroups", rule.groups),
        ("resources", rule.resources),
        ("resourceNames", rule.names),
        ("nonResourceURLs", rule.paths),
    )
    return {name: list(values) for name, values in fields if values}
