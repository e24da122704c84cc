"""Certificates and keys are judged as Go's crypto packages judge them."""

import datetime
from functools import cache
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID

from kedge.apiserver.builtin.keypair import chain_problem, problem, request_problem

NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


@cache
def key(which: str) -> Any:
    return ed25519.Ed25519PrivateKey.generate() if which == "ed" else ec.generate_private_key(CURVE)


CURVE = ec.SECP256R1()


def key_text(which: str, form: str = "PKCS8") -> bytes:
    chosen = getattr(serialization.PrivateFormat, form)
    plain = serialization.NoEncryption()
    text: bytes = key(which).private_bytes(serialization.Encoding.PEM, chosen, plain)
    return text


def certificate_text(which: str) -> bytes:
    builder = x509.CertificateBuilder(
        NAME, NAME, key(which).public_key(), 1, START, START + datetime.timedelta(days=1)
    )
    signed = builder.sign(key(which), None if which == "ed" else hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM)


def block(kind: str, body: str = "YWJj") -> bytes:
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n".encode()


@pytest.mark.parametrize("form", ["PKCS8", "TraditionalOpenSSL"])
def test_a_pair_is_a_pair(form: str) -> None:
    assert problem(certificate_text("one"), key_text("one", form)) == ""


def test_other_blocks_before_the_key_and_certificates_after_the_first_do_not_matter() -> None:
    chain = b"words\n" + certificate_text("one") + certificate_text("two")
    assert problem(chain, block("EC PARAMETERS") + key_text("one")) == ""


@pytest.mark.parametrize(
    ("certificate", "private", "text"),
    [
        ("", "", "tls: failed to find any PEM data in certificate input"),
        ("one", "", "tls: failed to find any PEM data in key input"),
        ("one", "two", "tls: private key does not match public key"),
        ("one", "ed", "tls: private key type does not match public key type"),
    ],
)
def test_what_makes_no_pair_is_told(certificate: str, private: str, text: str) -> None:
    first = certificate_text(certificate) if certificate else b""
    assert problem(first, key_text(private) if private else b"") == text


def test_a_key_for_a_certificate_and_the_other_way_round_are_told() -> None:
    switched = (
        "tls: failed to find certificate PEM data in certificate input, but did find a private "
        "key; PEM inputs may have been switched"
    )
    assert problem(key_text("one"), key_text("one")) == switched
    assert problem(certificate_text("one"), certificate_text("one")) == (
        "tls: found a certificate rather than a key in the PEM for the private key"
    )


def test_blocks_of_other_types_are_listed() -> None:
    assert problem(block("A") + block("B"), b"") == (
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM '
        "blocks of the following types: [A B]"
    )
    assert problem(certificate_text("one"), block("A")) == (
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after '
        "skipping PEM blocks of the following types: [A]"
    )


def test_what_can_not_be_parsed_is_told() -> None:
    assert problem(block("CERTIFICATE"), key_text("one")) == "x509: malformed certificate"
    bad = problem(certificate_text("one"), block("PRIVATE KEY"))
    assert bad == "tls: failed to parse private key"


def test_a_request_must_be_one_and_signed() -> None:
    builder = x509.CertificateSigningRequestBuilder(NAME)
    request = builder.sign(key("one"), hashes.SHA256())
    text = request.public_bytes(serialization.Encoding.PEM)
    assert request_problem(text) == ""
    assert request_problem(b"x") == "PEM block type must be CERTIFICATE REQUEST"
    assert request_problem(block("CERTIFICATE REQUEST")) != ""


def test_a_chain_holds_certificates_only() -> None:
    assert chain_problem(b"") == ""
    assert chain_problem(certificate_text("one") * 2) == ""
    assert chain_problem(b"x") == "must contain at least one CERTIFICATE PEM block"
    assert chain_problem(block("A")) == 'only CERTIFICATE PEM blocks are allowed, found "A"'
    headed = block("CERTIFICATE", "A: b\n\nYWJj")
    assert chain_problem(headed) == "no PEM block headers are permitted"
    assert chain_problem(block("CERTIFICATE")) == "x509: malformed certificate"
