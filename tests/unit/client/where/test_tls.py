import os
import ssl
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from kedge.client.where import tls
from kedge.client.where.errors import ConfigError
from tests.unit.client.where.material import Key, certificate_for, made, pem


def test_a_bundle_may_hold_more_than_certificates() -> None:
    one, two = made("one"), made("two")
    text = b"\xc3\xa9\n" + one.certificate + one.key + b"\r\n" + two.certificate
    broken = b"-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n"
    found = tls.authorities(broken + text + one.certificate, "ca")
    assert len(found) == 3
    context = tls.context(tls.Roots(found), None)
    assert len(context.get_ca_certs()) == 2


@pytest.mark.parametrize("text", [b"", b"junk", b"-----BEGIN CERTIFICATE-----", made().key])
def test_a_bundle_without_certificates_is_refused(text: bytes) -> None:
    with pytest.raises(ConfigError, match=r"^my ca must hold at least one certificate in PEM$"):
        tls.authorities(text, "my ca")


@pytest.mark.parametrize("form", ["PKCS8", "TraditionalOpenSSL"])
@pytest.mark.parametrize("kind", ["EC", "RSA"])
def test_every_kind_of_key_can_be_used(kind: str, form: str) -> None:
    key: Key = (
        ec.generate_private_key(ec.SECP384R1())
        if kind == "EC"
        else rsa.generate_private_key(public_exponent=65537, key_size=2048)
    )
    text = pem(key, form)
    if kind == "EC":
        parameters = (
            b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        )
        text = parameters + text
    shown = tls.pair(b"subject=me\n" + certificate_for(key, "me"), text, "c", "k")
    assert isinstance(tls.context(tls.Roots(), shown), ssl.SSLContext)


@pytest.mark.parametrize("form", ["PKCS8", "TraditionalOpenSSL"])
def test_an_encrypted_key_is_named(form: str) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    text = pem(key, form, b"hunter2")
    with pytest.raises(ConfigError, match=r"^client-key is encrypted with a passphrase"):
        tls.pair(certificate_for(key, "me"), text, "client-certificate", "client-key")


def test_a_key_must_belong_to_its_certificate() -> None:
    with pytest.raises(
        ConfigError, match=r"^c and k cannot be used: key values mismatch$"
    ) as caught:
        tls.pair(made("one").certificate, made("two").key, "c", "k")
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("certificate", "key", "message"),
    [
        (b"", made().key, "c must hold a certificate"),
        (made().key, made().key, "c must hold a certificate"),
        (made().certificate, b"", "k must hold a private key"),
        (made().certificate, made().certificate, "k must hold a private key"),
        (
            made().certificate,
            b"-----BEGIN PRIVATE KEY-----\nYWJj\n-----END PRIVATE KEY-----\n",
            "c and k cannot be used",
        ),
        (
            b"-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n",
            made().key,
            "c and k cannot be used",
        ),
    ],
)
def test_what_is_no_pair_is_refused(certificate: bytes, key: bytes, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tls.pair(certificate, key, "c", "k")


def test_a_context_checks_names_and_speaks_new_tls() -> None:
    context = tls.context(tls.Roots(), None)
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert not context.hostname_checks_common_name


def test_an_insecure_context_checks_nothing() -> None:
    context = tls.context(tls.Roots(insecure=True), None)
    assert not context.check_hostname
    assert context.verify_mode is ssl.CERT_NONE


def test_without_memory_files_a_key_is_for_its_owner_only_and_gone_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen: list[int] = []
    load = ssl.SSLContext.load_cert_chain

    def spy(self: ssl.SSLContext, certificate: str, key: str, password: str) -> None:
        seen.extend(Path(one).stat().st_mode & 0o777 for one in (certificate, key))
        load(self, certificate, key, password)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", spy)
    one = made()
    tls.pair(one.certificate, one.key, "c", "k")
    assert seen == [0o600, 0o600]
    assert list(tmp_path.iterdir()) == []


def test_nothing_secret_is_printed() -> None:
    one = made()
    assert "PRIVATE" not in repr(tls.pair(one.certificate, one.key, "c", "k"))
