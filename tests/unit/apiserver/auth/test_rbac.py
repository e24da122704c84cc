"""The authorizer: roles and bindings to decisions and reasons."""

from typing import Any

import pytest

from kedge.apiserver.auth import rbac
from kedge.apiserver.auth.attributes import Attributes
from kedge.apiserver.auth.rbac import Authorizer, Decision
from kedge.apiserver.auth.users import NOBODY, User

ALICE = User("alice", groups=("devs", "system:authenticated"))
PODS = [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]


def role(name: str, rules: list[Any], namespace: str = "") -> dict[str, Any]:
    kind = "Role" if namespace else "ClusterRole"
    return {"kind": kind, "metadata": {"name": name, "namespace": namespace}, "rules": rules}


def binding(
    name: str, reference: tuple[str, str], subject: dict[str, str], namespace: str = ""
) -> dict[str, Any]:
    return {
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"kind": reference[0], "name": reference[1]},
        "subjects": [{"kind": "User", "name": "nobody"}, subject],
    }


def made(*objects: dict[str, Any]) -> Authorizer:
    authorizer = Authorizer()
    authorizer.load(objects)
    return authorizer


def get_pod(user: User = ALICE, namespace: str = "ns", name: str = "x") -> Attributes:
    return Attributes(user, "get", namespace, resource="pods", name=name)


def test_without_roles_only_masters_may() -> None:
    authorizer = Authorizer()
    assert authorizer.authorize(get_pod()) == Decision(False)
    assert authorizer.authorize(get_pod(User("x", groups=("system:masters",)))) == Decision(True)


@pytest.mark.parametrize(
    ("subject", "user", "shown"),
    [
        ({"kind": "User", "name": "alice"}, ALICE, 'User "alice"'),
        ({"kind": "Group", "name": "devs"}, ALICE, 'Group "devs"'),
        (
            {"kind": "ServiceAccount", "name": "sa", "namespace": "other"},
            User("system:serviceaccount:other:sa"),
            'ServiceAccount "sa/other"',
        ),
    ],
)
def test_a_cluster_role_binding_allows_everywhere(
    subject: dict[str, str], user: User, shown: str
) -> None:
    authorizer = made(role("reader", PODS), binding("readers", ("ClusterRole", "reader"), subject))
    reason = f'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to {shown}'
    assert authorizer.authorize(get_pod(user)) == Decision(True, reason)
    assert authorizer.authorize(get_pod(user, "")) == Decision(True, reason)


def test_a_role_binding_allows_in_its_namespace_and_knows_its_service_accounts() -> None:
    subject = {"kind": "ServiceAccount", "name": "sa"}
    authorizer = made(
        role("reader", PODS, "ns"), binding("readers", ("Role", "reader"), subject, "ns")
    )
    user = User("system:serviceaccount:ns:sa")
    decision = authorizer.authorize(get_pod(user))
    assert decision.allowed
    assert decision.reason == (
        'RBAC: allowed by RoleBinding "readers/ns" of Role "reader" to ServiceAccount "sa/ns"'
    )
    assert not authorizer.authorize(get_pod(user, "other")).allowed
    assert not authorizer.authorize(get_pod(user, "")).allowed


def test_a_role_may_name_single_objects() -> None:
    rules = [
        {**PODS[0], "resourceNames": ["a", "b"]},
        {**PODS[0], "resourceNames": ["c"], "verbs": ["*"]},
    ]
    subject = {"kind": "User", "name": "alice"}
    authorizer = made(role("r", rules), binding("b", ("ClusterRole", "r"), subject))
    allowed = [authorizer.authorize(get_pod(name=name)).allowed for name in ("a", "b", "c", "d")]
    assert allowed == [True, True, True, False]
    assert not authorizer.authorize(get_pod(name="")).allowed


def test_a_refusal_names_the_roles_that_are_missing() -> None:
    subject = {"kind": "Group", "name": "devs"}
    authorizer = made(
        binding("one", ("ClusterRole", "nope"), subject),
        binding("two", ("ClusterRole", "nope"), subject),
    )
    alone = 'RBAC: clusterrole.rbac.authorization.k8s.io "nope" not found'
    assert authorizer.authorize(get_pod()) == Decision(False, alone)
    authorizer.load([binding("three", ("Role", "gone"), subject, "ns")])
    assert authorizer.authorize(get_pod()).reason == (
        'RBAC: [clusterrole.rbac.authorization.k8s.io "nope" not found, '
        'role.rbac.authorization.k8s.io "gone" not found]'
    )
    assert authorizer.authorize(get_pod(namespace="other")).reason == alone


def test_a_decision_follows_every_change_of_role_and_binding() -> None:
    subject = {"kind": "User", "name": "alice"}
    authorizer = made(role("r", PODS), binding("b", ("ClusterRole", "r"), subject))
    assert authorizer.authorize(get_pod()).allowed
    authorizer.set("ClusterRole", role("r", []))
    assert not authorizer.authorize(get_pod()).allowed
    authorizer.set("ClusterRole", role("r", PODS))
    assert authorizer.authorize(get_pod()).allowed
    authorizer.remove("ClusterRoleBinding", "", "b")
    assert authorizer.authorize(get_pod()) == Decision(False)
    authorizer.load([binding("b", ("Role", "l"), subject, "ns"), role("l", PODS, "ns")])
    assert authorizer.authorize(get_pod()).allowed
    authorizer.remove("Role", "ns", "l")
    assert authorizer.authorize(get_pod()).reason.endswith('"l" not found')
    authorizer.remove("RoleBinding", "ns", "b")
    authorizer.remove("ClusterRole", "", "r")
    authorizer.remove("ClusterRoleBinding", "", "never was there")
    assert authorizer.authorize(get_pod()) == Decision(False)


@pytest.mark.parametrize(
    ("user", "path", "allowed"),
    [
        (NOBODY, "/healthz", True),
        (NOBODY, "/livez", True),
        (NOBODY, "/readyz", True),
        (NOBODY, "/version", True),
        (NOBODY, "/api", False),
        (NOBODY, "/openid/v1/jwks", False),
        (ALICE, "/apis", True),
        (ALICE, "/apis/apps/v1", True),
        (ALICE, "/openapi/v3", True),
        (ALICE, "/metrics", False),
        (ALICE, "/", False),
    ],
)
def test_a_fresh_server_shows_what_a_real_one_shows(
    authorizer: Authorizer, user: User, path: str, allowed: bool
) -> None:
    wish = Attributes(user, "get", path=path, is_resource=False)
    assert authorizer.authorize(wish).allowed is allowed


def test_a_fresh_server_lets_everyone_ask_what_they_may(authorizer: Authorizer) -> None:
    wish = Attributes(
        ALICE, "create", group="authorization.k8s.io", resource="selfsubjectaccessreviews"
    )
    assert authorizer.authorize(wish).reason == (
        'RBAC: allowed by ClusterRoleBinding "system:basic-user" of ClusterRole '
        '"system:basic-user" to Group "system:authenticated"'
    )
    assert not authorizer.authorize(get_pod()).allowed


def test_memory_stays_bounded_over_many_users_places_and_namespaces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rbac, "MAX_USERS", 10)
    monkeypatch.setattr(rbac, "MAX_PLACES", 10)
    subject = {"kind": "Group", "name": "devs"}
    authorizer = made(role("r", PODS), binding("b", ("ClusterRole", "r"), subject))
    for number in range(25):
        assert authorizer.authorize(get_pod(namespace=f"ns-{number}")).allowed
    held = authorizer._held(ALICE)
    assert 0 < len(held.places) <= 10
    assert 0 < len(held.grants) <= 10
    for number in range(25):
        user = User(f"user-{number}", groups=("devs",))
        assert authorizer.authorize(get_pod(user)).allowed
    assert 0 < len(authorizer._users) <= 10


def test_one_of_several_bindings_in_a_namespace_can_go() -> None:
    subject = {"kind": "User", "name": "alice"}
    authorizer = made(
        role("r", PODS),
        binding("a", ("ClusterRole", "r"), subject, "ns"),
        binding("b", ("ClusterRole", "r"), subject, "ns"),
    )
    authorizer.remove("RoleBinding", "ns", "a")
    assert '"b/ns"' in authorizer.authorize(get_pod()).reason
