"""Types as structural OpenAPI v3 schemas, the only form that Kubernetes takes for a CRD."""

from dataclasses import replace
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from kedge.api.part import Doc, Part, Rule

Schema = dict[str, Any]

_SCALARS: Final = {str: "string", bool: "boolean", int: "integer"}
_KEPT: Final = {"x-kubernetes-preserve-unknown-fields": True}
WHOLE: Final = {"x-kubernetes-map-type": "atomic"}
"""Of an object that belongs to one writer as a whole."""


def schema_of(struct: type[Part], *, skip: tuple[str, ...] = ()) -> Schema:
    """Give the schema of a struct, its fields in the order they are declared."""
    hints = get_type_hints(struct, include_extras=True)
    properties: Schema = {}
    required = []
    for each in msgspec.structs.fields(struct):
        if each.name in skip:
            continue
        hint, doc = _parted(hints[each.name])
        properties[each.encode_name] = _described(hint, doc)
        if doc.required:
            required.append(each.encode_name)
    schema: Schema = {"type": "object"}
    if properties:
        schema["properties"] = properties
    return schema | ({"required": required} if required else {})


def _parted(hint: Any) -> tuple[Any, Doc]:
    """Part a hint into the type and what is said of it; a field without a word is a mistake."""
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
        for mark in marks:
            if isinstance(mark, Doc):
                return hint, mark
    raise TypeError(f"{hint} has no Doc")


def _described(hint: Any, doc: Doc) -> Schema:
    """Give the schema of a field."""
    inner, nullable = _without_none(hint)
    schema = {"description": doc.text, **_typed(inner, doc)}
    if nullable and not doc.required:
        schema["nullable"] = True
    return schema | rules_of(doc.rules)


def rules_of(rules: tuple[Rule, ...]) -> Schema:
    """Give what a schema says about rules; nothing where there are none."""
    made = [{"rule": each.text, "message": each.message} for each in rules]
    return {"x-kubernetes-validations": made} if made else {}


def _without_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) not in (Union, UnionType):
        return hint, False
    kept = [each for each in get_args(hint) if each is not NoneType]
    if len(kept) != 1:
        raise TypeError(f"{hint} has no schema: a field has one type, or that type and None")
    return kept[0], True


def _typed(hint: Any, doc: Doc) -> Schema:
    if hint in _SCALARS:
        return _scalar(_SCALARS[hint], doc)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is list:
        return _list(arguments[0], doc)
    if origin is dict:
        return _map(arguments[1], doc)
    if isinstance(hint, type) and issubclass(hint, Part):
        return _object(schema_of(hint), doc)
    raise TypeError(f"{hint} has no schema")


def _scalar(name: str, doc: Doc) -> Schema:
    given = {
        "format": doc.format,
        "pattern": doc.pattern,
        "minLength": doc.shortest,
        "enum": list(doc.values),
    }
    made: Schema = {"type": name} | {key: value for key, value in given.items() if value}
    if doc.bounds is not None:
        made["minimum"], made["maximum"] = doc.bounds
    return made


def _list(item: Any, doc: Doc) -> Schema:
    schema: Schema = {"type": "array", "items": _typed(item, _for_items(doc))}
    if doc.least:
        schema["minItems"] = doc.least
    if doc.keys:
        schema["x-kubernetes-list-type"] = "map"
        schema["x-kubernetes-list-map-keys"] = list(doc.keys)
    else:
        schema["x-kubernetes-list-type"] = "atomic"
    return schema


def _for_items(doc: Doc) -> Doc:
    return replace(doc, least=0, keys=(), rules=())


def _map(value: Any, doc: Doc) -> Schema:
    if doc.shape is not None:
        return _object(schema_of(doc.shape), doc)
    if value is Any:
        return {"type": "object"} | (_KEPT if doc.preserve else {})
    return {"type": "object", "additionalProperties": _typed(value, Doc(""))}


def _object(schema: Schema, doc: Doc) -> Schema:
    if doc.atomic:
        schema |= WHOLE
    return schema | (_KEPT if doc.preserve else {})
