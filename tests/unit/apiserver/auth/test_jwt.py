"""Signed tokens."""

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from kedge.apiserver.auth.jwt import SignatureError, Signer

KEY = ec.generate_private_key(ec.SECP256R1())
ISSUER = "https://issuer"
BROKEN = "go-jose/go-jose: error in cryptographic primitive"


@pytest.fixture
def signer() -> Signer:
    """Give a signer."""
    return Signer(KEY, ISSUER)


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_token_says_who_signed_it(signer: Signer) -> None:
    token = signer.sign({"sub": "x", "aud": ["a"]})
    header, payload, _ = token.split(".")
    assert json.loads(base64.urlsafe_b64decode(header + "==")) == {
        "alg": "ES256",
        "kid": signer.key_id,
    }
    assert base64.urlsafe_b64decode(payload + "==") == (
        b'{"aud":["a"],"iss":"https://issuer","sub":"x"}'
    )
    assert signer.read(token) == {"aud": ["a"], "iss": ISSUER, "sub": "x"}


@pytest.mark.parametrize(
    "token",
    [
        "",
        "abc",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        f"{part({})}.{part({'iss': 'https://other'})}.AAAA",
        f"{part({})}.{part([])}.AAAA",
        f"{part([])}.{part({'iss': ISSUER})}.AAAA",
        f"{part({})}.{part({'iss': ISSUER})}.A",
        f"{part({})}.{part({'iss': ISSUER})}.AA==",
        f"{part({})}.{part({'iss': ISSUER})}.é",
    ],
)
def test_what_does_not_claim_to_be_ours_is_none_of_ours(signer: Signer, token: str) -> None:
    assert signer.read(token) is None


def test_a_token_of_another_key_is_refused(signer: Signer) -> None:
    other = Signer(ec.generate_private_key(ec.SECP256R1()), ISSUER)
    with pytest.raises(SignatureError, match="invalid signature, no keys found"):
        signer.read(other.sign({}))


@pytest.mark.parametrize(
    "header",
    [{"alg": "none"}, {"alg": "HS256"}, {"alg": "RS256"}, {}, {"alg": "ES256"}],
)
def test_a_forged_token_is_refused(signer: Signer, header: dict[str, str]) -> None:
    signature = signer.sign({}).split(".")[2]
    for forged in (signature, "", "AAAA"):
        with pytest.raises(SignatureError, match=BROKEN):
            signer.read(f"{part(header)}.{part({'iss': ISSUER})}.{forged}")


def test_a_changed_claim_breaks_the_signature(signer: Signer) -> None:
    header, _, signature = signer.sign({"sub": "x"}).split(".")
    with pytest.raises(SignatureError, match=BROKEN):
        signer.read(f"{header}.{part({'iss': ISSUER, 'sub': 'y'})}.{signature}")


def test_the_public_key_can_be_published(signer: Signer) -> None:
    numbers = KEY.public_key().public_numbers()
    assert signer.jwk["kid"] == signer.key_id
    x = base64.urlsafe_b64decode(signer.jwk["x"] + "==")
    assert int.from_bytes(x, "big") == numbers.x
