"""Values of a resource as rules see them: numbers, times and bytes converted."""

import base64
import binascii
from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.cel import clock
from kedge.apiserver.crd.cel.declare import Declaration
from kedge.apiserver.crd.cel.value import CelError
from kedge.apiserver.crd.schema.same import same

Read = Callable[[Any], Any]


def reader_of(declaration: Declaration) -> Read | None:
    """Make a function that converts a value; None where values are as they should be."""
    kind = declaration.type.kind
    if kind in ("list", "map"):
        assert declaration.item is not None
        item = reader_of(declaration.item)
        if item is None:
            return None
        convert: Read = item
        if kind == "list":
            return lambda value: [convert(one) for one in value]
        return lambda value: {key: convert(one) for key, one in value.items()}
    return {
        "double": _number,
        "timestamp": _date if declaration.format == "date" else _time,
        "duration": _duration,
        "bytes": _bytes,
    }.get(kind)


def _number(value: Any) -> Any:
    return float(value) if value.__class__ is int else value


def _time(value: Any) -> Any:
    try:
        return None if value is None else clock.parse_loose_time(value)
    except ValueError as exc:
        raise CelError(f"Invalid date-time formatted string {value}: {exc}") from None


def _date(value: Any) -> Any:
    try:
        return None if value is None else clock.parse_time(f"{value}T00:00:00Z")
    except ValueError as exc:
        raise CelError(f"Invalid date formatted string {value}: {exc}") from None


def _duration(value: Any) -> Any:
    try:
        return None if value is None else clock.parse_loose_duration(value)
    except ValueError as exc:
        raise CelError(f"Invalid duration {value}: {exc}") from None


def _bytes(value: Any) -> Any:
    try:
        return None if value is None else base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise CelError(f"Invalid byte formatted string {value}: {exc}") from None


Equal = Callable[[Any, Any], bool]


def equality_of(declaration: Declaration) -> Equal:
    """Make the comparison of two values of a schema."""
    kind = declaration.type.kind
    if kind == "struct":
        return _objects(declaration)
    if kind == "map":
        assert declaration.item is not None
        return _maps(equality_of(declaration.item))
    if kind == "list":
        assert declaration.item is not None
        return _lists(declaration, equality_of(declaration.item))
    return equal


def _objects(declaration: Declaration) -> Equal:
    known = {
        declaration.names[name]: (part, reader_of(part))
        for name, part in declaration.fields.items()
    }
    tests = {name: equality_of(part) for name, (part, _) in known.items()}

    def compare(left: Any, right: Any) -> bool:
        if not isinstance(left, dict) or not isinstance(right, dict):
            return left is None and right is None
        if len(left) != len(right):
            return False
        for name, value in left.items():
            other = right.get(name)
            if name not in known:
                if name in right and not same(value, other):
                    return False
            elif value is None or other is None:
                if value is not other:
                    return False
            elif not tests[name](*_read_both(known[name][1], value, other)):
                return False
        return True

    return compare


def _read_both(read: Read | None, left: Any, right: Any) -> tuple[Any, Any]:
    return (left, right) if read is None else (read(left), read(right))


def _maps(item: Equal) -> Equal:
    def compare(left: Any, right: Any) -> bool:
        if not isinstance(left, dict) or not isinstance(right, dict):
            return False
        return left.keys() == right.keys() and all(item(left[key], right[key]) for key in left)

    return compare


def _lists(declaration: Declaration, item: Equal) -> Equal:
    def in_order(left: Any, right: Any) -> bool:
        return (
            isinstance(left, list)
            and isinstance(right, list)
            and len(left) == len(right)
            and all(map(item, left, right))
        )

    def as_set(left: Any, right: Any) -> bool:
        if not isinstance(right, list) or len(left) != len(right):
            return False
        return all(any(equal(one, other) for other in left) for one in right)

    def by_key(left: Any, right: Any) -> bool:
        if not isinstance(right, list) or len(left) != len(right):
            return False
        known = {key_of(declaration, one): one for one in left}
        return all(
            key_of(declaration, one) in known and item(known[key_of(declaration, one)], one)
            for one in right
        )

    return {"set": as_set, "map": by_key}.get(declaration.list_type, in_order)


def key_of(declaration: Declaration, item: Any) -> tuple[Any, ...]:
    """Give the keys of an item of a list of type map."""
    values = [item.get(name) if isinstance(item, dict) else None for name in declaration.list_keys]
    return tuple((value.__class__, value) for value in values)


def merged(declaration: Declaration, left: list[Any], right: list[Any]) -> list[Any]:
    """Add two lists as their type asks: a set grows, a map takes over what has the same keys."""
    result = list(left)
    if declaration.list_type == "set":
        for one in right:
            if not any(equal(one, other) for other in result):
                result.append(one)
        return result
    places = {key_of(declaration, one): position for position, one in enumerate(result)}
    for one in right:
        place = places.get(key_of(declaration, one))
        if place is None:
            result.append(one)
        else:
            result[place] = one
    return result


def equal(left: Any, right: Any) -> bool:
    """Compare two values: numbers by what they mean, all else only with its own kind."""
    one, other = left.__class__, right.__class__
    if one is other or (_is_number(left) and _is_number(right)):
        if one is dict:
            return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
        if one is list:
            return len(left) == len(right) and all(map(equal, left, right))
        return bool(left == right)
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and value.__class__ is not bool
