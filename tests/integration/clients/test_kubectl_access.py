"""kubectl auth: who am I, and what may I do."""

import pytest

from tests.integration.clients.kubectl import Kubectl

ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: %(namespace)s}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: %(namespace)s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: eve}]
"""


@pytest.fixture(scope="module")
def ruled(kubectl: Kubectl) -> Kubectl:
    kubectl.ok("auth", "reconcile", "-f", "-", stdin=ROLE % {"namespace": kubectl.namespace})
    return kubectl


def test_whoami(ruled: Kubectl) -> None:
    if ruled.version == "1.27":
        pytest.skip("kubectl 1.27 asks for a beta version that 1.34 does not have")
    told = ruled.ok("auth", "whoami").split()
    assert told[:4] == ["ATTRIBUTE", "VALUE", "Username", "admin"]
    assert "system:masters" in " ".join(told)
    assert "eve" in ruled.ok("auth", "whoami", "--as=eve", "--as-group=devs")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("delete nodes", "yes"),
        ("get pods --as=eve", "yes"),
        ("get pods/anyone --as=eve", "yes"),
        ("delete pods --as=eve", "no"),
        ("get pods --as=eve --namespace=default", "no"),
        ("get /healthz --as=eve", "yes"),
        ("* * --as=eve", "no"),
        ("get deployments.apps/web --subresource=scale --as=eve", "no"),
    ],
)
def test_can_i(ruled: Kubectl, question: str, answer: str) -> None:
    result = ruled.run("auth", "can-i", *question.split())
    assert result.stdout.split()[:1] == [answer]
    assert result.returncode == (0 if answer == "yes" else 1)


def test_the_list_of_what_someone_may_do(ruled: Kubectl) -> None:
    lines = [line.split() for line in ruled.ok("auth", "can-i", "--list", "--as=eve").splitlines()]
    assert ["pods", "[]", "[]", "[get", "list]"] in lines
    assert ["[/healthz]", "[]", "[get]"] in lines


def test_a_user_without_rights_is_told_so(ruled: Kubectl) -> None:
    ruled.ok("get", "pods", "--as=eve")
    told = ruled.refused("get", "secrets", "--as=eve")
    assert 'User "eve" cannot list resource "secrets" in API group "" in the namespace' in told


def test_reconcile_is_idempotent(ruled: Kubectl) -> None:
    manifest = ROLE % {"namespace": ruled.namespace}
    told = ruled.ok("auth", "reconcile", "-f", "-", stdin=manifest)
    assert told.count("reconciled") == 2
