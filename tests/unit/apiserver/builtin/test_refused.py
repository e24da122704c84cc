"""What this server can not do is refused in clear words."""

from typing import Any

import pytest

from kedge.apiserver.builtin.registry import strategy_for
from kedge.apiserver.resource import Context, Object
from kedge.kube.errors import Forbidden

ADMISSION = "admissionregistration.k8s.io"


def refusal(group: str, kind: str, **fields: Any) -> Forbidden:
    obj: Object = {"metadata": {"name": "a"}, **fields}
    with pytest.raises(Forbidden) as caught:
        strategy_for(group, "v1", kind).prepare_create(obj, Context())
    return caught.value


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
        ("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
    ],
)
def test_webhooks_are_refused(kind: str, plural: str) -> None:
    error = refusal(ADMISSION, kind)
    assert error.message == (
        f'{plural}.{ADMISSION} "a" is forbidden: this server does not call admission webhooks, '
        "so their configuration would have no effect"
    )
    assert error.details == {"name": "a", "group": ADMISSION, "kind": plural}


@pytest.mark.parametrize("kind", ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"])
def test_admission_policies_are_refused(kind: str) -> None:
    assert "does not evaluate admission policies" in refusal(ADMISSION, kind).message


def test_apis_of_other_servers_are_refused() -> None:
    service = {"namespace": "a", "name": "b"}
    error = refusal("apiregistration.k8s.io", "APIService", spec={"service": service})
    assert "this server does not serve aggregated APIs" in error.message


def test_an_api_of_this_server_is_there_at_once() -> None:
    hooks = strategy_for("apiregistration.k8s.io", "v1", "APIService")
    obj: Object = {"metadata": {"name": "v1.apps", "creationTimestamp": "then"}, "spec": {}}
    hooks.prepare_create(obj, Context())
    (condition,) = obj["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("Available", "True")
    assert condition["lastTransitionTime"] == "then"
