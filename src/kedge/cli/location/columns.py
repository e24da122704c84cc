"""The columns of BackupStorageLocations in a table."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from kedge.cli.objects import Column, part, time_text

if TYPE_CHECKING:
    from kedge.kube.kind import Object

UNKNOWN = "Unknown"


def _bucket(location: Object, _: datetime) -> str:
    storage = part(location, "spec", "objectStorage") or {}
    return "/".join(filter(None, (storage.get("bucket"), storage.get("prefix"))))


def _validated(location: Object, _: datetime) -> str:
    return time_text(part(location, "status", "lastValidationTime"), UNKNOWN)


COLUMNS = (
    Column("Name", lambda one, _: part(one, "metadata", "name") or ""),
    Column("Provider", lambda one, _: part(one, "spec", "provider") or ""),
    Column("Bucket/Prefix", _bucket),
    Column("Phase", lambda one, _: part(one, "status", "phase") or UNKNOWN),
    Column("Last Validated", _validated),
    Column("Access Mode", lambda one, _: part(one, "spec", "accessMode") or "ReadWrite"),
    Column("Default", lambda one, _: "true" if part(one, "spec", "default") else ""),
)
MESSAGE = Column("Message", lambda one, _: part(one, "status", "message") or "")
"""Why a location can not be used; in the table only where there is something to tell."""
