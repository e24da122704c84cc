"""The steps of a field path, in the text that FieldsV1 keys have: `f:name`, `k:{…}`, `v:…`, `i:…`.

The text is canonical, so two elements are equal exactly when their texts are.
"""

import json
import re
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, Final

from kedge.kube.gotext import float_text, quote, to_json

SELF: Final = "."
"""The key that says that the node itself is in the set as well."""

UNLIKE_PYTHON: Final = re.compile("[<>&\x08\x0c\u2028\u2029\ud800-\udfff]")
"""What Go's JSON writes in another way."""


def json_text(value: Any) -> str:
    """Write a value as Go's JSON does."""
    if isinstance(value, str) and UNLIKE_PYTHON.search(value) is None:
        return encode_basestring(value)
    return to_json(value)


def of_value(value: Any) -> str:
    """Make the element of an item in a list that is a set."""
    return f"v:{json_text(value)}"


@lru_cache(maxsize=8192)
def order(element: str) -> tuple[Any, ...]:
    """Give the key to sort elements by: fields by name, then keys, values, indexes."""
    kind, text = element[:2], element[2:]
    if kind == "f:":
        return (1, text)
    if kind == "k:":
        return (2, _pairs(json.loads(text)))
    if kind == "v:":
        return (3, _rank(json.loads(text)))
    return (4, int(text)) if kind == "i:" else (0,)


def _pairs(fields: dict[str, Any]) -> tuple[Any, ...]:
    return tuple((name, _rank(fields[name])) for name in sorted(fields))


def _rank(value: Any) -> tuple[Any, ...]:
    match value:
        case bool():
            return (2, value)
        case int() | float():
            return (0, value)
        case str():
            return (1, value)
        case list():
            return (3, tuple(map(_rank, value)))
        case dict():
            return (4, _pairs(value))
    return (5,)


def canonical(element: str) -> str | None:
    """Bring an element into its one form; None for an unknown kind. Raises ValueError."""
    kind, text = element[:2], element[2:]
    if kind[1:] != ":":
        raise ValueError(f"not a path element: {element}")
    match kind:
        case "f:":
            return element
        case "v:":
            return of_value(json.loads(text))
        case "k:":
            fields = json.loads(text)
            if not isinstance(fields, dict):
                raise ValueError(f"not a key: {element}")  # noqa: TRY004 - as for the others
            return f"k:{json_text(fields)}"
        case "i:":
            return f"i:{int(text)}"
    return None


def show(element: str) -> str:
    """Write an element as messages do: `.name`, `[name="x"]`, `[="x"]`, `[0]`."""
    kind, text = element[:2], element[2:]
    match kind:
        case "f:":
            return f".{text}"
        case "v:":
            return f"[={_shown(json.loads(text))}]"
        case "i:":
            return f"[{text}]"
    fields = json.loads(text)
    return f"[{','.join(f'{name}={_shown(value)}' for name, value in fields.items())}]"


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return float_text(float(value))
        case str():
            return quote(value)
        case list():
            return f"[{','.join(map(_shown, value))}]"
    return "".join(f"{key}={_shown(item)}" for key, item in value.items())
