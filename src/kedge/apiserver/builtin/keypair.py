"""Certificates and keys in PEM: what is wrong with them, in the words of Go's crypto packages."""

import re
from base64 import b64decode
from typing import Any, NamedTuple

from kedge.kube.gotext import quote

BLOCK = re.compile(
    rb"^-----BEGIN ([^\r\n]*?)-----[ \t\r]*\n(.*?)^-----END \1-----[ \t\r]*$",
    re.DOTALL | re.MULTILINE,
)
PRIVATE = "PRIVATE KEY"
CERTIFICATE = "CERTIFICATE"
REQUEST = "CERTIFICATE REQUEST"


class Block(NamedTuple):
    """One block of PEM."""

    type: str
    body: bytes
    headed: bool


def problem(certificate: bytes, key: bytes) -> str:
    """Say why the two are no pair; nothing if they are one."""
    blocks = _blocks(certificate)
    found = [block for block in blocks if block.type == CERTIFICATE]
    if not found:
        return _no_certificate([block.type for block in blocks])
    blocks = _blocks(key)
    private = next((block for block in blocks if _is_private(block.type)), None)
    if private is None:
        return _no_key([block.type for block in blocks])
    return _mismatch(found[0].body, private.body)


def request_problem(text: bytes) -> str:
    """Say what is wrong with a request to sign a certificate; nothing if it is one."""
    first = next(iter(_blocks(text)), None)
    if first is None or first.type != REQUEST:
        return f"PEM block type must be {REQUEST}"
    from cryptography import x509  # see below

    try:
        request = x509.load_der_x509_csr(first.body)
    except ValueError:
        return "asn1: structure error: malformed certificate request"
    return "" if request.is_signature_valid else "x509: signature is invalid"


def chain_problem(text: bytes) -> str:
    """Say what is wrong with a chain of certificates; nothing if it is one, or empty."""
    if not text:
        return ""
    blocks = _blocks(text)
    if not blocks:
        return f"must contain at least one {CERTIFICATE} PEM block"
    from cryptography import x509  # see below

    for block in blocks:
        if block.type != CERTIFICATE:
            return f"only {CERTIFICATE} PEM blocks are allowed, found {quote(block.type)}"
        if block.headed:
            return "no PEM block headers are permitted"
        try:
            x509.load_der_x509_certificate(block.body)
        except ValueError:
            return "x509: malformed certificate"
    return ""


def _is_private(kind: str) -> bool:
    return kind == PRIVATE or kind.endswith(f" {PRIVATE}")


def _no_certificate(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in certificate input"
    if len(skipped) == 1 and skipped[0].endswith(PRIVATE):
        return (
            "tls: failed to find certificate PEM data in certificate input, but did find a "
            "private key; PEM inputs may have been switched"
        )
    return (
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM '
        f"blocks of the following types: [{' '.join(skipped)}]"
    )


def _no_key(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in key input"
    if len(skipped) == 1 and skipped[0] == CERTIFICATE:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    return (
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after '
        f"skipping PEM blocks of the following types: [{' '.join(skipped)}]"
    )


def _mismatch(certificate: bytes, key: bytes) -> str:
    # Few secrets hold keys; the library takes long to load.
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    try:
        public: Any = x509.load_der_x509_certificate(certificate).public_key()
    except ValueError:
        return "x509: malformed certificate"
    try:
        private: Any = load_der_private_key(key, None)
    except (ValueError, TypeError):
        return "tls: failed to parse private key"
    if not isinstance(private, RSAPrivateKey | EllipticCurvePrivateKey | Ed25519PrivateKey):
        return "tls: found unknown private key type in PKCS#8 wrapping"
    own = private.public_key()
    if type(own) is not type(public):
        return "tls: private key type does not match public key type"
    return "" if own == public else "tls: private key does not match public key"


def _blocks(text: bytes) -> list[Block]:
    found = []
    for match in BLOCK.finditer(text):
        body = match[2]
        headed = b":" in body
        if headed:  # headers end with an empty line
            body = body.partition(b"\n\n")[2]
        try:
            raw = b64decode(b"".join(body.split()), validate=True)
        except ValueError:
            continue  # Go skips what it can not read
        found.append(Block(match[1].decode(errors="replace"), raw, headed))
    return found
