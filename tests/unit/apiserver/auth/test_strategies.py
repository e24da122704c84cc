"""Defaults and rules of roles and bindings; texts are those of a real server."""

from typing import Any

import pytest

from kedge.apiserver.auth.strategies import (
    ClusterRoleBindingStrategy,
    ClusterRoleStrategy,
    RoleBindingStrategy,
    RoleStrategy,
)
from kedge.apiserver.resource import Context, Strategy

GROUP = "rbac.authorization.k8s.io"
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.',"
    " and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def errors(strategy: Strategy, obj: dict[str, Any]) -> list[str]:
    obj.setdefault("metadata", {"name": "x"})
    strategy.default(obj)
    return [str(error) for error in strategy.validate(obj, Context())]


def test_rules_of_a_role_are_checked() -> None:
    rules = [
        {},
        {"verbs": ["get"], "nonResourceURLs": ["/x", "/y"], "resources": ["a"]},
        {"verbs": ["get"], "resources": ["a"]},
        {"verbs": ["get"], "resources": ["a"], "apiGroups": [""]},
    ]
    assert errors(RoleStrategy(), {"rules": rules}) == [
        "rules[0].verbs: Required value: verbs must contain at least one value",
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource",
        'rules[1].nonResourceURLs: Invalid value: ["/x","/y"]: '
        "namespaced rules cannot apply to non-resource URLs",
        'rules[1].nonResourceURLs: Invalid value: ["/x","/y"]: '
        "rules cannot apply to both regular resources and non-resource URLs",
        "rules[2].apiGroups: Required value: resource rules must supply at least one api group",
    ]
    assert errors(RoleStrategy(), {"rules": None}) == []


def test_a_cluster_role_may_name_paths() -> None:
    rules = [
        {"verbs": ["get"], "nonResourceURLs": ["/x"]},
        {"verbs": ["get"], "nonResourceURLs": ["/x"], "resourceNames": ["a"]},
    ]
    assert errors(ClusterRoleStrategy(), {"rules": rules}) == [
        'rules[1].nonResourceURLs: Invalid value: ["/x"]: '
        "rules cannot apply to both regular resources and non-resource URLs"
    ]


def test_an_aggregation_needs_selectors_that_make_sense() -> None:
    path = "aggregationRule.clusterRoleSelectors"
    assert errors(ClusterRoleStrategy(), {"aggregationRule": {}}) == [
        f"{path}: Required value: at least one clusterRoleSelector required "
        "if aggregationRule is non-nil"
    ]
    selectors = [
        {"matchLabels": {"a": "b"}},
        {"matchExpressions": [{"key": "a", "operator": "In"}, {"key": "a", "operator": "Foo"}]},
    ]
    found = errors(ClusterRoleStrategy(), {"aggregationRule": {"clusterRoleSelectors": selectors}})
    assert found == [
        f"{path}[1].matchExpressions[0].values: Required value: "
        "must be specified when `operator` is 'In' or 'NotIn'",
        f'{path}[1].matchExpressions[1].operator: Invalid value: "Foo": '
        "not a valid selector operator",
        f"{path}[1]: Invalid value: null: invalid label selector.",
    ]


def test_api_groups_are_filled_in_for_roles_users_and_groups() -> None:
    obj: dict[str, Any] = {
        "roleRef": {"kind": "Role", "name": "r"},
        "subjects": [
            {"kind": "ServiceAccount", "name": "a"},
            {"kind": "User", "name": "u"},
            {"kind": "Group", "name": "g", "apiGroup": "x"},
            {"kind": "Other"},
        ],
    }
    RoleBindingStrategy().default(obj)
    assert obj["roleRef"]["apiGroup"] == GROUP
    assert [one.get("apiGroup") for one in obj["subjects"]] == [None, GROUP, "x", None]


def test_a_binding_needs_a_role() -> None:
    assert errors(RoleBindingStrategy(), {}) == [
        'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
        "roleRef.name: Required value",
    ]


def test_role_and_subjects_of_a_binding_are_checked() -> None:
    obj = {
        "roleRef": {"apiGroup": "x", "kind": "Foo", "name": "a/b"},
        "subjects": [
            {},
            {"kind": "User"},
            {"kind": "ServiceAccount", "name": "A", "apiGroup": "x"},
            {"kind": "Group", "name": "g", "apiGroup": "x"},
        ],
    }
    assert errors(RoleBindingStrategy(), obj) == [
        f'roleRef.apiGroup: Unsupported value: "x": supported values: "{GROUP}"',
        'roleRef.kind: Unsupported value: "Foo": supported values: "Role", "ClusterRole"',
        "roleRef.name: Invalid value: \"a/b\": may not contain '/'",
        "subjects[0].name: Required value",
        'subjects[0].kind: Unsupported value: "": '
        'supported values: "ServiceAccount", "User", "Group"',
        "subjects[1].name: Required value",
        f'subjects[2].name: Invalid value: "A": {SUBDOMAIN}',
        'subjects[2].apiGroup: Unsupported value: "x": supported values: ""',
        f'subjects[3].apiGroup: Unsupported value: "x": supported values: "{GROUP}"',
    ]


def test_a_cluster_role_binding_takes_cluster_roles_and_full_service_accounts() -> None:
    obj = {
        "roleRef": {"kind": "Role", "name": ".."},
        "subjects": [{"kind": "ServiceAccount", "name": "a"}],
    }
    assert errors(ClusterRoleBindingStrategy(), obj) == [
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        "roleRef.name: Invalid value: \"..\": may not be '..'",
        "subjects[0].namespace: Required value",
    ]


def test_the_role_of_a_binding_can_not_change_and_causes_come_twice() -> None:
    strategy = RoleBindingStrategy()
    old: dict[str, Any] = {"roleRef": {"kind": "Role", "name": "ok"}}
    new: dict[str, Any] = {
        "roleRef": {"kind": "ClusterRole", "name": "ok"},
        "subjects": [{"kind": "X", "name": "a"}],
    }
    for obj in (old, new):
        obj["metadata"] = {"name": "x", "namespace": "y", "resourceVersion": "1"}
        strategy.default(obj)
    bad_kind = (
        'subjects[0].kind: Unsupported value: "X": '
        'supported values: "ServiceAccount", "User", "Group"'
    )
    assert [str(error) for error in strategy.validate_update(new, old, Context())] == [
        bad_kind,
        bad_kind,
        f'roleRef: Invalid value: {{"APIGroup":"{GROUP}","Kind":"ClusterRole","Name":"ok"}}: '
        "cannot change roleRef",
    ]
    assert strategy.validate_update(old, dict(old), Context()) == []


@pytest.mark.parametrize(
    "strategy",
    [
        RoleStrategy(),
        ClusterRoleStrategy(),
        RoleBindingStrategy(),
        ClusterRoleBindingStrategy(),
    ],
)
def test_roles_and_bindings_take_odd_names_and_are_created_by_put(strategy: Strategy) -> None:
    assert strategy.validate_name("system:Odd Name", False) == []
    assert strategy.validate_name("a/b%", False) == ["may not contain '/'", "may not contain '%'"]
    assert strategy.allow_create_on_update
    assert not strategy.has_generation
    assert strategy.reset_fields("") == ()
    obj = {"status": "kept"}
    strategy.prepare_create(obj, Context())
    assert obj == {"status": "kept"}
