"""Keys and certificates of one cluster: an authority, a server, an administrator."""

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

# Certificates live as long as a run, so that any span around it will do.
BEGIN, END = datetime(2020, 1, 1, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)
NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, in files."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "real-cluster")])
        signed = self._sign(self._name, self._key, x509.BasicConstraints(ca=True, path_length=None))
        self.file = folder / "ca.crt"
        self.file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))

    def server(self) -> Pair:
        """Make the pair of a server on loopback."""
        addresses = [ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1")]
        names = [*map(x509.DNSName, NAMES), *map(x509.IPAddress, addresses)]
        return self._pair(
            "apiserver",
            _subject("apiserver", ()),
            x509.SubjectAlternativeName(names),
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]),
        )

    def client(self, user: str, groups: tuple[str, ...] = ()) -> Pair:
        """Make the pair of a user: Kubernetes reads CN as the user, each O as a group."""
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
        return self._pair(f"client-{user}", _subject(user, groups), usage)

    def _pair(self, name: str, subject: x509.Name, *extensions: x509.ExtensionType) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        pair = Pair(self._folder / f"{name}.crt", self._folder / f"{name}.key")
        signed = self._sign(subject, key, *extensions)
        pair.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        write_key(pair.key, key)
        return pair

    def _sign(
        self, subject: x509.Name, key: Key, *extensions: x509.ExtensionType
    ) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(BEGIN)
            .not_valid_after(END)
        )
        for extension in extensions:
            critical = isinstance(extension, x509.BasicConstraints)
            builder = builder.add_extension(extension, critical)
        return builder.sign(self._key, hashes.SHA256())


def service_account_keys(folder: Path) -> Pair:
    """Make the RSA pair that service-account tokens are signed with; the first file is public."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pair = Pair(folder / "service-account.pub", folder / "service-account.key")
    pair.certificate.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    write_key(pair.key, key)
    return pair


def write_key(path: Path, key: Key) -> None:
    """Write a private key that only its owner can read."""
    path.touch(mode=0o600)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )


def _subject(user: str, groups: tuple[str, ...]) -> x509.Name:
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, g) for g in groups]
    return x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, user)])
