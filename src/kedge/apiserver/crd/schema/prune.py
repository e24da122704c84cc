"""Dropping of what a schema does not know: unknown fields, and nulls where none may be."""

from collections.abc import Callable, Iterable
from types import NoneType
from typing import Any

from kedge.apiserver.crd.schema.shape import META_FIELDS, Shape

Test = Callable[[Any], bool]
Table = dict[type, "Test | bool"]

_SCALARS: dict[type, Test | bool] = {str: True, bool: True, int: True, float: True}
_ANYTHING: Table = {**_SCALARS, dict: True, list: True, NoneType: True}


def prune(value: Any, shape: Shape | None) -> list[str]:
    """Drop unknown fields in place; give their paths, in order."""
    pruner = _Pruner()
    pruner.prune(value, shape, "")
    return sorted(pruner.unknown)


class _Pruner:
    def __init__(self) -> None:
        self.unknown: list[str] = []

    def prune(self, value: Any, shape: Shape | None, path: str) -> None:
        if shape is not None and shape.preserve:
            self.keep(value, shape, path)
        elif isinstance(value, dict):
            for name in list(value):
                self._field(value, name, shape, path)
        elif isinstance(value, list):
            items = None if shape is None else shape.items
            for position, item in enumerate(value):
                self.prune(item, items, f"{path}[{position}]")

    def _field(self, value: dict[str, Any], name: str, shape: Shape | None, path: str) -> None:
        if shape is not None and shape.embedded and name in META_FIELDS:
            return
        place = f"{path}.{name}" if path else name
        if shape is not None and (name in shape.properties or shape.has_additional):
            self.prune(value[name], shape.find(name), place)
            return
        del value[name]
        if path or name not in META_FIELDS:
            self.unknown.append(place)

    def keep(self, value: Any, shape: Shape | None, path: str) -> None:
        """Go through a value whose unknown fields stay; those of known fields do not."""
        if shape is None:
            return
        if isinstance(value, dict):
            for name, item in value.items():
                known = name in shape.properties or shape.has_additional
                if known and not (shape.embedded and name in META_FIELDS):
                    self.prune(item, shape.find(name), f"{path}.{name}" if path else name)
        elif isinstance(value, list):
            for position, item in enumerate(value):
                self.keep(item, shape.items, f"{path}[{position}]")


def drop_nulls(value: Any, shape: Shape | None) -> None:
    """Drop nulls of fields that may not be null and have no default, in place."""
    if shape is None:
        return
    if isinstance(value, dict):
        for name in list(value):
            part, item = shape.find(name), value[name]
            if item is None and part is not None and not part.nullable and part.default is None:
                del value[name]
            else:
                drop_nulls(item, part)
    elif isinstance(value, list):
        for item in value:
            drop_nulls(item, shape.items)


def compile_clean(shape: Shape) -> Test:
    """Make a function that says whether `prune` and `drop_nulls` have nothing to do."""
    test = _table(shape, False)[dict]
    return test if callable(test) else lambda value: True


def _table(shape: Shape | None, keep: bool) -> Table:
    if shape is None:
        return _ANYTHING if keep else {**_SCALARS, dict: _is_empty, list: _each(None, False)}
    keep = keep or shape.preserve
    table: Table = {**_SCALARS, dict: _fields(shape, keep), list: _each(shape.items, keep)}
    if shape.nullable or shape.default is not None:
        table[NoneType] = True
    return table


def _is_empty(value: Any) -> bool:
    return not value


def _fields(shape: Shape, keep: bool) -> Test | bool:
    tables = {name: _table(part, False) for name, part in shape.properties.items()}
    if shape.embedded:
        tables |= dict.fromkeys(META_FIELDS, _ANYTHING)
    rest: Table = {}
    if shape.has_additional:
        rest = _value_table(shape.additional)
    elif keep:
        rest = _ANYTHING
    if not tables and rest is _ANYTHING:
        return True
    if not tables and not rest:
        return _is_empty
    get = tables.get

    def check(value: Any) -> bool:
        for name, item in value.items():
            test = get(name, rest).get(item.__class__)
            if test is not True and (not test or not test(item)):
                return False
        return True

    return check


def _value_table(shape: Shape | None) -> Table:
    table = _table(shape, False)
    return {**table, NoneType: True} if shape is None else table


def _each(shape: Shape | None, keep: bool) -> Test | bool:
    if shape is None:
        return True if keep else _items({**_SCALARS, NoneType: True, dict: _is_empty})
    return _items({**_table(shape, keep), NoneType: True})


def _items(table: Table) -> Test:
    get = table.get

    def check(items: Iterable[Any]) -> bool:
        for item in items:
            test = get(item.__class__)
            if test is not True and (not test or not test(item)):
                return False
        return True

    return check
