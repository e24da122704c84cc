"""The server's own certificate authority, and the certificates and keys it makes.

All of it is kept in one folder. A key is made once and stays; a certificate is made anew, from the
same key, when it nears its end or no longer fits. So a crash between two files heals by itself.
"""

import ipaddress
import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kedge.aio.clock import Clock
from kedge.apiserver.auth import privatefile
from kedge.apiserver.auth.users import ADMIN, MASTERS
from kedge.apiserver.http.plaintext import Context
from kedge.apiserver.settings import MEMORY

LOOPBACK: Final = (
    "127.0.0.1",
    "::1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)
# Some systems take no server certificate that lives longer than 825 days.
LIFE: Final = timedelta(days=730)
RENEW_BEFORE: Final = timedelta(days=365)
AUTHORITY_LIFE: Final = timedelta(days=3650)
AUTHORITY_RENEW_BEFORE: Final = RENEW_BEFORE + LIFE
SKEW: Final = timedelta(hours=1)
"""Clients whose clock is this much behind still take a new certificate."""

Key = ec.EllipticCurvePrivateKey


class CertificateError(Exception):
    """A file in the folder is not what it should be."""


@dataclass(frozen=True, slots=True)
class Pki:
    """Where the certificates and keys are, and the key that signs service-account tokens."""

    folder: Path
    signing_key: Key

    def path(self, name: str) -> Path:
        """One file: `ca.crt`, `server.crt`, `server.key`, `admin.crt`, `admin.key`."""
        return self.folder / name


@dataclass(frozen=True, slots=True)
class _Pair:
    certificate: x509.Certificate
    key: Key


@dataclass(frozen=True, slots=True)
class _Leaf:
    """What a certificate is for."""

    file: str
    subject: x509.Name
    usage: x509.ObjectIdentifier
    names: tuple[str, ...] = ()


@contextmanager
def folder_of(data: str) -> Iterator[Path]:
    """Name the folder for certificates beside the data; for `:memory:` one that goes away."""
    if data != MEMORY:
        yield Path(data) / "pki"
        return
    with TemporaryDirectory(prefix="kedge-pki-") as name:
        yield Path(name)


def prepare(folder: Path, clock: Clock, names: Sequence[str] = ()) -> Pki:
    """Have all certificates and keys ready; `names` are further addresses of the server."""
    privatefile.folder(folder)
    now = clock.now()
    authority = _authority(folder, now)
    organization = x509.NameAttribute(NameOID.ORGANIZATION_NAME, MASTERS)
    leaves = (
        _Leaf(
            "server",
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")]),
            ExtendedKeyUsageOID.SERVER_AUTH,
            tuple(dict.fromkeys((*LOOPBACK, *names))),
        ),
        _Leaf(
            "admin",
            x509.Name([organization, x509.NameAttribute(NameOID.COMMON_NAME, ADMIN)]),
            ExtendedKeyUsageOID.CLIENT_AUTH,
        ),
    )
    for leaf in leaves:
        _ensure(folder, leaf, authority, now)
    pki = Pki(folder, _key(folder, "service-account"))
    privatefile.settle(folder)
    return pki


def ssl_context(pki: Pki) -> ssl.SSLContext:
    """TLS for the server: a client may show a certificate, and it must be of our authority."""
    context = Context(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(pki.path("server.crt"), pki.path("server.key"))
    context.load_verify_locations(pki.path("ca.crt"))
    context.verify_mode = ssl.CERT_OPTIONAL
    context.set_alpn_protocols(["http/1.1"])
    return context


def _authority(folder: Path, now: datetime) -> _Pair:
    key = _key(folder, "ca")
    certificate = _certificate(folder, "ca")
    if (
        certificate is None
        or certificate.public_key() != key.public_key()
        or certificate.not_valid_after_utc - now < AUTHORITY_RENEW_BEFORE
    ):
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kedge-ca")])
        builder = _builder(name, key, now, AUTHORITY_LIFE).issuer_name(name)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        builder = builder.add_extension(_usage(authority=True), True)
        certificate = builder.sign(key, SHA256())
        _write_certificate(folder, "ca", certificate)
    return _Pair(certificate, key)


def _ensure(folder: Path, leaf: _Leaf, authority: _Pair, now: datetime) -> None:
    key = _key(folder, leaf.file)
    certificate = _certificate(folder, leaf.file)
    if certificate is not None and _fits(certificate, leaf, _Pair(authority.certificate, key), now):
        return
    builder = _builder(leaf.subject, key, now, LIFE).issuer_name(authority.certificate.subject)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
    builder = builder.add_extension(_usage(authority=False), True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([leaf.usage]), False)
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    builder = builder.add_extension(issuer, False)
    if leaf.names:
        builder = builder.add_extension(x509.SubjectAlternativeName(_names(leaf.names)), False)
    _write_certificate(folder, leaf.file, builder.sign(authority.key, SHA256()))


def _fits(certificate: x509.Certificate, leaf: _Leaf, expected: _Pair, now: datetime) -> bool:
    """Tell whether a certificate is of our authority, this key, these names, and lasts."""
    if certificate.public_key() != expected.key.public_key():
        return False
    if certificate.subject != leaf.subject or certificate.not_valid_after_utc - now < RENEW_BEFORE:
        return False
    try:
        certificate.verify_directly_issued_by(expected.certificate)
    except Exception:  # noqa: BLE001 - InvalidSignature, ValueError, TypeError: not ours
        return False
    if not leaf.names:
        return True
    found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return set(_names(leaf.names)) <= set(found.value)


def _builder(
    subject: x509.Name, key: Key, now: datetime, life: timedelta
) -> x509.CertificateBuilder:
    public = key.public_key()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
    )


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _names(names: Iterable[str]) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = []
    for name in names:
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            found.append(x509.DNSName(name))
    return found


def _key(folder: Path, name: str) -> Key:
    path = folder / f"{name}.key"
    if not path.exists():
        key = ec.generate_private_key(ec.SECP256R1())
        data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        privatefile.write(path, data)
        return key
    try:
        found = load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError) as exc:
        raise CertificateError(f"{path} holds no private key: remove it to have one made") from exc
    if not isinstance(found, ec.EllipticCurvePrivateKey):
        raise CertificateError(
            f"{path} holds no key on an elliptic curve: remove it to have one made"
        )
    return found


def _certificate(folder: Path, name: str) -> x509.Certificate | None:
    path = folder / f"{name}.crt"
    if not path.exists():
        return None
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except ValueError as exc:
        raise CertificateError(f"{path} holds no certificate: remove it to have one made") from exc


def _write_certificate(folder: Path, name: str, certificate: x509.Certificate) -> None:
    privatefile.write(folder / f"{name}.crt", certificate.public_bytes(Encoding.PEM))
