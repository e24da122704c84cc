"""Typed objects from plain ones that no API server has checked, and back."""

from typing import Any, TypeVar

import msgspec

from kedge.kube.kind import Kind, Object

T = TypeVar("T")


def from_plain(kind: Kind[T], obj: Object) -> T:
    """Read a plain object as Go would: null counts as absent, and unknown fields do not matter.

    Raises msgspec.ValidationError, which names the place that does not fit.
    """
    return msgspec.convert(without_nulls(obj), kind.model)


def to_plain(kind: Kind[T], obj: T) -> Object:
    """Write a typed object as a plain one, which begins with what kind it is."""
    head = {"apiVersion": kind.api_version, "kind": kind.name}
    fields: Object = msgspec.to_builtins(obj)
    return head | fields | head


def without_nulls(value: Any) -> Any:
    """Leave out all that is null, at any depth: absent and null are the same to Go."""
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [without_nulls(each) for each in value if each is not None]
    return value
