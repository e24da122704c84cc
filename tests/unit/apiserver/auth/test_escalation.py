"""Nobody grants what they do not have; texts are those of a real server."""

from typing import Any

import pytest

from kedge.apiserver.auth import escalation
from kedge.apiserver.auth.escalation import check_grant
from kedge.apiserver.auth.rbac import Authorizer
from kedge.apiserver.auth.users import User
from kedge.kube.errors import ApiError, BadRequest, Forbidden, NotFound, UnknownError

ALICE = User("alice", groups=("devs", "system:authenticated"))
RULES = [
    {"apiGroups": ["", "apps"], "resources": ["pods", "configmaps"], "verbs": ["get", "list"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["delete"], "resourceNames": ["a", "b"]},
]
HELD = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]
WHO = 'user "alice" (groups=["devs" "system:authenticated"])'
GRANT = f"{WHO} is attempting to grant RBAC permissions not currently held:\n"
MISSING = "\n".join(
    (
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["delete"]}',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["delete"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["configmaps"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
    )
)


def role(name: str, rules: Any, namespace: str = "", **more: Any) -> dict[str, Any]:
    kind = "Role" if namespace else "ClusterRole"
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"kind": kind, "metadata": metadata, "rules": rules, **more}


def binding(name: str, kind: str, to: str, namespace: str = "", who: str = "bob") -> dict[str, Any]:
    return {
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": to},
        "subjects": [{"kind": "User", "name": who}],
    }


@pytest.fixture
def held() -> Authorizer:
    """Give an authorizer in which Alice may read config maps."""
    authorizer = Authorizer()
    authorizer.load(
        [role("held", HELD), binding("alice", "ClusterRole", "held", who="alice")],
    )
    return authorizer


def refusal(authorizer: Authorizer, obj: dict[str, Any], *rest: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        check_grant(authorizer, ALICE, obj["kind"], obj, *(rest or (None,)))
    return caught.value


def test_a_role_with_rights_that_are_held_passes(held: Authorizer) -> None:
    check_grant(held, ALICE, "Role", role("r", HELD, "ns"), None)
    check_grant(held, ALICE, "Role", role("r", None, "ns"), None)


def test_masters_grant_anything(held: Authorizer) -> None:
    check_grant(held, User("x", groups=("system:masters",)), "Role", role("r", RULES, "ns"), None)


def test_a_role_with_more_rights_is_refused_and_each_is_named(held: Authorizer) -> None:
    error = refusal(held, role("r1", RULES, "ns"))
    assert isinstance(error, Forbidden)
    assert error.message == (f'roles.rbac.authorization.k8s.io "r1" is forbidden: {GRANT}{MISSING}')
    assert error.details == {"name": "r1", "group": "rbac.authorization.k8s.io", "kind": "roles"}


def test_a_name_that_is_still_to_be_generated_is_not_told(held: Authorizer) -> None:
    obj = role("", RULES, "ns")
    obj["metadata"] = {"generateName": "r", "namespace": "ns"}
    error = refusal(held, obj)
    assert error.message.startswith(f"roles.rbac.authorization.k8s.io is forbidden: {GRANT}")
    assert error.details == {"group": "rbac.authorization.k8s.io", "kind": "roles"}


def test_paths_are_named_one_by_one(held: Authorizer) -> None:
    rules = [{"nonResourceURLs": ["/x"], "verbs": ["get", "put"]}]
    assert refusal(held, role("r1", rules)).message == (
        f'clusterroles.rbac.authorization.k8s.io "r1" is forbidden: {GRANT}'
        '{NonResourceURLs:["/x"], Verbs:["get"]}\n{NonResourceURLs:["/x"], Verbs:["put"]}'
    )


def test_roles_that_could_not_be_resolved_are_told(held: Authorizer) -> None:
    held.load([binding("gone", "ClusterRole", "nope", who="alice")])
    error = refusal(held, role("r", [RULES[1]]))
    assert error.message.endswith(
        '; resolution errors: [clusterroles.rbac.authorization.k8s.io "nope" not found]'
    )
    held.load([binding("too", "Role", "lost", "ns", who="alice")])
    error = refusal(held, role("r", [RULES[1]], "ns"))
    assert error.message.endswith(
        '; resolution errors: [[roles.rbac.authorization.k8s.io "nope" not found, '
        'roles.rbac.authorization.k8s.io "lost" not found]]'
    )


@pytest.mark.parametrize(
    ("names", "path", "allowed"),
    [
        pytest.param([], "", True, id="any role"),
        pytest.param(["r"], "r", True, id="the one in the path"),
        pytest.param(["r"], "", False, id="no name in the path of a POST"),
    ],
)
def test_the_verb_escalate_lifts_the_check(
    held: Authorizer, names: list[str], path: str, allowed: bool
) -> None:
    rule = {
        "apiGroups": ["rbac.authorization.k8s.io"],
        "resources": ["roles"],
        "verbs": ["escalate"],
        "resourceNames": names,
    }
    held.load([role("held", [*HELD, rule])])
    if allowed:
        check_grant(held, ALICE, "Role", role("r", RULES, "ns"), None, path)
    else:
        refusal(held, role("r", RULES, "ns"), None, path)


def test_an_update_is_checked_by_its_own_name(held: Authorizer) -> None:
    rule = {
        "apiGroups": ["rbac.authorization.k8s.io"],
        "resources": ["roles"],
        "verbs": ["escalate"],
        "resourceNames": ["r"],
    }
    held.load([role("held", [*HELD, rule])])
    check_grant(held, ALICE, "Role", role("r", RULES, "ns"), role("r", HELD, "ns"))


def test_an_aggregation_takes_the_right_to_everything(held: Authorizer) -> None:
    gathers: Any = {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}
    text = "must have cluster-admin privileges to use the aggregationRule"
    message = f'clusterroles.rbac.authorization.k8s.io "r1" is forbidden: {text}'
    assert refusal(held, role("r1", None, **gathers)).message == message
    assert refusal(held, role("r1", None), role("r1", None, **gathers)).message == message
    everything = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]
    held.load([role("held", everything)])
    check_grant(held, ALICE, "ClusterRole", role("r1", None, **gathers), None)


def test_what_only_the_garbage_collector_changes_passes(held: Authorizer) -> None:
    old = role("r", RULES, "ns")
    old["metadata"]["finalizers"] = ["a"]
    new = role("r", RULES, "ns")
    new["metadata"]["ownerReferences"] = [{"uid": "1"}]
    check_grant(held, ALICE, "Role", new, old)
    new["metadata"]["labels"] = {"a": "b"}
    refusal(held, new, old)


def test_a_binding_that_is_collected_passes(held: Authorizer) -> None:
    old = binding("b", "ClusterRole", "gone", "ns")
    new = binding("b", "ClusterRole", "gone", "ns")
    new["metadata"]["finalizers"] = ["foregroundDeletion"]
    check_grant(held, ALICE, "RoleBinding", new, old)
    new["subjects"] = []
    assert isinstance(refusal(held, new, old), NotFound)


def test_a_binding_to_rights_that_are_held_passes(held: Authorizer) -> None:
    check_grant(held, ALICE, "RoleBinding", binding("b", "ClusterRole", "held", "ns"), None)
    check_grant(held, ALICE, "ClusterRoleBinding", binding("b", "ClusterRole", "held"), None)


def test_a_binding_to_more_rights_is_refused(held: Authorizer) -> None:
    held.load([role("big", RULES, "ns")])
    assert refusal(held, binding("b2", "Role", "big", "ns")).message == (
        f'rolebindings.rbac.authorization.k8s.io "b2" is forbidden: {GRANT}{MISSING}'
    )


def test_the_verb_bind_lifts_the_check(held: Authorizer) -> None:
    rule = {
        "apiGroups": ["rbac.authorization.k8s.io"],
        "resources": ["clusterroles"],
        "verbs": ["bind"],
        "resourceNames": ["big"],
    }
    held.load([role("big", RULES), role("other", RULES), role("held", [*HELD, rule])])
    check_grant(held, ALICE, "RoleBinding", binding("b", "ClusterRole", "big", "ns"), None)
    refusal(held, binding("b", "ClusterRole", "other", "ns"))


@pytest.mark.parametrize(
    ("obj", "error", "message"),
    [
        pytest.param(
            binding("b2", "Role", "absent", "ns"),
            NotFound,
            'rolebindings.rbac.authorization.k8s.io "absent" not found',
            id="no such role",
        ),
        pytest.param(
            binding("b2", "ClusterRole", "absent"),
            NotFound,
            'clusterrolebindings.rbac.authorization.k8s.io "absent" not found',
            id="no such cluster role",
        ),
        pytest.param(
            binding("b2", "Role", "r"),
            BadRequest,
            "Namespace parameter required.",
            id="a role for the cluster",
        ),
        pytest.param(
            binding("b2", "ClusterRole", ""), BadRequest, "Name parameter required.", id="no name"
        ),
        pytest.param(
            binding("b2", "Role", "a/b", "ns"),
            BadRequest,
            "Name parameter invalid: \"a/b\": may not contain '/'",
            id="a name with a slash",
        ),
        pytest.param(
            binding("b2", "Foo", "view", "ns"),
            UnknownError,
            'unsupported role reference kind: "Foo"',
            id="another kind",
        ),
    ],
)
def test_a_binding_to_nothing_fails_as_reading_it_does(
    held: Authorizer, obj: dict[str, Any], error: type[ApiError], message: str
) -> None:
    found = refusal(held, obj)
    assert type(found) is error
    assert found.message == message


def test_a_binding_without_a_role_has_no_reason_and_code_500(held: Authorizer) -> None:
    obj = {"kind": "RoleBinding", "metadata": {"name": "b", "namespace": "ns"}}
    status = refusal(held, obj).status
    assert status["message"] == 'unsupported role reference kind: ""'
    assert status["code"] == 500
    assert "reason" not in status


def test_lists_that_multiply_beyond_measure_are_refused_at_once(
    held: Authorizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(escalation, "MAX_COMBINATIONS", 10)
    rule = {"apiGroups": ["a"] * 3, "resources": ["b"] * 3, "verbs": ["get", "list"]}
    error = refusal(held, role("r", [rule]))
    assert isinstance(error, Forbidden)
    assert "more than 10 RBAC permissions at once" in error.message
