"""Service-account tokens: claims, and whether they still hold."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from kedge.apiserver.auth import accounts as module
from kedge.apiserver.auth.accounts import ISSUER, Accounts, Binding, TokenError
from kedge.apiserver.auth.jwt import Signer
from kedge.testing import FakeClock

KEY = ec.generate_private_key(ec.SECP256R1())
Stored = dict[tuple[str, str, str], dict[str, Any]]


def thing(name: str, uid: str, namespace: str = "ns", **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace, "uid": uid}, **more}


ACCOUNT = thing("sa", "u-sa")
POD = thing("pod", "u-pod")
SECRET = thing("secret", "u-secret")
NODE = {"metadata": {"name": "node", "uid": "u-node"}}


@pytest.fixture
def stored() -> Stored:
    """Give what is stored."""
    return {
        ("serviceaccounts", "ns", "sa"): ACCOUNT,
        ("pods", "ns", "pod"): POD,
        ("secrets", "ns", "secret"): SECRET,
        ("nodes", "", "node"): NODE,
    }


@pytest.fixture
def accounts(stored: Stored, clock: FakeClock) -> Accounts:
    """Give service accounts of what is stored."""
    return Accounts(
        Signer(KEY, ISSUER),
        clock,
        lambda plural, namespace, name: stored.get((plural, namespace, name)),
    )


def claims(token: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    return found


def issue(accounts: Accounts, binding: Binding | None = None) -> str:
    return accounts.issue(ACCOUNT, [ISSUER], 600, binding or Binding())


def test_a_token_claims_what_kubernetes_claims(accounts: Accounts, clock: FakeClock) -> None:
    token = accounts.issue(ACCOUNT, ["a", "b"], 600, Binding(pod=POD, node=NODE), 300)
    found = claims(token)
    now = int(clock.now().timestamp())
    assert len(found.pop("jti")) == 36
    assert found == {
        "aud": ["a", "b"],
        "exp": now + 600,
        "iat": now,
        "iss": ISSUER,
        "nbf": now,
        "sub": "system:serviceaccount:ns:sa",
        "kubernetes.io": {
            "namespace": "ns",
            "node": {"name": "node", "uid": "u-node"},
            "pod": {"name": "pod", "uid": "u-pod"},
            "serviceaccount": {"name": "sa", "uid": "u-sa"},
            "warnafter": now + 300,
        },
    }


def test_a_token_names_its_account(accounts: Accounts) -> None:
    token = issue(accounts)
    found = accounts.authenticate(token, (ISSUER,))
    assert found is not None
    assert found.audiences == (ISSUER,)
    assert found.user.info == {
        "username": "system:serviceaccount:ns:sa",
        "uid": "u-sa",
        "groups": ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
        "extra": {
            "authentication.kubernetes.io/credential-id": [f"JTI={claims(token)['jti']}"],
        },
    }


@pytest.mark.parametrize(
    ("binding", "extra"),
    [
        (
            Binding(pod=POD, node={"metadata": {"name": "gone"}}),
            {"node-name": ["gone"], "pod-name": ["pod"], "pod-uid": ["u-pod"]},
        ),
        (Binding(secret=SECRET), {}),
        (Binding(node=NODE), {"node-name": ["node"], "node-uid": ["u-node"]}),
    ],
)
def test_what_a_token_is_bound_to_is_told(
    accounts: Accounts, binding: Binding, extra: dict[str, list[str]]
) -> None:
    found = accounts.authenticate(issue(accounts, binding), (ISSUER,))
    assert found is not None
    told = found.user.info["extra"]
    del told["authentication.kubernetes.io/credential-id"]
    assert told == {f"authentication.kubernetes.io/{key}": value for key, value in extra.items()}


def test_a_token_of_others_is_none_of_ours(accounts: Accounts) -> None:
    assert accounts.authenticate("nonsense", (ISSUER,)) is None


def refusal(accounts: Accounts, token: str) -> str:
    with pytest.raises(TokenError) as caught:
        accounts.authenticate(token, (ISSUER,))
    return str(caught.value)


def test_a_token_lives_a_minute_beyond_its_end(accounts: Accounts, clock: FakeClock) -> None:
    token = issue(accounts)
    clock.advance(timedelta(seconds=660))
    assert accounts.authenticate(token, (ISSUER,)) is not None
    clock.advance(timedelta(seconds=1))
    assert refusal(accounts, token) == "service account token has expired"


def test_a_token_of_the_future_is_refused(accounts: Accounts, clock: FakeClock) -> None:
    token = issue(accounts)
    clock.set_back(timedelta(seconds=61))
    assert refusal(accounts, token) == "service account token is not valid yet"


def test_a_token_for_others_is_refused(accounts: Accounts) -> None:
    token = accounts.issue(ACCOUNT, ["foo"], 600, Binding())
    assert refusal(accounts, token) == (
        f'token audiences ["foo"] is invalid for the target audiences ["{ISSUER}"]'
    )
    found = accounts.authenticate(token, ("bar", "foo"))
    assert found is not None
    assert found.audiences == ("foo",)


def test_a_token_ends_with_its_account(
    accounts: Accounts, stored: Stored, clock: FakeClock
) -> None:
    token, place = issue(accounts), ("serviceaccounts", "ns", "sa")
    stored[place] = thing("sa", "u-other")
    assert refusal(accounts, token) == ("service account UID (u-other) does not match claim (u-sa)")
    stored[place] = thing("sa", "u-sa")
    stored[place]["metadata"]["deletionTimestamp"] = "2026-05-04T03:02:01Z"
    assert accounts.authenticate(token, (ISSUER,)) is not None
    clock.advance(timedelta(seconds=61))
    assert refusal(accounts, token) == "service account ns/sa has been deleted"
    del stored[place]
    assert refusal(accounts, token) == 'serviceaccounts "sa" not found'


@pytest.mark.parametrize(
    ("binding", "place", "word"),
    [
        (Binding(pod=POD), ("pods", "ns", "pod"), "pod"),
        (Binding(secret=SECRET), ("secrets", "ns", "secret"), "secret"),
        (Binding(node=NODE), ("nodes", "", "node"), "node"),
    ],
)
def test_a_token_ends_with_what_it_is_bound_to(
    accounts: Accounts,
    stored: Stored,
    clock: FakeClock,
    binding: Binding,
    place: tuple[str, str, str],
    word: str,
) -> None:
    token = issue(accounts, binding)
    assert accounts.authenticate(token, (ISSUER,)) is not None
    stored[place] = thing(word, "u-other")
    assert refusal(accounts, token) == (
        f"{word} UID (u-other) does not match service account {word} ref claim (u-{word})"
    )
    stored[place] = thing(word, f"u-{word}")
    stored[place]["metadata"]["deletionTimestamp"] = "2026-05-04T03:00:00Z"
    assert refusal(accounts, token) == "service account token has been invalidated"
    del stored[place]
    assert refusal(accounts, token) == "service account token has been invalidated"


def test_a_signature_is_checked_once(accounts: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    token, reads = issue(accounts), 0
    read = Signer.read

    def counted(signer: Signer, text: str) -> dict[str, Any] | None:
        nonlocal reads
        reads += 1
        return read(signer, text)

    monkeypatch.setattr(Signer, "read", counted)
    for _ in range(3):
        assert accounts.authenticate(token, (ISSUER,)) is not None
    assert reads == 1


def test_memory_of_tokens_stays_bounded(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_KNOWN", 3)
    for _ in range(10):
        assert accounts.authenticate(issue(accounts), (ISSUER,)) is not None
    assert len(accounts._known) <= 3
