"""Paths to a field of a schema, as rules write them: `.spec.replicas`, `.labels['a.b']`."""

import re
from typing import Any

Json = dict[str, Any]

_TOKEN = re.compile(r"'(?:[^']|(?<=\\)')*'?|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "'": "'",
    "\\": "\\",
}


class FieldPathError(ValueError):
    """The path is malformed, or there is no such field."""


def resolve(text: str, schema: Json, brackets: bool = True) -> tuple[str, Json | None]:
    """Give the path as errors name it, and the schema of the field. Raises FieldPathError."""
    tokens = _Tokens(text)
    path = ""
    node: Json | None = schema
    while (token := tokens.next()) is not None:
        if token == "[" and not brackets:
            raise FieldPathError("array notation is not allowed")
        if token not in ("[", "."):
            raise FieldPathError(f"expected [ or . but got: {token}")
        name = tokens.quoted() if token == "[" else tokens.must()
        node, path = _step(node, name, path)
        if token == "[" and (end := tokens.must()) != "]":
            raise FieldPathError(f"expected ] but got {end}")
    return path, node


class _Tokens:
    def __init__(self, text: str) -> None:
        self.found = iter(_TOKEN.findall(text))

    def next(self) -> str | None:
        """Give the next token, or None at the end."""
        return next(self.found, None)

    def must(self) -> str:
        """Give the next token."""
        token = self.next()
        if token is None:
            raise FieldPathError("unexpected end of JSON path")
        return token

    def quoted(self) -> str:
        """Give the next token, which must be in single quotes, without them."""
        token = self.must()
        if len(token) < 2 or token[0] != "'" or token[-1] != "'":
            raise FieldPathError(f"expected single quoted string but got {token}")
        return _ESCAPE.sub(_unescape, token[1:-1])


def _unescape(found: re.Match[str]) -> str:
    if found[1] not in _ESCAPES:
        raise FieldPathError(f"invalid string literal: invalid escape char {found[0]}")
    return _ESCAPES[found[1]]


def _step(node: Json | None, name: str, path: str) -> tuple[Json | None, str]:
    properties, more = (node or {}).get("properties"), (node or {}).get("additionalProperties")
    if properties:
        if name not in properties:
            raise FieldPathError("does not refer to a valid field")
        return properties[name], f"{path}.{name}" if path else name
    if more is None:
        raise FieldPathError("does not refer to a valid field")
    return more if isinstance(more, dict) else None, f"{path}[{name}]"
