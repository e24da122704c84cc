"""From a schema to the type that rules see, with the sizes that their cost is estimated from."""

import re
from dataclasses import dataclass, field
from typing import Any

from kedge.apiserver.crd.cel import types
from kedge.apiserver.crd.cel.types import Type

Json = dict[str, Any]

MAX_REQUEST = 3 * 1024 * 1024
_MIN_STRING, _MIN_BOOL, _MIN_NUMBER = 2, 4, 1
_MIN_DURATION, _MAX_DURATION = 3, 32
_DATE, _MIN_TIME, _MAX_TIME = 12, 21, 32
_RESERVED = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_ESCAPES = (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__"))
_ESCAPED = re.compile(r"__|[-./]")
_FITTING = re.compile(r"[a-zA-Z_./-][a-zA-Z0-9_./-]*")


@dataclass(slots=True, eq=False)
class Declaration:
    """What a schema says of a value: its type, its fields or items, and how large it can be."""

    type: Type
    min_size: int = 0
    max_elements: int = 0
    fields: dict[str, "Declaration"] = field(default_factory=dict)
    """By the name that rules use."""
    names: dict[str, str] = field(default_factory=dict)
    """From the name that rules use to that of the schema."""
    item: "Declaration | None" = None
    """Of a list, or of the values of a map."""
    format: str = ""
    nullable: bool = False
    list_type: str = ""
    list_keys: tuple[str, ...] = ()

    def find(self, name: str) -> str | None:
        """Give the name under which a field is kept; a keyword may be written as it is."""
        escaped = f"__{name}__" if name in _RESERVED else name
        return next((one for one in (name, escaped) if one in self.fields), None)


def escape(name: str) -> str | None:
    """Give the name that rules use for a field, or None if they can not name it."""
    if name in _RESERVED:
        return f"__{name}__"
    if not _FITTING.fullmatch(name):
        return None
    return _ESCAPED.sub(lambda found: dict(_ESCAPES)[found[0]], name)


def declare(schema: Json, name: str, is_resource: bool) -> Declaration | None:
    """Give what rules see of a schema, or None; `name` is that of the type."""
    if schema.get("x-kubernetes-int-or-string"):
        limit = schema.get("maxLength")
        size = MAX_REQUEST - 2 if limit is None else max(limit, 0) * 4
        return Declaration(types.DYN, _MIN_NUMBER, size, format="int-or-string", **_common(schema))
    if is_resource:
        schema = with_metadata(schema)
    kind = schema.get("type")
    if kind == "array":
        return _list(schema, name)
    if kind == "object":
        more = schema.get("additionalProperties")
        return _map(schema, more, name) if isinstance(more, dict) else _object(schema, name)
    if kind == "string":
        return _string(schema)
    plain = _PLAIN.get(kind or "")
    if plain is None:
        return None
    return Declaration(plain[0], plain[1], format=schema.get("format") or "", **_common(schema))


_PLAIN = {
    "boolean": (types.BOOL, _MIN_BOOL),
    "number": (types.DOUBLE, _MIN_NUMBER),
    "integer": (types.INT, _MIN_NUMBER),
}


def _common(schema: Json) -> dict[str, Any]:
    return {"nullable": bool(schema.get("nullable"))}


def with_metadata(schema: Json) -> Json:
    """Add what rules see of every object: its type and its name."""
    text = {"type": "string"}
    metadata = {"type": "object", "properties": {"name": text, "generateName": text}}
    properties = {**(schema.get("properties") or {})}
    known = (properties.get("metadata") or {}).get("properties") or {}
    if not {"name", "generateName"} <= known.keys():
        properties["metadata"] = metadata
    return {**schema, "properties": {**properties, "kind": text, "apiVersion": text}}


def _embedded(schema: Json) -> bool:
    return bool(schema.get("x-kubernetes-embedded-resource"))


def _list(schema: Json, name: str) -> Declaration | None:
    items = schema.get("items")
    if not isinstance(items, dict):
        return None
    item = declare(items, f"{name}.@idx", _embedded(items))
    if item is None:
        return None
    limit = schema.get("maxItems")
    count = (MAX_REQUEST - 2) // (item.min_size + 1) if limit is None else max(limit, 0)
    found = Declaration(
        types.DYN,
        _MIN_STRING,
        count,
        item=item,
        list_type=schema.get("x-kubernetes-list-type") or "",
        list_keys=tuple(schema.get("x-kubernetes-list-map-keys") or ()),
        **_common(schema),
    )
    found.type = types.list_of(item.type, found)
    return found


def _map(schema: Json, more: Json, name: str) -> Declaration | None:
    item = declare(more, f"{name}.@elem", _embedded(more))
    if item is None:
        return None
    limit = schema.get("maxProperties")
    count = (MAX_REQUEST - 2) // (item.min_size + 6) if limit is None else max(limit, 0)
    found = Declaration(types.DYN, _MIN_STRING, count, item=item, **_common(schema))
    found.type = types.map_of(types.STRING, item.type, found)
    return found


def _object(schema: Json, name: str) -> Declaration:
    found = Declaration(types.DYN, _MIN_STRING, **_common(schema))
    needed = set(schema.get("required") or ())
    for field_name, part in sorted((schema.get("properties") or {}).items()):
        escaped = escape(field_name)
        inner = declare(part, f"{name}.{escaped or field_name}", _embedded(part))
        if inner is None:
            continue
        if escaped is not None:
            found.fields[escaped] = inner
            found.names[escaped] = field_name
        if field_name in needed and part.get("default") is None:
            found.min_size += len(field_name.encode()) + inner.min_size + 4
    found.type = Type("struct", name, (), found)
    return found


def _string(schema: Json) -> Declaration:
    limit, form = schema.get("maxLength"), schema.get("format") or ""
    common = {"format": form, **_common(schema)}
    if form == "byte":
        size = MAX_REQUEST - 2 if limit is None else max(limit, 0)
        return Declaration(types.BYTES, _MIN_STRING, size, **common)
    if form == "duration":
        return Declaration(types.DURATION, _MIN_DURATION, _MAX_DURATION, **common)
    if form == "date":
        return Declaration(types.TIMESTAMP, _DATE, _DATE, **common)
    if form == "date-time":
        return Declaration(types.TIMESTAMP, _MIN_TIME, _MAX_TIME, **common)
    texts = [one for one in schema.get("enum") or () if isinstance(one, str)]
    if limit is not None:
        size = max(limit, 0) * 4
    elif schema.get("enum"):
        size = max([0, *(len(one.encode()) for one in texts)])
    else:
        size = MAX_REQUEST - 2
    return Declaration(types.STRING, _MIN_STRING, size, **common)
