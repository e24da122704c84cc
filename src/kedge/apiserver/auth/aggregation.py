"""Aggregated ClusterRoles: the rules they gather from others by label."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kedge.apiserver.auth.rules import Rule, rules_of
from kedge.kube.selectors import from_object

# Who owns the rules that were gathered (the field manager of the write).
MANAGER: Final = "clusterrole-aggregation-controller"

Object = Mapping[str, Any]


def changed_roles(roles: Iterable[Object]) -> dict[str, list[Any]]:
    """Find aggregated ClusterRoles whose rules are not what they should be, with the right ones.

    One round: an aggregated role may feed another one, so ask again after the writes.
    """
    ordered = sorted(roles, key=lambda role: role["metadata"]["name"])
    changed = {}
    for role in ordered:
        if role.get("aggregationRule") is None:
            continue
        rules = gathered_rules(role, ordered)
        if tuple(map(Rule.of, rules)) != rules_of(role):
            changed[role["metadata"]["name"]] = rules
    return changed


def gathered_rules(role: Object, roles: Iterable[Object]) -> list[Any]:
    """Gather the rules of one role from others, which come sorted by name; each rule once."""
    name = role["metadata"]["name"]
    found: dict[Rule, Any] = {}
    others = [other for other in roles if other["metadata"]["name"] != name]
    for selector in role["aggregationRule"].get("clusterRoleSelectors") or ():
        matches = from_object(selector).matches
        for other in others:
            if matches(other["metadata"].get("labels") or {}):
                for rule in other.get("rules") or ():
                    found.setdefault(Rule.of(rule), rule)
    return list(found.values())
