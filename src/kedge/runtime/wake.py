"""Whom a change wakes: functions from a change to keys. The event ends here; the key goes on."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from kedge.kube.kind import Kind
from kedge.kube.meta import OwnerReference
from kedge.runtime.entry import Change, Entry
from kedge.runtime.key import Key

T = TypeVar("T")

Wake: TypeAlias = Callable[[Change[T]], Iterable[Key]]


def itself(change: Change[Any]) -> Iterable[Key]:
    """Wake the object that has changed."""
    return (change.key,)


def owner(kind: Kind[Any], *, controller_only: bool = True) -> Wake[Any]:
    """Wake the owner of this kind: the old one and the new one where they differ."""

    def keys(change: Change[Any]) -> Iterable[Key]:
        return dict.fromkeys(
            Key(entry.key.namespace if kind.namespaced else "", reference.name)
            for entry in (change.old, change.new)
            if entry is not None
            for reference in entry.meta.owner_references or ()
            if _is_owner(reference, kind, controller_only=controller_only)
        )

    return keys


def label(name: str, namespace: str | None = None) -> Wake[Any]:
    """Wake the object whose name is the value of a label, in the same or a given namespace."""

    def keys(change: Change[Any]) -> Iterable[Key]:
        found: dict[Key, None] = {}
        for entry in (change.old, change.new):
            value = entry.labels.get(name) if entry is not None else None
            if entry is not None and value:
                place = entry.key.namespace if namespace is None else namespace
                found[Key(place, value)] = None
        return found

    return keys


def mapped(names: Callable[[Entry[T]], Iterable[Key]]) -> Wake[T]:
    """Wake what a function makes of an object, of its old version and of its new one."""

    def keys(change: Change[T]) -> Iterable[Key]:
        entries = [entry for entry in (change.old, change.new) if entry is not None]
        return dict.fromkeys(key for entry in entries for key in names(entry))

    return keys


def when(holds: Callable[[Change[T]], bool], wake: Wake[T]) -> Wake[T]:
    """Wake only where something holds of the change."""

    def keys(change: Change[T]) -> Iterable[Key]:
        return wake(change) if holds(change) else ()

    return keys


def _is_owner(reference: OwnerReference, kind: Kind[Any], *, controller_only: bool) -> bool:
    if controller_only and not reference.controller:
        return False
    # The version may be an older one of the same kind.
    group = reference.api_version.rpartition("/")[0]
    return reference.kind == kind.name and group == kind.group
