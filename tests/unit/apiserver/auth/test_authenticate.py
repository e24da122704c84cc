"""Credentials to users."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from kedge.apiserver.auth.accounts import ISSUER, Accounts, Binding, TokenError
from kedge.apiserver.auth.authenticate import SPACE_WARNING, Authenticator
from kedge.apiserver.auth.jwt import Signer
from kedge.apiserver.auth.users import NOBODY, User
from kedge.kube.errors import Unauthorized
from kedge.testing import FakeClock

ALICE = User("alice", "1", ("devs", "system:authenticated"))
ACCOUNT = {"metadata": {"name": "sa", "namespace": "ns", "uid": "u"}}


@pytest.fixture
def accounts(clock: FakeClock) -> Accounts:
    """Give service accounts of which there is one."""
    signer = Signer(ec.generate_private_key(ec.SECP256R1()), ISSUER)
    return Accounts(signer, clock, lambda plural, namespace, name: ACCOUNT)


@pytest.fixture
def authenticator(accounts: Accounts) -> Authenticator:
    """Give an authenticator that knows Alice's token."""
    return Authenticator({"secret": ALICE}, accounts)


@pytest.mark.parametrize(
    ("header", "user"),
    [
        ("", NOBODY),
        ("Bearer secret", ALICE),
        ("bearer secret", ALICE),
        ("  Bearer secret  ", ALICE),
        ("Bearer secret and more", ALICE),
        ("Bearer", NOBODY),
        ("Basic secret", NOBODY),
        ("secret", NOBODY),
    ],
)
def test_a_known_token_names_its_user_and_none_at_all_is_anonymous(
    authenticator: Authenticator, header: str, user: User
) -> None:
    warnings: list[str] = []
    assert authenticator.authenticate(None, header, warnings) == user
    assert warnings == []


def test_a_space_too_many_is_warned_of(authenticator: Authenticator) -> None:
    warnings: list[str] = []
    assert authenticator.authenticate(None, "Bearer  secret", warnings) == NOBODY
    assert warnings == [SPACE_WARNING]


def test_a_token_that_is_not_valid_is_refused(authenticator: Authenticator) -> None:
    with pytest.raises(Unauthorized) as caught:
        authenticator.authenticate(None, "Bearer nonsense", [])
    assert caught.value.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }


def test_a_certificate_comes_first(authenticator: Authenticator) -> None:
    admin = User("admin")
    assert authenticator.authenticate(admin, "Bearer nonsense", []) is admin


def test_service_accounts_come_with_their_tokens(
    authenticator: Authenticator, accounts: Accounts
) -> None:
    token = accounts.issue(ACCOUNT, [ISSUER], 600, Binding())
    user = authenticator.authenticate(None, f"Bearer {token}", [])
    assert user.name == "system:serviceaccount:ns:sa"
    with pytest.raises(Unauthorized):
        authenticator.authenticate(None, f"Bearer {token[:-8]}AAAAAAAA", [])


def test_a_plain_token_is_good_for_the_server_only(authenticator: Authenticator) -> None:
    assert authenticator.token("secret", ["x", ISSUER]).audiences == (ISSUER,)
    with pytest.raises(TokenError, match=r"^invalid bearer token$"):
        authenticator.token("secret", ["x"])


def test_a_review_tells_why_a_service_account_is_refused(
    authenticator: Authenticator, accounts: Accounts
) -> None:
    token = accounts.issue(ACCOUNT, ["foo"], 600, Binding())
    with pytest.raises(TokenError) as caught:
        authenticator.review(token, authenticator.audiences)
    assert str(caught.value) == (
        '[invalid bearer token, token audiences ["foo"] is invalid for the target audiences '
        f'["{ISSUER}"]]'
    )


def test_a_review_reads_a_token_as_a_header_and_so_spaces_are_nobody(
    authenticator: Authenticator,
) -> None:
    assert authenticator.review("secret more", [ISSUER]).user == ALICE
    found = authenticator.review(" secret", ["q"])
    assert (found.user, found.audiences) == (NOBODY, ("q",))
