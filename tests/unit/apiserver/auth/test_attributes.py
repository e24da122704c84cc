"""Refusals, in the words of a real server."""

import pytest

from kedge.apiserver.auth.attributes import Attributes, forbidden
from kedge.apiserver.auth.users import User

ALICE = User("alice")


@pytest.mark.parametrize(
    ("attributes", "message", "details"),
    [
        pytest.param(
            Attributes(ALICE, "list", resource="pods"),
            'pods is forbidden: User "alice" cannot list resource "pods" in API group "" '
            "at the cluster scope",
            {"kind": "pods"},
            id="everywhere",
        ),
        pytest.param(
            Attributes(ALICE, "watch", group="apps", resource="deployments"),
            'deployments.apps is forbidden: User "alice" cannot watch resource "deployments" '
            'in API group "apps" at the cluster scope',
            {"group": "apps", "kind": "deployments"},
            id="in a group",
        ),
        pytest.param(
            Attributes(ALICE, "get", "default", resource="pods", subresource="log", name="x"),
            'pods "x" is forbidden: User "alice" cannot get resource "pods/log" in API group "" '
            'in the namespace "default"',
            {"name": "x", "kind": "pods"},
            id="subresource in a namespace",
        ),
        pytest.param(
            Attributes(ALICE, "get", path="/foo/bar<x>", is_resource=False),
            'forbidden: User "alice" cannot get path "/foo/bar&lt;x&gt;"',
            {},
            id="path that looks like HTML",
        ),
    ],
)
def test_a_refusal_says_who_can_not_do_what(
    attributes: Attributes, message: str, details: dict[str, str]
) -> None:
    error = forbidden(attributes)
    assert (error.message, error.details, error.code) == (message, details, 403)


def test_a_refusal_ends_with_the_reason_of_the_authorizer() -> None:
    error = forbidden(Attributes(ALICE, "list", resource="nodes"), "RBAC: role not found")
    assert error.message.endswith("at the cluster scope: RBAC: role not found")
