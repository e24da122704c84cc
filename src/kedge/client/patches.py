"""The four ways to change a part of an object."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

MERGE: Final = "application/merge-patch+json"
JSON: Final = "application/json-patch+json"
STRATEGIC: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"


class Patch(msgspec.Struct, frozen=True):
    """A change, and how it is to be read."""

    media: str
    body: bytes
    force: bool | None = None
    """Of an apply: take fields from their other managers."""
    repeatable: bool = False
    """Made twice it does no more than made once."""


def merge(change: Mapping[str, Any]) -> Patch:
    """Put in what is given, field by field; None takes a field away."""
    return Patch(MERGE, msgspec.json.encode(change), repeatable=not _is_bound(change))


def strategic(change: Mapping[str, Any]) -> Patch:
    """Put in what is given; lists that have a merge key are merged. Built-in kinds only."""
    return Patch(STRATEGIC, msgspec.json.encode(change), repeatable=not _is_bound(change))


def json(operations: Sequence[Mapping[str, Any]]) -> Patch:
    """Do the operations of RFC 6902 in turn, all or none."""
    return Patch(JSON, msgspec.json.encode(operations))


def apply(wanted: Any, *, force: bool = False) -> Patch:
    """Say which fields one wants and how; the server keeps book of whose they are."""
    body = msgspec.to_builtins(wanted)
    # JSON is YAML.
    return Patch(APPLY, msgspec.json.encode(body), force, repeatable=not _is_bound(body))


def _is_bound(change: Mapping[str, Any]) -> bool:
    """Tell whether the change is for one version only: the second time it is a Conflict."""
    meta = change.get("metadata")
    return isinstance(meta, Mapping) and bool(meta.get("resourceVersion"))
