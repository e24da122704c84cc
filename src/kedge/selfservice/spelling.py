"""Fields of Velero's specs as Go holds them: which are set, which are equal, how they print. Pure.

The administrator's values are compared with a user's as the original does it: a pointer to false
and an empty list are set, an empty text and a struct of nothing are not.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from kedge.kube.durations import DurationError, format_duration, parse_duration
from kedge.kube.gotext import to_text


class Form(StrEnum):
    """What a field is in Go."""

    POINTER = "pointer"
    LIST = "list"
    MAP = "map"
    TEXT = "text"
    FLAG = "flag"
    DURATION = "duration"
    STRUCT = "struct"


Forms = Mapping[str, Form]

BACKUP_FORMS: Final[Forms] = {
    "metadata": Form.STRUCT,
    "includedNamespaces": Form.LIST,
    "excludedNamespaces": Form.LIST,
    "includedResources": Form.LIST,
    "excludedResources": Form.LIST,
    "includedClusterScopedResources": Form.LIST,
    "excludedClusterScopedResources": Form.LIST,
    "includedNamespaceScopedResources": Form.LIST,
    "excludedNamespaceScopedResources": Form.LIST,
    "labelSelector": Form.POINTER,
    "orLabelSelectors": Form.LIST,
    "snapshotVolumes": Form.POINTER,
    "ttl": Form.DURATION,
    "includeClusterResources": Form.POINTER,
    "hooks": Form.STRUCT,
    "storageLocation": Form.TEXT,
    "volumeSnapshotLocations": Form.LIST,
    "defaultVolumesToRestic": Form.POINTER,
    "defaultVolumesToFsBackup": Form.POINTER,
    "orderedResources": Form.MAP,
    "csiSnapshotTimeout": Form.DURATION,
    "itemOperationTimeout": Form.DURATION,
    "resourcePolicy": Form.POINTER,
    "snapshotMoveData": Form.POINTER,
    "datamover": Form.TEXT,
    "uploaderConfig": Form.POINTER,
    "volumeGroupSnapshotLabelKey": Form.TEXT,
}
"""In the order in which they are compared."""

RESTORE_FORMS: Final[Forms] = {
    "backupName": Form.TEXT,
    "scheduleName": Form.TEXT,
    "includedNamespaces": Form.LIST,
    "excludedNamespaces": Form.LIST,
    "includedResources": Form.LIST,
    "excludedResources": Form.LIST,
    "namespaceMapping": Form.MAP,
    "labelSelector": Form.POINTER,
    "orLabelSelectors": Form.LIST,
    "restorePVs": Form.POINTER,
    "restoreStatus": Form.POINTER,
    "preserveNodePorts": Form.POINTER,
    "includeClusterResources": Form.POINTER,
    "hooks": Form.STRUCT,
    "existingResourcePolicy": Form.TEXT,
    "itemOperationTimeout": Form.DURATION,
    "resourceModifier": Form.POINTER,
    "uploaderConfig": Form.POINTER,
}

LOCATION_FORMS: Final[Forms] = {
    "provider": Form.TEXT,
    "config": Form.MAP,
    "credential": Form.POINTER,
    "objectStorage": Form.STRUCT,
    "default": Form.FLAG,
    "accessMode": Form.TEXT,
    "backupSyncPeriod": Form.POINTER,
    "validationFrequency": Form.POINTER,
}
DURATIONS: Final = frozenset(
    {"ttl", "csiSnapshotTimeout", "itemOperationTimeout", "backupSyncPeriod", "validationFrequency"}
)
_INNER_DURATIONS: Final = frozenset({"timeout", "execTimeout", "waitTimeout"})
"""Those of hooks."""
_VERBATIM: Final = frozenset(
    {"matchLabels", "labels", "orderedResources", "namespaceMapping", "config", "initContainers"}
)
"""Maps, and what Go does not read: an empty text in them is not as good as none."""
_POINTERS: Final = frozenset({"apiGroup"})
"""Texts in structs of which Go knows whether they were written."""


def is_set(form: Form, value: Any) -> bool:
    """Tell whether a field is anything but Go's zero value."""
    match form:
        case _ if value is None:
            return False
        case Form.POINTER | Form.LIST | Form.MAP:
            return True
        case Form.DURATION:
            return bool(_nanoseconds(value))
        case Form.STRUCT:
            return not _is_hollow(value)
        case _:
            return bool(value)


def is_same(name: str, one: Any, other: Any) -> bool:
    """Tell whether two values of a field are equal to Go."""
    if name in DURATIONS:
        return bool(_nanoseconds(one) == _nanoseconds(other))
    return bool(_pure(name, one) == _pure(name, other))


def is_same_spec(forms: Forms, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two specs are equal to Go, in all of their fields."""
    pairs = ((name, form, one.get(name), other.get(name)) for name, form in forms.items())
    return all(
        is_same(name, left, right) or not (is_set(form, left) or is_set(form, right))
        for name, form, left, right in pairs
    )


def text_of(name: str, value: Any) -> str:
    """Write a value as Go's `%v` does."""
    if name in DURATIONS and isinstance(value, str):
        try:
            return format_duration(parse_duration(value))
        except DurationError:
            return value
    return to_text(value)


def _nanoseconds(value: Any) -> Any:
    """Read a duration; what is none stays as it is."""
    if value and not isinstance(value, str):
        return value
    try:
        return parse_duration(value) if value else 0
    except DurationError:
        return value


def _is_hollow(value: Any) -> bool:
    """Tell whether a struct has nothing but zero values; a list or a map that is there counts."""
    return isinstance(value, Mapping) and all(each in (None, "", 0) for each in value.values())


def _pure(name: str, value: Any) -> Any:
    """Leave out what to Go is as absent as what was never there: null, and zero in structs."""
    if isinstance(value, list):
        return [_pure(name, each) for each in value]
    if name in _INNER_DURATIONS:
        return _nanoseconds(value) or None
    if not isinstance(value, Mapping):
        return value
    pure = {inner: _pure(_within(name, inner), each) for inner, each in value.items()}
    return {inner: each for inner, each in pure.items() if not _is_absent(name, inner, each)}


def _within(name: str, inner: str) -> str:
    return name if name in _VERBATIM else inner


def _is_absent(name: str, inner: str, value: Any) -> bool:
    if value is None or name in _VERBATIM or inner in _POINTERS:
        return value is None
    return not isinstance(value, (bool, list, Mapping)) and not value
