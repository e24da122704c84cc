"""Aggregated roles gather the rules of others."""

from typing import Any

from kedge.apiserver.auth.aggregation import changed_roles
from kedge.apiserver.auth.bootstrap import roles_and_bindings

PODS = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
NODES = {"verbs": ["get"], "apiGroups": [""], "resources": ["nodes"]}


def role(name: str, labels: dict[str, str], *rules: Any, gathers: Any = None) -> dict[str, Any]:
    obj: dict[str, Any] = {"metadata": {"name": name, "labels": labels}, "rules": list(rules)}
    if gathers is not None:
        obj["aggregationRule"] = {"clusterRoleSelectors": gathers}
    return obj


def test_rules_come_by_selector_then_by_name_and_each_once() -> None:
    roles = [
        role("sum", {}, gathers=[{"matchLabels": {"b": "1"}}, {"matchLabels": {"a": "1"}}]),
        role("z", {"a": "1"}, PODS),
        role("y", {"a": "1"}, NODES, PODS),
        role("x", {"b": "1"}, {**PODS, "resourceNames": []}),
        role("w", {"c": "1"}, {**PODS, "verbs": ["list"]}),
    ]
    assert changed_roles(roles) == {"sum": [{**PODS, "resourceNames": []}, NODES]}


def test_a_role_with_the_right_rules_is_left_alone() -> None:
    everything = role("sum", {"a": "1"}, PODS, gathers=[{"matchLabels": {"a": "1"}}])
    assert changed_roles([everything, role("x", {"a": "1"}, PODS)]) == {}
    assert changed_roles([everything]) == {"sum": []}


def test_expressions_select_too_and_an_empty_selector_takes_all() -> None:
    in_ab = [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}]
    others = [role("x", {"a": "2"}, PODS), role("y", {"a": "3"}, NODES)]
    assert changed_roles([role("sum", {}, gathers=in_ab), *others]) == {"sum": [PODS]}
    assert changed_roles([role("sum", {}, gathers=[{}]), *others]) == {"sum": [PODS, NODES]}


def test_the_roles_of_a_fresh_server_settle_in_a_few_rounds() -> None:
    roles = {
        obj["metadata"]["name"]: obj for obj in roles_and_bindings() if obj["kind"] == "ClusterRole"
    }
    rounds = 0
    while changed := changed_roles(roles.values()):
        rounds += 1
        assert rounds < 5
        for name, rules in changed.items():
            roles[name]["rules"] = rules
    # As counted on a real server with the controller that gathers.
    counts = {name: len(roles[name]["rules"]) for name in ("admin", "edit", "view")}
    assert counts == {"admin": 27, "edit": 25, "view": 11}
