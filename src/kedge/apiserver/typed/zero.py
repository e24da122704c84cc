"""What Go writes for a value that nobody set."""

from collections.abc import Callable
from typing import Any, Final

from kedge.kube.schema import Schema

SCALARS: Final[dict[str, Any]] = {"string": "", "integer": 0, "number": 0, "boolean": False}
CUSTOM: Final[dict[str, Any]] = {
    "quantity": "0",
    "int-or-string": 0,
    "date-time": None,
    "micro-time": None,
    "raw": None,
    "fields": None,
    "json": None,
    "schema-or-array": None,
    "schema-or-bool": False,
    "schema-or-strings": None,
}
"""Types that write their own JSON, by format. To Go they are structs, and so never empty."""
_ALWAYS: Final = "always"


def is_struct(schema: Schema) -> bool:
    """Whether the fields of the object are known, as those of a Go struct."""
    return schema.type == "object" and bool(schema.name)


def zero(schema: Schema) -> Any:
    """Give what a place holds that was never set, as JSON; a new value each time."""
    if schema.pointer:
        return None
    return zero_value(schema)


def zero_value(schema: Schema) -> Any:
    """Give the zero value of the type, also where a pointer would lead to it."""
    if schema.format in CUSTOM:
        return CUSTOM[schema.format]
    if is_struct(schema):
        return {name: make() for name, make in always(schema)}
    if schema.format == "byte":
        return None
    return SCALARS.get(schema.type)


def always(schema: Schema) -> list[tuple[str, Callable[[], Any]]]:
    """List the fields that are there even if nobody set them, with what makes their values."""
    found: list[tuple[str, Callable[[], Any]]] | None = schema.cache.get(_ALWAYS)
    if found is None:
        found = [
            (name, _maker(field))
            for name, field in schema.fields.items()
            if not is_omitted(field, zero(field))
        ]
        schema.cache[_ALWAYS] = found
    return found


def _maker(schema: Schema) -> Callable[[], Any]:
    if not schema.pointer and is_struct(schema):
        return lambda: zero_value(schema)
    value = zero(schema)
    return lambda: value


def is_omitted(schema: Schema, value: Any) -> bool:
    """Whether Go leaves the field out when it has this value."""
    if value is None and (schema.pointer or schema.omit_zero):
        return schema.omit_empty
    if schema.pointer or schema.format in CUSTOM or is_struct(schema):
        return False
    return schema.omit_empty and not value
