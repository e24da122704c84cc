"""Filling in of what a schema has defaults for."""

from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.schema.shape import Shape

Fill = Callable[[Any], None]


def copy(value: Any) -> Any:
    """Copy a JSON value deeply."""
    if isinstance(value, dict):
        return {name: copy(item) for name, item in value.items()}
    return [copy(item) for item in value] if isinstance(value, list) else value


def compile_default(shape: Shape | None) -> Fill | None:
    """Make a function that fills in defaults in place; None where there are none to fill in."""
    if shape is None:
        return None
    fields = _compile_fields(shape)
    items = _compile_items(shape.items)
    if fields is None and items is None:
        return None

    def fill(value: Any) -> None:
        if value.__class__ is dict:
            if fields is not None:
                fields(value)
        elif items is not None and value.__class__ is list:
            items(value)

    return fill


def _compile_fields(shape: Shape) -> Fill | None:
    own = [
        (name, part.default, part.nullable)
        for name, part in shape.properties.items()
        if part.default is not None
    ]
    below = [(name, compile_default(part)) for name, part in shape.properties.items()]
    deeper = [(name, fill) for name, fill in below if fill is not None]
    values = _compile_values(shape)
    if not own and not deeper and values is None:
        return None

    def fill_fields(value: dict[str, Any]) -> None:
        for name, default, nullable in own:
            if name not in value or (value[name] is None and not nullable):
                value[name] = copy(default)
        for name, fill in deeper:
            if name in value:
                fill(value[name])
        if values is not None:
            values(value)

    return fill_fields


def _compile_values(shape: Shape) -> Fill | None:
    """Fill in the values of a map."""
    part = shape.additional
    below = compile_default(part)
    if part is None or (part.default is None and below is None):
        return None
    known, default, nullable = shape.properties, part.default, part.nullable

    def fill_values(value: dict[str, Any]) -> None:
        for name in value:
            if name in known:
                continue
            if value[name] is None and not nullable:
                value[name] = copy(default)
            if below is not None:
                below(value[name])

    return fill_values


def _compile_items(part: Shape | None) -> Fill | None:
    below = compile_default(part)
    if part is None or (part.default is None and below is None):
        return None
    default, nullable = part.default, part.nullable

    def fill_items(value: list[Any]) -> None:
        for position, item in enumerate(value):
            if item is None and not nullable:
                value[position] = copy(default)
            if below is not None:
                below(value[position])

    return fill_items
