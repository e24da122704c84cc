"""Takes JSON apart at its first level, however deep the rest of it is. Pure.

Decoders give up at some depth; a server takes ten thousand levels. One such object must not make
all the others in its list unreadable.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[][{},:]', re.DOTALL)
_OPENING: Final = frozenset({b"{", b"["})
_CLOSING: Final = frozenset({b"}", b"]"})


def elements(raw: bytes) -> Iterator[bytes]:
    """Give the items of an array, or the `name: value` pairs of an object; raises ValueError."""
    depth, start = 0, -1
    for token in _TOKEN.finditer(raw):
        text = token[0]
        if text in _OPENING:
            depth += 1
            if depth == 1:
                start = token.end()
        elif (text in _CLOSING or text == b",") and depth == 1:
            element = raw[start : token.start()].strip()
            if element:
                yield element
            start = token.end()
        if text in _CLOSING:
            depth -= 1
            if depth == 0:
                return
    raise ValueError("no array and no object of JSON, or the end of it is missing")


def fields(raw: bytes) -> dict[str, bytes]:
    """Give the values of an object by their names, unread; raises ValueError."""
    found = {}
    for element in elements(raw):
        name = _TOKEN.match(element)
        if name is None or not name[0].startswith(b'"'):
            raise ValueError("an object of JSON whose fields have no names")
        rest = element[name.end() :].lstrip()
        if not rest.startswith(b":"):
            raise ValueError("a field of JSON without a value")
        found[msgspec.json.decode(name[0], type=str)] = rest[1:].strip()
    return found
