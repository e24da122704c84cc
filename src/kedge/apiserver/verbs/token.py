"""Continue tokens: where a paged list goes on, at which revision."""

import base64
import binascii
import posixpath
import string
from dataclasses import dataclass
from typing import Any

import msgspec

from kedge.apiserver.typed.exact import pairs
from kedge.apiserver.typed.jsontext import Pairs, parse
from kedge.apiserver.typed.words import word
from kedge.kube.errors import BadRequest
from kedge.kube.goerror import GoError

VERSION = "meta.k8s.io/v1"
ALPHABET = frozenset(string.ascii_letters + string.digits + "-_")


_GO_TYPES = {"v": "string", "rv": "int64", "start": "string"}


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
    token = _read(_unpacked(text))
    if token.v != VERSION:
        raise _invalid(f": server does not recognize this encoded version {token.v}")
    if token.rv == 0:
        raise _invalid(f": incorrect encoded start resourceVersion (version {VERSION})")
    if not token.start:
        raise _invalid(f": encoded start key empty (version {VERSION})")
    start = "/" + token.start.removeprefix("/")
    if posixpath.normpath(start) != start:
        raise _invalid(f": {token.start}")
    return Place(_before(start[1:]), token.rv)


def _before(start: str) -> str:
    """Give the greatest key below `start`; ours end in NUL, which no key has."""
    if start.endswith("\0"):
        return start[:-1]
    if not start or start[-1] == "\x01":
        return start
    return f"{start[:-1]}{chr(ord(start[-1]) - 1)}\U0010ffff"


def _read(raw: bytes) -> _Token:
    try:
        return msgspec.json.decode(raw, type=_Token)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass  # broken or odd: Go's own rules decide
    try:
        return _exactly(parse(raw))
    except GoError as exc:
        raise _invalid(f": {exc.text}") from None


def _exactly(value: Any) -> _Token:
    if value is None:
        return _Token()
    if not isinstance(value, dict | Pairs):
        raise GoError(
            f"json: cannot unmarshal {word(value)} into Go value of type storage.continueToken"
        )
    found: dict[str, Any] = {}
    for key, item in pairs(value):
        name = key.lower()
        if name not in _GO_TYPES or item is None:
            continue
        if type(item) is not (int if name == "rv" else str):
            raise GoError(
                f"json: cannot unmarshal {word(item)} into Go struct field "
                f"continueToken.{name} of type {_GO_TYPES[name]}"
            )
        found[name] = item
    return _Token(**found)


def _unpacked(text: str) -> bytes:
    for position, char in enumerate(text):
        if char not in ALPHABET:
            raise _invalid(f": illegal base64 data at input byte {position}")
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        # Go tells where the last, incomplete group of four begins.
        raise _invalid(f": illegal base64 data at input byte {len(text) // 4 * 4}") from None


def _invalid(why: str) -> BadRequest:
    return BadRequest(f"invalid continue token: continue key is not valid{why}")
