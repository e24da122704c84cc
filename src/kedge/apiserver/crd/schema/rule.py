"""What one node of an openAPIV3Schema demands of a value, read once from its JSON."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kedge.apiserver.crd.text import format as formats
from kedge.apiserver.crd.text import pattern as patterns

Json = dict[str, Any]


@dataclass(slots=True, eq=False)
class Rule:
    """One node. `types` is empty where any type will do."""

    types: tuple[str, ...] = ()
    nullable: bool = False
    format: str = ""
    matches: Callable[[str], bool] | None = None
    pattern: str = ""
    enum: tuple[Any, ...] = ()
    maximum: float | None = None
    exclusive_maximum: bool = False
    minimum: float | None = None
    exclusive_minimum: bool = False
    multiple_of: float | None = None
    max_length: int | None = None
    min_length: int | None = None
    max_items: int | None = None
    min_items: int | None = None
    unique_items: bool = False
    max_properties: int | None = None
    min_properties: int | None = None
    required: tuple[str, ...] = ()
    properties: dict[str, "Rule"] = field(default_factory=dict)
    """In the order of their names, which stands in for Go's random one."""
    allows_more: bool = True
    additional: "Rule | None" = None
    items: "Rule | None" = None
    all_of: tuple["Rule", ...] = ()
    any_of: tuple["Rule", ...] = ()
    one_of: tuple["Rule", ...] = ()
    never: "Rule | None" = None
    list_type: str = ""
    list_keys: tuple[str, ...] = ()


def read(schema: Json, as_written: bool = False) -> Rule:
    """Read the rule of a schema and of all below it.

    `as_written` leaves unknown formats and int-or-string as they are: so defaults are checked.
    """
    rule = Rule(
        types=_types(schema, as_written),
        nullable=bool(schema.get("nullable")),
        format=_format(schema, as_written),
        enum=tuple(schema.get("enum") or ()),
        required=tuple(schema.get("required") or ()),
        list_type=schema.get("x-kubernetes-list-type") or "",
        list_keys=tuple(schema.get("x-kubernetes-list-map-keys") or ()),
    )
    _read_bounds(rule, schema)
    _read_parts(rule, schema, as_written)
    return rule


def _types(schema: Json, as_written: bool) -> tuple[str, ...]:
    if schema.get("x-kubernetes-int-or-string") and not as_written:
        return ("integer", "string")
    return (schema["type"],) if schema.get("type") else ()


def _format(schema: Json, as_written: bool) -> str:
    name = schema.get("format") or ""
    return name if as_written or formats.is_known(name) else ""


def _read_bounds(rule: Rule, schema: Json) -> None:
    rule.maximum = _float(schema.get("maximum"))
    rule.exclusive_maximum = bool(schema.get("exclusiveMaximum"))
    rule.minimum = _float(schema.get("minimum"))
    rule.exclusive_minimum = bool(schema.get("exclusiveMinimum"))
    rule.multiple_of = _float(schema.get("multipleOf"))
    rule.max_length = schema.get("maxLength")
    rule.min_length = schema.get("minLength")
    rule.max_items = schema.get("maxItems")
    rule.min_items = schema.get("minItems")
    rule.unique_items = bool(schema.get("uniqueItems"))
    rule.max_properties = schema.get("maxProperties")
    rule.min_properties = schema.get("minProperties")
    rule.pattern = schema.get("pattern") or ""
    if rule.pattern:
        rule.matches = patterns.matcher(rule.pattern)


def _read_parts(rule: Rule, schema: Json, as_written: bool) -> None:
    properties = schema.get("properties") or {}
    rule.properties = {name: read(properties[name], as_written) for name in sorted(properties)}
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        rule.additional = read(more, as_written)
    else:
        rule.allows_more = more is not False
    items = schema.get("items")
    if isinstance(items, dict):
        rule.items = read(items, as_written)
    rule.all_of = tuple(read(one, as_written) for one in schema.get("allOf") or ())
    rule.any_of = tuple(read(one, as_written) for one in schema.get("anyOf") or ())
    rule.one_of = tuple(read(one, as_written) for one in schema.get("oneOf") or ())
    if isinstance(schema.get("not"), dict):
        rule.never = read(schema["not"], as_written)


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
