"""Rules on the keywords of a CRD's schema, beyond its being structural."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kedge.apiserver.crd import internal, structural
from kedge.apiserver.crd.fieldpath import FieldPathError, resolve
from kedge.apiserver.crd.spot import KEY, Spot
from kedge.kube.fielderror import (
    FieldError,
    Shown,
    forbidden,
    invalid,
    not_supported,
    required,
    typed,
)
from kedge.kube.gotext import to_json

if TYPE_CHECKING:
    from kedge.apiserver.crd.rulecheck import RuleChecker

Json = dict[str, Any]

TYPES = ("array", "boolean", "integer", "number", "object", "string")
REASONS = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)
_META = frozenset({"metadata", "kind", "apiVersion"})
_LIST, _KEYS, _MAP = (
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
)
_NEWLINE = re.compile(r"[\n\r]")


@dataclass(frozen=True, slots=True)
class Where:
    """What holds at a place because of what is above it."""

    is_root: bool = False
    default_ban: str | None = None
    """Why there may be no default here; empty without a reason, None where there may be one."""
    inside_meta: bool = False
    uncorrelatable: str = ""
    """The highest place above whose values have no counterpart in an old object."""
    rules: "RuleChecker | None" = None
    """Checks the CEL rules; None within junctors, and where the schema is not fit for it."""
    cardinality: int | None = 1
    """How many values there can be at the place; None if there is no limit."""

    def within(self, schema: Json) -> "Where":
        """Give what holds for the values of a schema's fields, entries or items."""
        count: int | None = 1
        if schema.get("type") == "array":
            count = schema.get("maxItems")
        elif schema.get("type") == "object" and schema.get("additionalProperties") is not None:
            count = schema.get("maxProperties")
        if self.cardinality is None or count is None:
            return self.below(cardinality=None)
        return self.below(cardinality=self.cardinality * max(count, 0))

    def below(self, **changes: Any) -> "Where":
        """Give what holds for a part."""
        return replace(self, is_root=False, **changes)

    def apart(self, path: str) -> "Where":
        """Give what holds below a place whose values have no counterpart in the old object."""
        return self if self.uncorrelatable else replace(self, uncorrelatable=path)


@dataclass(slots=True)
class Findings:
    """Errors of the schema, and of its CEL rules, which come last."""

    schema: list[FieldError] = field(default_factory=list)
    rules: list[FieldError] = field(default_factory=list)

    @property
    def all(self) -> list[FieldError]:
        """Give both."""
        return self.schema + self.rules

    def take(self, other: "Findings") -> None:
        """Add what a part has."""
        self.schema += other.schema
        self.rules += other.rules


def check(schema: Json, path: str, where: Where) -> Findings:
    """Check a schema and all below it."""
    found = Findings([*_standard(schema, path, where)])
    if schema.get("uniqueItems"):
        rule = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        found.schema.append(forbidden(f"{path}.uniqueItems", rule))
    _parts(schema, path, where, found)
    found.schema += [*_map_type(schema, path), *_list_type(schema, path), *_list_keys(schema, path)]
    found.schema += [*_map_items(schema, path), *_item_keys(schema, path)]
    rules = schema.get(KEY) or []
    for position, rule in enumerate(rules):
        found.schema += _rule(schema, rule, f"{path}.{KEY}[{position}]")
    if rules and not found.schema and where.rules is not None:
        is_resource = where.is_root or bool(schema.get("x-kubernetes-embedded-resource"))
        spot = Spot(path, is_resource, where.uncorrelatable, where.cardinality)
        found.rules += where.rules.check(schema, spot)
    return found


def _standard(schema: Json, path: str, where: Where) -> Iterator[FieldError]:
    kind = schema.get("type") or ""
    if kind and kind not in TYPES:
        yield not_supported(f"{path}.type", kind, TYPES)
    if schema.get("default") is not None and where.default_ban is not None:
        yield forbidden(f"{path}.default", f"must not be set {where.default_ban}".rstrip())
    yield from _unsupported(schema, path)
    if kind == "null":
        rule = "type cannot be set to null, use nullable as an alternative"
        yield forbidden(f"{path}.type", rule)
    if isinstance(schema.get("items"), list) and schema["items"]:
        yield forbidden(f"{path}.items", "items must be a schema object and not an array")
    if where.inside_meta and schema.get("x-kubernetes-embedded-resource"):
        place = f"{path}.x-kubernetes-embedded-resource"
        yield forbidden(place, "must not be used inside of resource meta")


def _unsupported(schema: Json, path: str) -> Iterator[FieldError]:
    names = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
    for name in names:
        value = schema.get(name)
        counts_empty = name in ("additionalItems", "dependencies", "$ref")
        if value is not None if counts_empty else value:
            yield forbidden(f"{path}.{name}", f"{name} is not supported")


def _parts(schema: Json, path: str, where: Where, found: Findings) -> None:
    """Check what is below, in the order of kube-apiserver; maps in the order of their keys."""
    _additional(schema, path, where, found)
    _properties(schema, path, where, found)
    aside = where.below(rules=None)
    if isinstance(schema.get("not"), dict):
        found.take(check(schema["not"], f"{path}.not", aside))
    for name in ("allOf", "oneOf", "anyOf"):
        for position, one in enumerate(schema.get(name) or ()):
            found.take(check(one, f"{path}.{name}[{position}]", aside))
    for name, one in sorted((schema.get("definitions") or {}).items()):
        found.take(check(one, f"{path}.definitions[{name}]", aside))
    _items(schema, path, where, found)
    for name, one in sorted((schema.get("dependencies") or {}).items()):
        if isinstance(one, dict):
            found.take(check(one, f"{path}.dependencies[{name}]", aside))
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        place = f"{path}.x-kubernetes-preserve-unknown-fields"
        found.schema.append(invalid(place, False, "must be true or undefined"))


def _additional(schema: Json, path: str, where: Where, found: Findings) -> None:
    more = schema.get("additionalProperties")
    place = f"{path}.additionalProperties"
    if more is None:
        return
    if schema.get("properties") and more is not True:
        rule = "additionalProperties and properties are mutual exclusive"
        found.schema.append(forbidden(place, rule))
    if isinstance(more, dict):
        below = where.within(schema)
        if where.inside_meta:
            below = below.below(
                default_ban="inside additionalProperties applying to object metadata"
            )
        found.take(check(more, place, below))


def _properties(schema: Json, path: str, where: Where, found: Findings) -> None:
    for name, part in sorted((schema.get("properties") or {}).items()):
        below = where.within(schema)
        if schema.get(_MAP) not in (None, "granular", "atomic"):
            below = below.apart(path)
        if (where.is_root or schema.get("x-kubernetes-embedded-resource")) and name in _META:
            below = below.below(inside_meta=True)
            if where.is_root:
                below = below.below(default_ban=f"in top-level {name}")
        found.take(check(part, f"{path}.properties[{name}]", below))


def _items(schema: Json, path: str, where: Where, found: Findings) -> None:
    items = schema.get("items")
    below = where.within(schema)
    if schema.get(_LIST) != "map":
        below = below.apart(path)
    if isinstance(items, dict):
        found.take(check(items, f"{path}.items", below))
    for position, one in enumerate(items if isinstance(items, list) else ()):
        found.take(check(one, f"{path}.items[{position}]", below))


def _wrong_type(schema: Json, path: str, rule: str) -> FieldError:
    kind = schema.get("type") or ""
    return invalid(f"{path}.type", kind, rule) if kind else required(f"{path}.type", rule)


def _map_type(schema: Json, path: str) -> Iterator[FieldError]:
    kind = schema.get(_MAP)
    if kind is None:
        return
    if schema.get("type") != "object":
        yield _wrong_type(schema, path, f"must be object if {_MAP} is specified")
    if kind not in ("atomic", "granular"):
        yield not_supported(f"{path}.{_MAP}", kind, ("atomic", "granular"))


def _list_type(schema: Json, path: str) -> Iterator[FieldError]:
    kind = schema.get(_LIST)
    if kind is None:
        return
    if schema.get("type") != "array":
        yield _wrong_type(schema, path, f"must be array if {_LIST} is specified")
    elif kind == "set" and isinstance(schema.get("items"), dict):
        yield from _atomic_items(schema["items"], f"{path}.items")
    if kind not in ("atomic", "set", "map"):
        yield not_supported(f"{path}.{_LIST}", kind, ("atomic", "set", "map"))


def _atomic_items(items: Json, path: str) -> Iterator[FieldError]:
    rule = f"must be atomic as item of a list with {_LIST}=set"
    told = Shown(to_json(items.get(_LIST)))
    if items.get("type") == "array" and items.get(_LIST) not in (None, "atomic"):
        yield invalid(f"{path}.{_LIST}", told, rule)
    if items.get("type") == "object" and items.get(_MAP) != "atomic":
        yield invalid(f"{path}.{_MAP}", told, rule)


def _list_keys(schema: Json, path: str) -> Iterator[FieldError]:
    kind = schema.get(_LIST)
    rule = f"must be map if {_KEYS} is non-empty"
    if schema.get(_KEYS) and kind is None:
        yield required(f"{path}.{_LIST}", rule)
    elif schema.get(_KEYS) and kind != "map":
        yield invalid(f"{path}.{_LIST}", kind, rule)


def _map_items(schema: Json, path: str) -> Iterator[FieldError]:
    if schema.get(_LIST) != "map":
        return
    items, keys = schema.get("items"), schema.get(_KEYS) or []
    if not keys:
        yield required(f"{path}.{_KEYS}", f"must not be empty if {_LIST} is map")
    if items is None:
        yield required(f"{path}.items", f"must have a schema if {_LIST} is map")
        return
    if isinstance(items, list):
        rule = f"must only have a single schema if {_LIST} is map"
        yield invalid(f"{path}.items", internal.items(items), rule)
        return
    kind = items.get("type") or ""
    if kind != "object":
        rule = f"must be object if parent array's {_LIST} is map"
        yield invalid(f"{path}.items.type", kind, rule)
        return
    yield from _key_types(items, keys, path)


def _key_types(items: Json, keys: list[str], path: str) -> Iterator[FieldError]:
    properties = items.get("properties") or {}
    for position, key in enumerate(keys):
        if key not in properties:
            rule = "entries must all be names of item properties"
            yield invalid(f"{path}.{_KEYS}", keys, rule)
        elif properties[key].get("type") in ("array", "object"):
            rule = f"must be a scalar type if parent array's {_LIST} is map"
            yield invalid(f"{path}.items.properties[{key}].type", items["type"], rule)
        if key in keys[:position]:
            yield invalid(f"{path}.{_KEYS}", keys, "must not contain duplicate entries")


def _item_keys(schema: Json, path: str) -> Iterator[FieldError]:
    """Check that the items of a set or a map are there, and that keys always have a value."""
    items, kind = schema.get("items"), schema.get(_LIST)
    if not isinstance(items, dict) or kind not in ("set", "map"):
        return
    if items.get("nullable"):
        yield forbidden(f"{path}.items.nullable", f"cannot be nullable when {_LIST} is {kind}")
    if kind != "map":
        return
    properties, needed = items.get("properties") or {}, items.get("required") or []
    for key in schema.get(_KEYS) or []:
        if key not in properties:
            continue
        place = f"{path}.items.properties[{key}]"
        told = f"this property is in {_KEYS}, so it"
        if key not in needed and properties[key].get("default") is None:
            rule = f"{told} must have a default or be a required property"
            yield required(f"{place}.default", rule)
        if properties[key].get("nullable"):
            yield forbidden(f"{place}.nullable", f"{told} cannot be nullable")


def _rule(schema: Json, rule: Json, path: str) -> Iterator[FieldError]:
    """Check one rule but for its expressions."""
    message = rule.get("message") or ""
    yield from _rule_text(rule, message, path)
    expression = rule.get("messageExpression") or ""
    if expression and not expression.strip():
        told = "messageExpression must be non-empty if specified"
        yield required(f"{path}.messageExpression", told)
    reason = rule.get("reason")
    if reason is not None and reason not in REASONS:
        yield not_supported(f"{path}.reason", typed(reason), REASONS)
    place = rule.get("fieldPath") or ""
    if place and not place.strip():
        yield invalid(f"{path}.fieldPath", place, "must be non-empty if specified")
    if _NEWLINE.search(place):
        yield invalid(f"{path}.fieldPath", place, "must not contain line breaks")
    if place and not _is_field_path(schema, place):
        yield invalid(f"{path}.fieldPath", place, "must be a valid path")


def _rule_text(rule: Json, message: str, path: str) -> Iterator[FieldError]:
    text = (rule.get("rule") or "").strip()
    if not text:
        yield required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(f"{path}.message", message, "must be non-empty if specified")
    elif _NEWLINE.search(message.strip()):
        yield invalid(f"{path}.message", message, "must not contain line breaks")
    elif _NEWLINE.search(text) and not message.strip():
        told = "message must be specified if rule contains line breaks"
        yield required(f"{path}.message", told)


def _is_field_path(schema: Json, text: str) -> bool:
    if structural.unsupported(schema):
        return True
    try:
        resolve(text, schema)
    except FieldPathError:
        return False
    return True
