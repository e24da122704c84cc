"""Whether a schema is structural: every field has one place and one type."""

from collections.abc import Iterator
from typing import Any

from kedge.apiserver.crd.text.pattern import PatternError, translate
from kedge.kube.fielderror import FieldError, forbidden, invalid, required

Json = dict[str, Any]

ROOT, ITEM, FIELD = "root", "item", "field"
_NO_TYPE = {
    ROOT: "must not be empty at the root",
    ITEM: "must not be empty for specified array items",
    FIELD: "must not be empty for specified object fields",
}
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_UNSUPPORTED = (
    ("id", "id"),
    ("$schema", "schema"),
    ("$ref", "$ref"),
    ("patternProperties", "patternProperties"),
    ("dependencies", "dependencies"),
    ("additionalItems", "additionalItems"),
    ("definitions", "definitions"),
)
_KEEP = "x-kubernetes-preserve-unknown-fields"
_EMBED = "x-kubernetes-embedded-resource"
_IOS = "x-kubernetes-int-or-string"
_EMPTY, _FALSE, _UNDEFINED = "must be empty", "must be false", "must be undefined"
_FORBIDDEN_IN_JUNCTORS = (
    ("default", _UNDEFINED),
    ("title", _EMPTY),
    ("description", _EMPTY),
    ("nullable", _FALSE),
    (_KEEP, _FALSE),
    (_EMBED, _FALSE),
    (_IOS, _FALSE),
    ("x-kubernetes-list-map-keys", _EMPTY),
    ("x-kubernetes-list-type", _UNDEFINED),
    ("x-kubernetes-map-type", _UNDEFINED),
    ("x-kubernetes-validations", _EMPTY),
)
# What is no part of the structure, and what is looked at for metadata itself.
_NO_STRUCTURE = frozenset({"type", "default", "properties", "example", "externalDocs"})


def unsupported(schema: Json) -> str | None:
    """Name the first thing that no structural schema can hold."""
    for key, name in _UNSUPPORTED:
        if schema.get(key) or (key == "additionalItems" and schema.get(key) is not None):
            return f"OpenAPIV3Schema '{name}' is not supported"
    for part in _junctors(schema):
        if text := unsupported(part):
            return text
    if schema.get(_KEEP) is False:
        return f"internal error: '{_KEEP}' must be true or undefined"
    if isinstance(schema.get("items"), list) and schema["items"]:
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    return next((text for part in _parts(schema) if (text := unsupported(part))), None)


def _junctors(schema: Json) -> Iterator[Json]:
    if isinstance(schema.get("not"), dict):
        yield schema["not"]
    for name in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(name) or ()


def _parts(schema: Json) -> Iterator[Json]:
    if isinstance(schema.get("items"), dict):
        yield schema["items"]
    properties = schema.get("properties") or {}
    yield from (properties[name] for name in sorted(properties))
    if isinstance(schema.get("additionalProperties"), dict):
        yield schema["additionalProperties"]


def validate(schema: Json, path: str) -> list[FieldError]:
    """Say what keeps a schema from being structural, in order of the texts."""
    found = [*_invariants(schema, ROOT, path), *_junctors_complete(schema, schema, path, path)]
    return sorted(found, key=str)


def _invariants(schema: Json, level: str, path: str) -> Iterator[FieldError]:
    items, more = schema.get("items"), schema.get("additionalProperties")
    if schema.get("type") == "array" and items is None:
        yield required(f"{path}.items", "must be specified")
    if items is not None:
        yield from _invariants(items, ITEM, f"{path}.items")
    properties = schema.get("properties") or {}
    for name in sorted(properties):
        yield from _invariants(properties[name], FIELD, f"{path}.properties[{name}]")
    if more is not None and level == ROOT:
        yield forbidden(f"{path}.additionalProperties", "must not be used at the root")
    if isinstance(more, dict):
        yield from _invariants(more, FIELD, f"{path}.additionalProperties")
    yield from _extensions(schema, path)
    yield from _values(schema, _has_int_or_string(schema), path)
    yield from _type(schema, level, path)
    if schema.get(_EMBED) and more is not None:
        rule = f"must not be used if {_EMBED} is set"
        yield forbidden(f"{path}.additionalProperties", rule)
    yield from _metadata(schema, level, path)
    if schema.get(_EMBED) and not schema.get(_KEEP) and not properties:
        rule = f"must not be empty if {_EMBED} is true without {_KEEP}"
        yield required(f"{path}.properties", rule)


def _extensions(schema: Json, path: str) -> Iterator[FieldError]:
    for name in (_KEEP, _EMBED):
        if schema.get(_IOS) and schema.get(name):
            yield invalid(f"{path}.{name}", True, f"must be false if {_IOS} is true")


def _type(schema: Json, level: str, path: str) -> Iterator[FieldError]:
    kind = schema.get("type") or ""
    if schema.get(_EMBED) and kind != "object":
        rule = f"must be object if {_EMBED} is true"
        yield invalid(f"{path}.type", kind, rule) if kind else required(f"{path}.type", rule)
    elif not kind and not schema.get(_IOS) and not schema.get(_KEEP):
        yield required(f"{path}.type", _NO_TYPE[level])
    if level == ROOT and kind and kind != "object":
        yield invalid(f"{path}.type", kind, "must be object at the root")


def _metadata(schema: Json, level: str, path: str) -> Iterator[FieldError]:
    properties = schema.get("properties") or {}
    is_resource = level == ROOT or bool(schema.get(_EMBED))
    for name in ("kind", "apiVersion"):
        if is_resource and name in properties and properties[name].get("type") != "string":
            kind = properties[name].get("type") or ""
            yield invalid(f"{path}.properties[{name}].type", kind, "must be string")
    metadata = properties.get("metadata")
    if metadata is None:
        return
    place = f"{path}.properties[metadata]"
    if is_resource and metadata.get("type") != "object":
        yield invalid(f"{place}.type", metadata.get("type") or "", "must be object")
    if level == ROOT and not _is_bare(metadata):
        rule = (
            "must not specify anything other than name and generateName, "
            "but metadata is implicitly specified"
        )
        yield forbidden(place, rule)


def _is_bare(metadata: Json) -> bool:
    names = set(metadata.get("properties") or ())
    if names and not names <= {"name", "generateName"}:
        return False
    rest = {name: value for name, value in metadata.items() if name not in _NO_STRUCTURE}
    return not any(_is_set(value) for value in rest.values())


def _is_set(value: Any) -> bool:
    return bool(value) or (isinstance(value, int | float) and not isinstance(value, bool))


def _has_int_or_string(schema: Json) -> tuple[bool, bool]:
    """Say whether anyOf, or that of the first allOf, is the pattern for an integer or a string."""
    first = (schema.get("allOf") or [{}])[0]
    return _is_int_or_string(schema.get("anyOf")), _is_int_or_string(first.get("anyOf"))


def _is_int_or_string(junctor: Any) -> bool:
    return (
        bool(junctor)
        and [{name: value for name, value in one.items() if value is not None} for one in junctor]
        == _INT_OR_STRING
    )


def _values(schema: Json, skip: tuple[bool, bool], path: str) -> Iterator[FieldError]:
    if not skip[0]:
        for position, one in enumerate(schema.get("anyOf") or ()):
            yield from _nested(one, (False, False), f"{path}.anyOf[{position}]")
    for position, one in enumerate(schema.get("allOf") or ()):
        yield from _nested(one, (skip[1] and not position, False), f"{path}.allOf[{position}]")
    for position, one in enumerate(schema.get("oneOf") or ()):
        yield from _nested(one, (False, False), f"{path}.oneOf[{position}]")
    if isinstance(schema.get("not"), dict):
        yield from _nested(schema["not"], (False, False), f"{path}.not")
    if schema.get("pattern"):
        yield from _pattern(schema["pattern"], f"{path}.pattern")


def _pattern(text: str, path: str) -> Iterator[FieldError]:
    try:
        translate(text)
    except PatternError as exc:
        yield invalid(path, text, f"must be a valid regular expression, but isn't: {exc}")


def _nested(schema: Json, skip: tuple[bool, bool], path: str) -> Iterator[FieldError]:
    """Check a schema within a junctor: it may demand, but not declare."""
    yield from _values(schema, skip, path)
    if isinstance(schema.get("items"), dict):
        yield from _nested(schema["items"], (False, False), f"{path}.items")
    properties = schema.get("properties") or {}
    for name in sorted(properties):
        yield from _nested(properties[name], (False, False), f"{path}.properties[{name}]")
    if schema.get("type"):
        yield forbidden(f"{path}.type", "must be empty to be structural")
    more = schema.get("additionalProperties")
    if isinstance(more, dict) or more is True:
        yield forbidden(f"{path}.additionalProperties", f"{_UNDEFINED} to be structural")
    for name, rule in _FORBIDDEN_IN_JUNCTORS:
        if _is_forbidden(schema, name):
            yield forbidden(f"{path}.{name}", f"{rule} to be structural")
    if "metadata" in properties:
        rule = "must not be specified in a nested context"
        yield forbidden(f"{path}.properties[metadata]", rule)


def _is_forbidden(schema: Json, name: str) -> bool:
    value = schema.get(name)
    by_presence = name in ("default", "x-kubernetes-list-type", "x-kubernetes-map-type")
    return value is not None if by_presence else bool(value)


def _junctors_complete(part: Json, spine: Json | None, at: str, told: str) -> Iterator[FieldError]:
    """Check that the fields that junctors speak of are declared outside of them."""
    if isinstance(part.get("not"), dict):
        yield from _nested_complete(part["not"], spine, at, f"{told}.not")
    for name in ("allOf", "anyOf", "oneOf"):
        for position, one in enumerate(part.get(name) or ()):
            yield from _nested_complete(one, spine, at, f"{told}.{name}[{position}]")


def _nested_complete(part: Json, spine: Json | None, at: str, told: str) -> Iterator[FieldError]:
    if spine is None:
        yield required(at, f"because it is defined in {told}")
        return
    yield from _junctors_complete(part, spine, at, told)
    if isinstance(part.get("items"), dict):
        items = spine.get("items")
        yield from _nested_complete(part["items"], items, f"{at}.items", f"{told}.items")
    declared = spine.get("properties") or {}
    for name, one in sorted((part.get("properties") or {}).items()):
        here, there = f"{at}.properties[{name}]", f"{told}.properties[{name}]"
        yield from _nested_complete(one, declared.get(name), here, there)
