"""String and bytes literals, without their quotes and escapes."""

import re

_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "`": "`",
    "?": "?",
}
_ESCAPE = re.compile(
    r"\\(?:([abfnrtv\"'\\?`])|([0-3][0-7][0-7])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))"
)


def unquote(text: str) -> str:
    """Give the value of a string literal. Raises ValueError."""
    inside, raw = _inside(text)
    return inside if raw else _ESCAPE.sub(_character, inside)


def unquote_bytes(text: str) -> bytes:
    """Give the value of a bytes literal, whose escapes are bytes. Raises ValueError."""
    inside, raw = _inside(text[1:])
    if raw:
        return inside.encode()
    parts, at = [], 0
    for found in _ESCAPE.finditer(inside):
        parts += [inside[at : found.start()].encode(), _byte(found)]
        at = found.end()
    return b"".join([*parts, inside[at:].encode()])


def _inside(text: str) -> tuple[str, bool]:
    raw = text[0] in "rR"
    text = text.removeprefix(text[0]) if raw else text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    width = 3 if text.startswith(('"""', "'''")) and len(text) >= 6 else 1
    return text[width:-width], raw


def _code(found: re.Match[str]) -> int:
    for group, base in ((2, 8), (3, 16), (4, 16), (5, 16)):
        if found[group] is not None:
            return int(found[group], base)
    raise AssertionError


def _character(found: re.Match[str]) -> str:
    if found[1] is not None:
        return _SIMPLE[found[1]]
    code = _code(found)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ValueError("invalid unicode code point")
    return chr(code)


def _byte(found: re.Match[str]) -> bytes:
    if found[1] is not None:
        return _SIMPLE[found[1]].encode()
    if found[4] is not None or found[5] is not None:
        raise ValueError("unable to unescape string")
    return bytes([_code(found)])
