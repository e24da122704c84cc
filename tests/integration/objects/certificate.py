"""A certificate of this machine that nobody trusts, unless told to."""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# Long enough for every clock that the tests may be run under.
_FROM = datetime(2020, 1, 1, tzinfo=UTC)
_UNTIL = _FROM + timedelta(days=36500)


def make_certificate(certificate: Path, key: Path) -> bytes:
    """Write a certificate for 127.0.0.1 and its key, and give that of its authority."""
    authority, server = _key(), _key()
    issued = (
        _certificate("kedge test", server)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(authority, hashes.SHA256())
    )
    root = (
        _certificate("kedge test authority", authority)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority, hashes.SHA256())
    )
    certificate.write_bytes(issued.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        server.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return root.public_bytes(serialization.Encoding.PEM)


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _certificate(name: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name("kedge test authority"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FROM)
        .not_valid_after(_UNTIL)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
