"""TLS contexts from certificates and keys in memory; a key never rests in a file of ours."""

import os
import re
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from kedge.client.where.errors import ConfigError

_BLOCK: Final = re.compile(
    rb"-----BEGIN CERTIFICATE-----\s*([A-Za-z0-9+/=\s]*?)-----END CERTIFICATE-----"
)
_KEY: Final = re.compile(rb"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----")
_ENCRYPTED: Final = re.compile(rb"-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: *4, *ENCRYPTED")


@dataclass(frozen=True, slots=True)
class Pair:
    """A client certificate with its chain, and its key, in PEM."""

    certificate: bytes = field(repr=False)
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Roots:
    """Whom to trust: these authorities, those of the system, or anybody."""

    authorities: tuple[bytes, ...] | None = field(default=None, repr=False)
    """Certificates in DER; None: those of the system."""
    insecure: bool = False


def authorities(pem: bytes, name: str) -> tuple[bytes, ...]:
    """Read the certificates of a bundle; raises ConfigError, with this name, if there is none."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    found = []
    for block in _BLOCK.finditer(pem):
        try:
            der = ssl.PEM_cert_to_DER_cert(block[0].decode("ascii"))
            context.load_verify_locations(cadata=der)
        except (ssl.SSLError, ValueError):
            continue  # As Go does: a bundle may hold what this machine cannot read.
        found.append(der)
    if not found:
        raise ConfigError(f"{name} must hold at least one certificate in PEM")
    return tuple(found)


def pair(certificate: bytes, key: bytes, certificate_name: str, key_name: str) -> Pair:
    """Check that a certificate and a key can be used together; raises ConfigError."""
    if not _BLOCK.search(certificate):
        raise ConfigError(f"{certificate_name} must hold a certificate in PEM")
    if _ENCRYPTED.search(key):
        raise ConfigError(
            f"{key_name} is encrypted with a passphrase, which cannot be asked for; "
            "decrypt the key, or use an exec plugin"
        )
    if not _KEY.search(key):
        raise ConfigError(f"{key_name} must hold a private key in PEM")
    checked = Pair(certificate, key)
    try:
        _load(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), checked)
    except (ssl.SSLError, OSError, ValueError) as exc:
        reason = getattr(exc, "reason", None) or "NOT_READABLE"
        problem = str(reason).lower().replace("_", " ")
        error = ConfigError(f"{certificate_name} and {key_name} cannot be used: {problem}")
    else:
        return checked
    raise error


def context(roots: Roots, shown: Pair | None) -> ssl.SSLContext:
    """Make a context for a client: TLS 1.2 or later, HTTP/1.1."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.set_alpn_protocols(["http/1.1"])
    # As in Go: whatever certificate is given to be trusted is trusted, be it an intermediate one,
    # and only names in the certificate's list of names count.
    made.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    made.hostname_checks_common_name = False
    if roots.insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    elif roots.authorities is None:
        made.load_default_certs(ssl.Purpose.SERVER_AUTH)
    else:
        for der in roots.authorities:
            made.load_verify_locations(cadata=der)
    if shown is not None:
        _load(made, shown)
    return made


def _load(target: ssl.SSLContext, shown: Pair) -> None:
    with _file(shown.certificate) as certificate, _file(shown.key) as key:
        # Without a password OpenSSL would ask for one on the terminal.
        target.load_cert_chain(certificate, key, password="")


@contextmanager
def _file(data: bytes) -> Iterator[str]:
    """Give data a name, as OpenSSL reads files only; in memory, or for the owner's eyes alone."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("pem", os.MFD_CLOEXEC)
        name = f"/proc/self/fd/{descriptor}"
    else:
        descriptor, name = tempfile.mkstemp()
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            yield name
    finally:
        if not name.startswith("/proc/"):
            os.unlink(name)
