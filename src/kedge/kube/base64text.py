"""Base64 as Go's StdEncoding reads it: line breaks are skipped, and an error names the byte."""

import binascii
from typing import Final

from kedge.kube.goerror import GoError

_ALPHABET: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_BREAKS: Final = frozenset(b"\r\n")
_PAD: Final = ord("=")


def canonical(text: str) -> str:
    """Give the text that Go writes for the bytes it reads from `text`; raises GoError."""
    try:
        written = write(binascii.a2b_base64(text, strict_mode=True))
    except ValueError:
        written = ""
    if written == text:
        return text
    return write(binascii.a2b_base64(_checked(text)))


def write(data: bytes) -> str:
    """Give the text of bytes."""
    return binascii.b2a_base64(data, newline=False).decode()


def _checked(text: str) -> bytes:
    raw = text.encode()
    at = 0
    while at < len(raw):
        at, ended = _quantum(raw, at)
        if ended:
            break
    return raw


def _quantum(raw: bytes, at: int) -> tuple[int, bool]:
    """Walk over four characters; tell where they end and whether padding ended the text."""
    filled = 0
    while filled < 4:
        if at == len(raw):
            if filled == 0:
                return at, True
            raise _corrupt(at - filled)
        char = raw[at]
        at += 1
        if char in _ALPHABET:
            filled += 1
        elif char == _PAD and filled >= 2:
            return _padding(raw, at, filled), True
        elif char not in _BREAKS:
            raise _corrupt(at - 1)
    return at, False


def _padding(raw: bytes, at: int, filled: int) -> int:
    if filled == 2:
        at = _past_breaks(raw, at)
        if at == len(raw):
            raise _corrupt(at)
        if raw[at] != _PAD:
            raise _corrupt(at - 1)
        at += 1
    at = _past_breaks(raw, at)
    if at < len(raw):
        raise _corrupt(at)
    return at


def _past_breaks(raw: bytes, at: int) -> int:
    while at < len(raw) and raw[at] in _BREAKS:
        at += 1
    return at


def _corrupt(at: int) -> GoError:
    return GoError(f"illegal base64 data at input byte {at}")
