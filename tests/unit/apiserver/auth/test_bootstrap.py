"""What a fresh server holds."""

from collections import Counter

import pytest

from kedge.apiserver.auth import bootstrap
from kedge.apiserver.auth.rules import rules_of
from kedge.apiserver.auth.strategies import (
    ClusterRoleBindingStrategy,
    ClusterRoleStrategy,
    RoleBindingStrategy,
    RoleStrategy,
)
from kedge.apiserver.resource import Context

STRATEGIES = {
    "Role": RoleStrategy(),
    "ClusterRole": ClusterRoleStrategy(),
    "RoleBinding": RoleBindingStrategy(),
    "ClusterRoleBinding": ClusterRoleBindingStrategy(),
}


def test_roles_and_bindings_are_those_of_a_real_server() -> None:
    objects = bootstrap.roles_and_bindings()
    assert Counter(obj["kind"] for obj in objects) == {
        "ClusterRole": 68,
        "ClusterRoleBinding": 49,
        "Role": 7,
        "RoleBinding": 7,
    }
    admin = objects[0]
    assert admin == {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {
            "name": "cluster-admin",
            "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        },
        "rules": [
            {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
            {"verbs": ["*"], "nonResourceURLs": ["*"]},
        ],
    }


def test_aggregated_roles_begin_without_rules() -> None:
    view = next(obj for obj in bootstrap.roles_and_bindings() if obj["metadata"]["name"] == "view")
    assert rules_of(view) == ()
    assert view["aggregationRule"]["clusterRoleSelectors"]
    assert view["metadata"]["labels"] == {
        "kubernetes.io/bootstrapping": "rbac-defaults",
        "rbac.authorization.k8s.io/aggregate-to-edit": "true",
    }


@pytest.mark.parametrize("kind", STRATEGIES)
def test_all_of_them_are_valid_and_need_no_defaults(kind: str) -> None:
    for obj in bootstrap.roles_and_bindings():
        if obj["kind"] == kind:
            before = str(obj)
            STRATEGIES[kind].default(obj)
            assert str(obj) == before
            assert STRATEGIES[kind].validate(obj, Context()) == []


def test_every_binding_finds_its_role() -> None:
    objects = bootstrap.roles_and_bindings()
    known = {
        (obj["kind"], obj["metadata"].get("namespace"), obj["metadata"]["name"]): obj
        for obj in objects
    }
    for obj in objects:
        if "roleRef" in obj:
            reference = obj["roleRef"]
            namespace = obj["metadata"].get("namespace") if reference["kind"] == "Role" else None
            assert (reference["kind"], namespace, reference["name"]) in known


def test_the_rest_of_a_fresh_server_is_described() -> None:
    assert [obj["metadata"]["name"] for obj in bootstrap.namespaces()] == [
        "kube-system",
        "kube-public",
        "default",
        "kube-node-lease",
    ]
    values = {obj["metadata"]["name"]: obj["value"] for obj in bootstrap.priority_classes()}
    assert values == {
        "system-node-critical": 2000001000,
        "system-cluster-critical": 2000000000,
    }
