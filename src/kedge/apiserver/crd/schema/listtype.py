"""Lists of type set and map: no item, and no key, may be there twice."""

from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.schema.place import child
from kedge.apiserver.crd.schema.shape import Shape
from kedge.kube.fielderror import FieldError, duplicate, invalid
from kedge.kube.gotext import to_json

Test = Callable[[Any], bool]


def compile_unique(shape: Shape | None) -> Test | None:
    """Make a function that says that nothing is repeated for sure; None if nothing can be."""
    if shape is None:
        return None
    fields = [(name, compile_unique(part)) for name, part in shape.properties.items()]
    below = [(name, test) for name, test in fields if test is not None]
    values, items = compile_unique(shape.additional), compile_unique(shape.items)
    own = _own_test(shape)
    if not below and values is None and items is None and own is None:
        return None

    def is_unique(value: Any) -> bool:
        if value.__class__ is dict:
            if any(name in value and not test(value[name]) for name, test in below):
                return False
            return values is None or all(map(values, value.values()))
        if value.__class__ is list:
            return (own is None or own(value)) and (items is None or all(map(items, value)))
        return True

    return is_unique


def _own_test(shape: Shape) -> Test | None:
    """Make the quick test of a list's own items; what it can not handle is no sure thing."""
    if shape.list_type == "set":
        return lambda items: _is_distinct(items, lambda item: item)
    if shape.list_type == "map" and len(shape.list_keys) == 1:
        key = shape.list_keys[0]
        return lambda items: _is_distinct(items, lambda item: item[key])
    return (lambda items: len(items) < 2) if shape.list_type == "map" else None


def _is_distinct(items: list[Any], key: Callable[[Any], Any]) -> bool:
    try:
        return len({key(item) for item in items}) == len(items)
    except (TypeError, KeyError):
        return False


def repeated(shape: Shape | None, obj: Any, path: str = "") -> list[FieldError]:
    """Find the repetitions in an object."""
    if shape is None or not isinstance(obj, dict):
        return []
    found = []
    if shape.additional is not None:
        for name in sorted(obj):
            found += _value(shape.additional, obj[name], f"{path}[{name}]")
    for name, part in shape.properties.items():
        if name in obj:
            found += _value(part, obj[name], child(path, name))
    return found


def _value(shape: Shape, value: Any, path: str) -> list[FieldError]:
    if isinstance(value, list):
        return _list(shape, value, path)
    return repeated(shape, value, path)


def _list(shape: Shape, items: list[Any], path: str) -> list[FieldError]:
    found: list[FieldError] = []
    if shape.list_type == "set":
        found += [duplicate(f"{path}[{i}]", items[i]) for i in _second(items)]
    elif shape.list_type == "map":
        found += _map(shape, items, path)
    if shape.items is not None:
        for position, item in enumerate(items):
            found += _value(shape.items, item, f"{path}[{position}]")
    return found


def _second(items: list[Any]) -> list[int]:
    """Give the positions at which something is seen for the second time."""
    times: dict[Any, int] = {}
    found = []
    for position, item in enumerate(items):
        compound = isinstance(item, dict | list)
        key = to_json(item) if compound else (item.__class__, item)
        times[key] = times.get(key, 0) + 1
        if times[key] == 2:
            found.append(position)
    return found


def _map(shape: Shape, items: list[Any], path: str) -> list[FieldError]:
    for position, item in enumerate(items):
        if item is not None and not isinstance(item, dict):
            rule = "must be an object for an array of list-type map"
            return [invalid(f"{path}[{position}]", item, rule)]
    keys = [_key(shape, item or {}) for item in items]
    return [duplicate(f"{path}[{i}]", keys[i]) for i in _second(keys)]


def _key(shape: Shape, item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in shape.list_keys if name in item}
