"""Tokens for service accounts; answers and refusals are those of a real server."""

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from kedge.apiserver.auth.accounts import ISSUER, Accounts
from kedge.apiserver.auth.jwt import Signer
from kedge.apiserver.auth.tokenrequest import TokenRequests, default
from kedge.kube.errors import ApiError, BadRequest, Conflict, Invalid, NotFound
from kedge.testing import FakeClock

PLACES = {
    ("serviceaccounts", "ns", "sa"): {},
    ("pods", "ns", "pod"): {"spec": {"serviceAccountName": "sa"}},
    ("pods", "ns", "placed"): {"spec": {"serviceAccountName": "sa", "nodeName": "node"}},
    ("pods", "ns", "lost"): {"spec": {"serviceAccountName": "sa", "nodeName": "gone"}},
    ("pods", "ns", "other"): {"spec": {"serviceAccountName": "else"}},
    ("secrets", "ns", "secret"): {},
    ("nodes", "", "node"): {},
}


def lookup(plural: str, namespace: str, name: str) -> dict[str, Any] | None:
    found = PLACES.get((plural, namespace, name))
    if found is None:
        return None
    return {"metadata": {"name": name, "namespace": namespace, "uid": f"u-{name}"}, **found}


@pytest.fixture
def requests(clock: FakeClock) -> TokenRequests:
    """Give requests for tokens of what is stored."""
    signer = Signer(ec.generate_private_key(ec.SECP256R1()), ISSUER)
    return TokenRequests(Accounts(signer, clock, lookup), lookup, clock)


def ask(requests: TokenRequests, spec: Any = None, **metadata: Any) -> dict[str, Any]:
    obj: dict[str, Any] = {"metadata": metadata}
    if spec is not None:
        obj["spec"] = spec
    default(obj)
    return requests.create("ns", "sa", obj)


def claims(answer: dict[str, Any]) -> dict[str, Any]:
    payload = answer["status"]["token"].split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=="))
    return found


def test_a_token_for_an_hour_is_what_one_gets(requests: TokenRequests, clock: FakeClock) -> None:
    answer = ask(requests, managedFields=["kept"])
    assert len(answer["status"].pop("token").split(".")) == 3
    assert answer == {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            "name": "sa",
            "namespace": "ns",
            "uid": "u-sa",
            "creationTimestamp": "2026-05-04T03:02:01Z",
            "managedFields": ["kept"],
        },
        "spec": {"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": None},
        "status": {"expirationTimestamp": "2026-05-04T04:02:01Z"},
    }


def test_audiences_and_life_can_be_chosen(requests: TokenRequests, clock: FakeClock) -> None:
    answer = ask(requests, {"audiences": ["a", "b"], "expirationSeconds": 700})
    assert answer["spec"]["audiences"] == ["a", "b"]
    assert answer["status"]["expirationTimestamp"] == "2026-05-04T03:13:41Z"
    found = claims(answer)
    assert (found["aud"], found["exp"]) == (["a", "b"], int(clock.now().timestamp()) + 700)
    assert ask(requests, {"audiences": []})["spec"]["audiences"] == [ISSUER]


def test_a_token_of_a_pod_lives_a_year_and_is_told_when_to_be_renewed(
    requests: TokenRequests, clock: FakeClock
) -> None:
    reference = {"kind": "Pod", "apiVersion": "v1", "name": "placed"}
    answer = ask(requests, {"boundObjectRef": reference, "expirationSeconds": 3607})
    assert answer["spec"]["boundObjectRef"] == reference
    assert answer["status"]["expirationTimestamp"] == "2026-05-04T04:02:08Z"
    found, now = claims(answer), int(clock.now().timestamp())
    assert found["exp"] == now + 365 * 24 * 3600
    assert found["kubernetes.io"] == {
        "namespace": "ns",
        "node": {"name": "node", "uid": "u-node"},
        "pod": {"name": "placed", "uid": "u-placed"},
        "serviceaccount": {"name": "sa", "uid": "u-sa"},
        "warnafter": now + 3607,
    }


@pytest.mark.parametrize(
    ("kind", "name", "bound"),
    [
        ("Pod", "pod", {"pod": {"name": "pod", "uid": "u-pod"}}),
        ("Pod", "lost", {"pod": {"name": "lost", "uid": "u-lost"}, "node": {"name": "gone"}}),
        ("Secret", "secret", {"secret": {"name": "secret", "uid": "u-secret"}}),
        ("Node", "node", {"node": {"name": "node", "uid": "u-node"}}),
    ],
)
def test_a_token_can_be_bound(
    requests: TokenRequests, kind: str, name: str, bound: dict[str, Any]
) -> None:
    reference = {"kind": kind, "apiVersion": "v1", "name": name, "uid": f"u-{name}"}
    private = claims(ask(requests, {"boundObjectRef": reference}))["kubernetes.io"]
    assert {key: private[key] for key in private if key not in ("namespace", "serviceaccount")} == (
        bound
    )


def refusal(requests: TokenRequests, spec: Any, **metadata: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        ask(requests, spec, **metadata)
    return caught.value


@pytest.mark.parametrize(
    ("seconds", "why"),
    [
        (0, "may not specify a duration less than 10 minutes"),
        (599, "may not specify a duration less than 10 minutes"),
        (2**32 + 1, "may not specify a duration larger than 2^32 seconds"),
    ],
)
def test_a_life_has_bounds(requests: TokenRequests, seconds: int, why: str) -> None:
    error = refusal(requests, {"expirationSeconds": seconds})
    assert error.message == (
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: '
        f"Invalid value: {seconds}: {why}"
    )
    ask(requests, {"expirationSeconds": 600})
    ask(requests, {"expirationSeconds": 2**32})


@pytest.mark.parametrize(
    ("metadata", "kind", "message"),
    [
        (
            {"name": "foo"},
            Invalid,
            'TokenRequest.authentication.k8s.io "sa" is invalid: metadata.name: Invalid value: '
            '"foo": must match the service account name if specified',
        ),
        (
            {"namespace": "foo"},
            Invalid,
            'TokenRequest.authentication.k8s.io "sa" is invalid: metadata.namespace: Invalid '
            'value: "foo": must match the service account namespace if specified',
        ),
        (
            {"uid": "foo"},
            Conflict,
            'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "sa": the UID in '
            "the token request (foo) does not match the UID of the service account (u-sa)",
        ),
    ],
)
def test_metadata_must_be_that_of_the_account(
    requests: TokenRequests, metadata: dict[str, str], kind: type[ApiError], message: str
) -> None:
    error = refusal(requests, {}, **metadata)
    assert type(error) is kind
    assert error.message == message


def test_there_is_no_token_without_an_account(requests: TokenRequests) -> None:
    obj: dict[str, Any] = {}
    default(obj)
    with pytest.raises(NotFound, match='serviceaccounts "nope" not found'):
        requests.create("ns", "nope", obj)


@pytest.mark.parametrize(
    ("reference", "kind", "message"),
    [
        (
            {"kind": "Pod", "apiVersion": "v1", "name": "other"},
            BadRequest,
            'cannot bind token for serviceaccount "sa" to pod running with different '
            "serviceaccount name.",
        ),
        (
            {"kind": "Pod", "apiVersion": "v1", "name": "nope"},
            NotFound,
            'pods "nope" not found',
        ),
        (
            {"kind": "Pod", "apiVersion": "v1", "name": "pod", "uid": "x"},
            Conflict,
            'Operation cannot be fulfilled on Pod "pod": the UID in the bound object reference (x) '
            "does not match the UID in record. The object might have been deleted and then "
            "recreated",
        ),
        ({"kind": "Secret", "apiVersion": "v1"}, BadRequest, "Name parameter required."),
        (
            {"kind": "Foo", "apiVersion": "v1", "name": "n"},
            BadRequest,
            "cannot bind token to object of type /v1, Kind=Foo",
        ),
        (
            {"kind": "Pod", "apiVersion": "apps/v1", "name": "n"},
            BadRequest,
            "cannot bind token to object of type apps/v1, Kind=Pod",
        ),
        ({}, BadRequest, "cannot bind token to object of type /, Kind="),
        ({"kind": "Pod", "apiVersion": "a/b/c", "name": "n"}, NotFound, 'pods "n" not found'),
    ],
)
def test_a_token_is_bound_to_what_is_there(
    requests: TokenRequests, reference: dict[str, str], kind: type[ApiError], message: str
) -> None:
    error = refusal(requests, {"boundObjectRef": reference})
    assert type(error) is kind
    assert error.message == message
