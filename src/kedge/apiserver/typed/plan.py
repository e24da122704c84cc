"""Decode well-formed objects fast: one compiled function for each place, working in place.

A plan takes a value as the JSON decoder made it and changes it into what Go would write: empty
fields go, fields that are always there come. Whatever is not as it should be (an unknown field, a
wrong type, a number that needs its text) raises Irregular, and the reference in exact.py looks at
the body again. A plan may have changed some of the value by then; the reference finds the same.
"""

from collections.abc import Callable
from typing import Any, Final

from kedge.apiserver.kinds.schemas import KEEPS_EMPTY
from kedge.apiserver.typed.zero import always, is_omitted, is_struct, zero, zero_value
from kedge.kube import base64text
from kedge.kube.goerror import GoError
from kedge.kube.quantity import QuantityError, canonical_quantity
from kedge.kube.schema import Fields, Schema
from kedge.kube.times import TimeError, canonical_micro_time, canonical_time

Count = list[Any]
"""First a number: the keys of all objects that were seen. Then a tuple for each empty list or map
that was left out: the object it was in, its key, and itself."""
Plan = Callable[[Any, Count], Any]

_PLAN: Final = "plan"
_STRINGS: Final = {str}


class Irregular(Exception):
    """The value needs a closer look."""


IRREGULAR: Final = Irregular()


def plan_of(schema: Schema) -> Plan:
    """Give the compiled decoder of a place."""
    found: Plan | None = schema.cache.get(_PLAN)
    if found is None:
        found = schema.cache[_PLAN] = _compile(schema)
    return found


def _compile(schema: Schema) -> Plan:
    if schema.format in _CUSTOM:
        return _CUSTOM[schema.format]
    if is_struct(schema):
        return _struct(schema)
    if schema.additional is not None:
        return _map(schema.additional)
    if schema.items is not None:
        return _list(schema.items)
    if schema.format == "byte":
        return _bytes
    return _SCALARS.get((schema.type, schema.format), _SCALARS.get((schema.type, ""), _closer_look))


def _closer_look(value: Any, count: Count) -> Any:
    raise IRREGULAR


_STRUCTS: Final[dict[int, tuple[Any, Plan]]] = {}
"""Plans by the identity of the fields, which all places of a type share and this table holds."""


def _struct(schema: Schema) -> Plan:
    fields = schema.fields
    if id(fields) not in _STRUCTS:
        _STRUCTS[id(fields)] = (fields, _struct_plan(schema))
    return _STRUCTS[id(fields)][1]


class _Entries(dict[str, tuple[type | None, bool, Plan]]):
    """Fields of a struct, compiled when they are first met: most never are."""

    def __init__(self, fields: Fields) -> None:
        super().__init__()
        self.fields = fields

    def __missing__(self, name: str) -> tuple[type | None, bool, Plan]:
        field = self.fields.get(name)
        if field is None:
            raise IRREGULAR
        self[name] = entry = (_leaf(field), _keeps_empty(field), plan_of(field))
        return entry


def _struct_plan(schema: Schema) -> Plan:
    """Compile a function over the fields that are there, not over those that could be."""
    fields = schema.fields
    entries = _Entries(fields)
    standing = always(schema)

    def run(value: Any, count: Count) -> Any:
        if type(value) is not dict:
            raise IRREGULAR
        count[0] += len(value)
        gone: list[str] = []
        for key, item in value.items():
            leaf, keeps, plan = entries[key]
            if type(item) is leaf:
                new = item
            elif item is None:
                _null(value, key, fields[key], gone)
                continue
            else:
                value[key] = new = plan(item, count)
            if not new and not keeps:
                gone.append(key)
        if gone or standing:
            _finish(value, gone, standing, count)
        return value

    return run


def _finish(
    value: dict[str, Any],
    gone: list[str],
    standing: list[tuple[str, Callable[[], Any]]],
    count: Count,
) -> None:
    for key in gone:
        item = value.pop(key)
        if type(item) is list or type(item) is dict:
            count.append((value, key, item))
    for key, make in standing:
        if key not in value:
            value[key] = make()


def _leaf(field: Schema) -> type | None:
    """Name the Python type that needs no further look."""
    if field.format:
        return None
    return {"string": str, "boolean": bool}.get(field.type)


def _keeps_empty(field: Schema) -> bool:
    """Whether an empty value that was set stays. An empty list may go, to come back as null."""
    if field.type == "array" and not field.pointer:
        return not field.omit_empty and KEEPS_EMPTY in field.cache
    if field.omit_zero:
        return False
    return not is_omitted(field, "" if field.type == "string" else 0)


def _null(value: dict[str, Any], key: str, field: Schema, gone: list[str]) -> None:
    new = zero(field)
    if is_omitted(field, new):
        gone.append(key)
    else:
        value[key] = new


def _map(element: Schema) -> Plan:
    if element.type == "string" and not element.format:
        return _string_map
    plan = plan_of(element)

    def run(value: Any, count: Count) -> Any:
        if type(value) is not dict:
            raise IRREGULAR
        count[0] += len(value)
        for key, item in value.items():
            new = plan(item, count) if item is not None else _empty_element(element)
            if new is not item:
                value[key] = new
        return value

    return run


def _empty_element(schema: Schema) -> Any:
    return "" if schema.format == "byte" else zero_value(schema)


def _string_map(value: Any, count: Count) -> Any:
    if type(value) is not dict:
        raise IRREGULAR
    count[0] += len(value)
    if value and set(map(type, value.values())) != _STRINGS:
        raise IRREGULAR
    return value


def _list(element: Schema) -> Plan:
    if element.type == "string" and not element.format:
        return _string_list
    plan = plan_of(element)

    def run(value: Any, count: Count) -> Any:
        if type(value) is not list:
            raise IRREGULAR
        for index, item in enumerate(value):
            new = plan(item, count) if item is not None else _empty_element(element)
            if new is not item:
                value[index] = new
        return value

    return run


def _string_list(value: Any, count: Count) -> Any:
    if type(value) is not list or (value and set(map(type, value)) != _STRINGS):
        raise IRREGULAR
    return value


def _string(value: Any, count: Count) -> Any:
    if type(value) is not str:
        raise IRREGULAR
    return value


def _boolean(value: Any, count: Count) -> Any:
    if type(value) is not bool:
        raise IRREGULAR
    return value


def _int32(value: Any, count: Count) -> Any:
    if type(value) is not int or not -0x80000000 <= value <= 0x7FFFFFFF:
        raise IRREGULAR
    return value


def _int64(value: Any, count: Count) -> Any:
    if type(value) is not int or not -0x8000000000000000 <= value <= 0x7FFFFFFFFFFFFFFF:
        raise IRREGULAR
    return value


def _bytes(value: Any, count: Count) -> Any:
    if type(value) is not str:
        raise IRREGULAR
    try:
        return base64text.canonical(value)
    except GoError:
        raise IRREGULAR from None


def _time(value: Any, count: Count) -> Any:
    if type(value) is not str:
        raise IRREGULAR
    try:
        return canonical_time(value)
    except TimeError:
        raise IRREGULAR from None


def _micro_time(value: Any, count: Count) -> Any:
    if type(value) is not str:
        raise IRREGULAR
    try:
        return canonical_micro_time(value)
    except TimeError:
        raise IRREGULAR from None


def _quantity(value: Any, count: Count) -> Any:
    if type(value) is not str:
        if type(value) is not int:
            raise IRREGULAR
        value = str(value)
    try:
        return canonical_quantity(value)
    except QuantityError:
        raise IRREGULAR from None


def _int_or_string(value: Any, count: Count) -> Any:
    return value if type(value) is str else _int32(value, count)


def _raw(value: Any, count: Count) -> Any:
    count[0] += keys_in(value)
    return value


def keys_in(value: Any) -> int:
    """How many keys the objects of a value have; a number that needs its text is irregular."""
    kind = type(value)
    if kind is dict:
        return len(value) + sum(map(keys_in, value.values()))
    if kind is list:
        return sum(map(keys_in, value))
    if kind is str or kind is bool or value is None or (kind is int and -(2**63) <= value < 2**63):
        return 0
    raise IRREGULAR


_SCALARS: Final[dict[tuple[str, str], Plan]] = {
    ("string", ""): _string,
    ("boolean", ""): _boolean,
    ("integer", "int32"): _int32,
    ("integer", "int64"): _int64,
}
_CUSTOM: Final[dict[str, Plan]] = {
    "date-time": _time,
    "micro-time": _micro_time,
    "quantity": _quantity,
    "int-or-string": _int_or_string,
    "raw": _raw,
    "fields": _raw,
    "json": _raw,
    "schema-or-bool": _closer_look,
    "schema-or-array": _closer_look,
    "schema-or-strings": _closer_look,
}
