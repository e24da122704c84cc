"""Acting as another user; texts are those of a real server."""

from typing import Any

import pytest
from multidict import CIMultiDict

from kedge.apiserver.auth.impersonate import ImpersonationError, impersonated
from kedge.apiserver.auth.rbac import Authorizer
from kedge.apiserver.auth.users import User
from kedge.kube.errors import Forbidden

ADMIN = User("admin", groups=("system:masters",))
ALICE = User("alice", groups=("system:authenticated",))
AUTHENTICATION = "authentication.k8s.io"


def headers(*pairs: tuple[str, str]) -> CIMultiDict[str]:
    return CIMultiDict(
        [("Accept", "*/*"), *((f"Impersonate-{key}", value) for key, value in pairs)]
    )


def acting(*pairs: tuple[str, str]) -> dict[str, Any]:
    return impersonated(headers(*pairs), ADMIN, Authorizer()).info


def test_without_headers_everyone_is_themselves(authorizer: Authorizer) -> None:
    assert impersonated(headers(), ALICE, authorizer) is ALICE
    assert impersonated(headers(("User", "")), ALICE, authorizer) is ALICE


@pytest.mark.parametrize(
    ("pairs", "info"),
    [
        pytest.param(
            [("User", "x")],
            {"username": "x", "groups": ["system:authenticated"]},
            id="a user",
        ),
        pytest.param(
            [("user", "x"), ("group", "a"), ("GROUP", "b")],
            {"username": "x", "groups": ["a", "b", "system:authenticated"]},
            id="with groups",
        ),
        pytest.param(
            [("User", "x"), ("Group", "system:unauthenticated")],
            {"username": "x", "groups": ["system:unauthenticated"]},
            id="not authenticated",
        ),
        pytest.param(
            [("User", "x"), ("Group", "system:authenticated"), ("Group", "a")],
            {"username": "x", "groups": ["system:authenticated", "a"]},
            id="authenticated already",
        ),
        pytest.param(
            [("User", "system:anonymous"), ("Group", "q")],
            {"username": "system:anonymous", "groups": ["q", "system:unauthenticated"]},
            id="nobody",
        ),
        pytest.param(
            [("User", "system:anonymous"), ("Group", "system:unauthenticated")],
            {"username": "system:anonymous", "groups": ["system:unauthenticated"]},
            id="nobody with the group of that",
        ),
        pytest.param(
            [("User", "system:serviceaccount:ns:sa")],
            {
                "username": "system:serviceaccount:ns:sa",
                "groups": [
                    "system:serviceaccounts",
                    "system:serviceaccounts:ns",
                    "system:authenticated",
                ],
            },
            id="a service account",
        ),
        pytest.param(
            [("User", "system:serviceaccount:ns:sa"), ("Group", "z")],
            {"username": "system:serviceaccount:ns:sa", "groups": ["z", "system:authenticated"]},
            id="a service account with other groups",
        ),
        pytest.param(
            [
                ("User", "x"),
                ("Uid", "u"),
                ("Extra-Scopes", "v"),
                ("Extra-scopes", "w"),
                ("Extra-a%2fb%zz", "v"),
                ("Extra-a%2fb", "v"),
            ],
            {
                "username": "x",
                "uid": "u",
                "groups": ["system:authenticated"],
                "extra": {"a%2fb%zz": ["v"], "a/b": ["v"], "scopes": ["v", "w"]},
            },
            id="uid and extra",
        ),
        pytest.param(
            [("User", "x"), ("Group", "")],
            {"username": "x", "groups": ["", "system:authenticated"]},
            id="an empty group",
        ),
    ],
)
def test_an_administrator_acts_as_anyone(
    pairs: list[tuple[str, str]], info: dict[str, Any]
) -> None:
    assert acting(*pairs) == info


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        ([("Group", "x")], "[{Group  x    }]"),
        (
            [("Group", "x"), ("Extra-Scopes", "v"), ("Uid", "7")],
            "[{Group  x    } {UserExtra  v  authentication.k8s.io/v1  scopes} "
            "{UID  7  authentication.k8s.io/v1  }]",
        ),
    ],
)
def test_groups_without_a_user_are_a_plain_error(pairs: list[tuple[str, str]], text: str) -> None:
    with pytest.raises(ImpersonationError) as caught:
        acting(*pairs)
    assert caught.value.text("/a?b=<c>") == (
        f'Internal Server Error: "/a?b=&lt;c&gt;": requested {text} without impersonating a user\n'
    )


def allowed() -> Authorizer:
    def rule(group: str, resource: str, name: str) -> dict[str, list[str]]:
        return {
            "verbs": ["impersonate"],
            "apiGroups": [group],
            "resources": [resource],
            "resourceNames": [name],
        }

    rules = [
        rule("", "users", "x"),
        rule("", "groups", "g"),
        rule(AUTHENTICATION, "userextras/scopes", "v"),
    ]
    authorizer = Authorizer()
    authorizer.set("ClusterRole", {"metadata": {"name": "r"}, "rules": rules})
    authorizer.set(
        "ClusterRoleBinding",
        {
            "metadata": {"name": "b"},
            "roleRef": {"kind": "ClusterRole", "name": "r"},
            "subjects": [{"kind": "User", "name": "alice"}],
        },
    )
    return authorizer


def test_each_part_needs_its_own_right() -> None:
    pairs = (("User", "x"), ("Group", "g"), ("Extra-Scopes", "v"))
    assert impersonated(headers(*pairs), ALICE, allowed()).name == "x"


@pytest.mark.parametrize(
    ("pairs", "message", "details"),
    [
        (
            [("User", "y")],
            'users "y" is forbidden: User "alice" cannot impersonate resource "users" '
            'in API group "" at the cluster scope',
            {"name": "y", "kind": "users"},
        ),
        (
            [("User", "system:serviceaccount:ns:sa")],
            'serviceaccounts "sa" is forbidden: User "alice" cannot impersonate resource '
            '"serviceaccounts" in API group "" in the namespace "ns"',
            {"name": "sa", "kind": "serviceaccounts"},
        ),
        (
            [("User", "system:serviceaccount:NS:sa")],
            'users "system:serviceaccount:NS:sa" is forbidden: User "alice" cannot impersonate '
            'resource "users" in API group "" at the cluster scope',
            {"name": "system:serviceaccount:NS:sa", "kind": "users"},
        ),
        (
            [("User", "x"), ("Group", "h")],
            'groups "h" is forbidden: User "alice" cannot impersonate resource "groups" '
            'in API group "" at the cluster scope',
            {"name": "h", "kind": "groups"},
        ),
        (
            [("User", "x"), ("Extra-Scopes", "w")],
            'userextras.authentication.k8s.io "w" is forbidden: User "alice" cannot impersonate '
            'resource "userextras/scopes" in API group "authentication.k8s.io" '
            "at the cluster scope",
            {"name": "w", "group": AUTHENTICATION, "kind": "userextras"},
        ),
        (
            [("User", "x"), ("Uid", "w")],
            'uids.authentication.k8s.io "w" is forbidden: User "alice" cannot impersonate '
            'resource "uids" in API group "authentication.k8s.io" at the cluster scope',
            {"name": "w", "group": AUTHENTICATION, "kind": "uids"},
        ),
    ],
)
def test_whoever_may_not_is_refused(
    pairs: list[tuple[str, str]], message: str, details: dict[str, str]
) -> None:
    with pytest.raises(Forbidden) as caught:
        impersonated(headers(*pairs), ALICE, allowed())
    assert (caught.value.message, caught.value.details) == (message, details)
