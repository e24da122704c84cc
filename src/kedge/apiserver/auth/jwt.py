"""Signed tokens (JSON Web Tokens) with one key on the curve P-256."""

import base64
import binascii
from hashlib import sha256
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ALGORITHM: Final = "ES256"
PARTS: Final = 3
SIZE: Final = 32
"""Bytes of each of the two numbers in a signature."""
_METHOD: Final = ec.ECDSA(SHA256())

Claims = dict[str, Any]


class SignatureError(Exception):
    """The token claims to be ours, and is not signed by our key. The text is Kubernetes'."""


class Signer:
    """Makes tokens, and tells its own from others."""

    def __init__(self, key: ec.EllipticCurvePrivateKey, issuer: str) -> None:
        """Sign with this key in the name of `issuer`."""
        self._key = key
        self._public = key.public_key()
        self.issuer = issuer
        der = self._public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.key_id = _encode(sha256(der).digest())
        self._header = _encode(msgspec.json.encode({"alg": ALGORITHM, "kid": self.key_id}))

    @property
    def jwk(self) -> dict[str, str]:
        """The public key as `/openid/v1/jwks` lists it."""
        numbers = self._public.public_numbers()
        return {
            "use": "sig",
            "kty": "EC",
            "kid": self.key_id,
            "crv": "P-256",
            "alg": ALGORITHM,
            "x": _encode(numbers.x.to_bytes(SIZE, "big")),
            "y": _encode(numbers.y.to_bytes(SIZE, "big")),
        }

    def sign(self, claims: Claims) -> str:
        """Make a token; `iss` is added to the claims."""
        payload = msgspec.json.encode({**claims, "iss": self.issuer}, order="sorted")
        text = f"{self._header}.{_encode(payload)}"
        r, s = decode_dss_signature(self._key.sign(text.encode(), _METHOD))
        return f"{text}.{_encode(r.to_bytes(SIZE, 'big') + s.to_bytes(SIZE, 'big'))}"

    def read(self, token: str) -> Claims | None:
        """Read a token of ours; None where it does not even claim to be one."""
        parts = token.split(".")
        if len(parts) != PARTS:
            return None
        try:
            header, payload = (msgspec.json.decode(_decode(part)) for part in parts[:2])
            signature = _decode(parts[2])
        except (ValueError, msgspec.DecodeError):
            return None
        if not isinstance(payload, dict) or not isinstance(header, dict):
            return None
        if payload.get("iss") != self.issuer:
            return None
        if header.get("kid", self.key_id) != self.key_id:
            raise SignatureError("invalid signature, no keys found")
        if header.get("alg") != ALGORITHM or not self._is_signed(token, signature):
            raise SignatureError("go-jose/go-jose: error in cryptographic primitive")
        return payload

    def _is_signed(self, token: str, signature: bytes) -> bool:
        if len(signature) != 2 * SIZE:
            return False
        r, s = (int.from_bytes(part, "big") for part in (signature[:SIZE], signature[SIZE:]))
        signed = token.rpartition(".")[0].encode()
        try:
            self._public.verify(encode_dss_signature(r, s), signed, _METHOD)
        except InvalidSignature:
            return False
        return True


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    if "=" in text:
        raise ValueError(text)
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as exc:
        raise ValueError(text) from exc
