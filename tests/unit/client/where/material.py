"""Certificates, keys and kubeconfig files for tests."""

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


@dataclass(frozen=True)
class Made:
    """A certificate and its key."""

    certificate: bytes
    key: bytes


def pem(key: Key, form: str = "PKCS8", password: bytes | None = None) -> bytes:
    """Write a key in one of its forms."""
    hidden: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if password:
        hidden = serialization.BestAvailableEncryption(password)
    return key.private_bytes(
        serialization.Encoding.PEM, getattr(serialization.PrivateFormat, form), hidden
    )


def certificate_for(key: Key, name: str) -> bytes:
    """Sign a certificate with its own key; it is good as an authority, a server and a client."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(BEGIN)
        .not_valid_after(BEGIN + timedelta(days=36500))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


@cache
def made(name: str = "me") -> Made:
    """Give a certificate with this name; the same one whenever it is asked for."""
    key = ec.generate_private_key(ec.SECP256R1())
    return Made(certificate_for(key, name), pem(key))


def b64(data: bytes | str) -> str:
    """Encode as kubeconfigs do."""
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def jwt(expires: datetime | None, **claims: Any) -> str:
    """Make something like an id-token."""
    if expires is not None:
        claims["exp"] = int(expires.timestamp())
    parts = [{"alg": "none"}, claims]
    encoded = [base64.urlsafe_b64encode(json.dumps(one).encode()).decode() for one in parts]
    return ".".join(one.rstrip("=") for one in [*encoded, base64.b64encode(b"signature").decode()])


def config(
    user: dict[str, Any] | None = None, cluster: dict[str, Any] | None = None, **top: Any
) -> dict[str, Any]:
    """Make a kubeconfig with one context."""
    return {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "me"}}],
        "clusters": [
            {"name": "c", "cluster": {"server": "https://kube.test:6443", **(cluster or {})}}
        ],
        "users": [{"name": "me", "user": user or {}}],
        **top,
    }


def written(folder: Path, content: dict[str, Any] | str, name: str = "config") -> Path:
    """Write a kubeconfig; give its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return path
