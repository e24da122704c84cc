"""Continue tokens: where a paged list goes on, at which revision."""

import base64
import binascii
import string
from dataclasses import dataclass

import msgspec

from kedge.apiserver.typed.errors import GoError
from kedge.apiserver.typed.jsontext import parse
from kedge.kube.errors import BadRequest

VERSION = "meta.k8s.io/v1"
ALPHABET = frozenset(string.ascii_letters + string.digits + "-_")


class _Token(msgspec.Struct):
    v: str = ""
    rv: int = 0
    start: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A point in a list: after this key, without its prefix; revision -1 is the newest."""

    after: str
    revision: int


def encode_token(place: Place) -> str:
    """Give the text a client sends back."""
    raw = msgspec.json.encode(_Token(VERSION, place.revision, f"/{place.after}\0"))
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decode_token(text: str) -> Place:
    """Give the place a token stands for."""
    raw = _unpacked(text)
    try:
        token = msgspec.json.decode(raw, type=_Token)
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            parse(raw)
        except GoError as exc:
            raise _invalid(exc.text) from None
        raise _invalid("not a continue token") from None
    if token.v != VERSION:
        raise _invalid(f'server does not recognize this encoded version "{token.v}"')
    if token.rv == 0:
        raise _invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    if not token.start:
        raise _invalid("no start key")
    start = token.start.removeprefix("/")
    if ".." in start.split("/"):
        raise _invalid(token.start)
    return Place(start.removesuffix("\0"), token.rv)


def _unpacked(text: str) -> bytes:
    for position, char in enumerate(text):
        if char not in ALPHABET:
            raise _invalid(f"illegal base64 data at input byte {position}")
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise _invalid(f"illegal base64 data at input byte {len(text)}") from None


def _invalid(why: str) -> BadRequest:
    return BadRequest(f"invalid continue token: continue key is not valid: {why}")
