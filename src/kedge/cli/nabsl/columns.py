"""The columns of NonAdminBackupStorageLocations in a table."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from kedge.cli.nab.columns import age
from kedge.cli.nab.request import condition, phase_of
from kedge.cli.objects import NONE, Column, name_of, part

if TYPE_CHECKING:
    from kedge.kube.kind import Object


def bucket(location: Object, _: datetime | None = None) -> str:
    """Write the bucket, and the folder in it that was asked for."""
    storage = part(location, "spec", "backupStorageLocationSpec", "objectStorage")
    return "/".join(filter(None, (part(storage, "bucket"), part(storage, "prefix")))) or NONE


def velero_phase(location: Object) -> str:
    """Write whether the bucket can be used."""
    return str(part(location, "status", "veleroBackupStorageLocation", "status", "phase") or "")


def _provider(location: Object, _: datetime) -> str:
    return str(part(location, "spec", "backupStorageLocationSpec", "provider") or "")


COLUMNS = (
    Column("Name", lambda one, _: name_of(one)),
    Column("Provider", _provider),
    Column("Bucket/Prefix", bucket),
    Column("Approved", lambda one, _: condition(one, "ClusterAdminApproved").get("status", NONE)),
    Column("Request", lambda one, _: phase_of(one) or NONE),
    Column("Location", lambda one, _: velero_phase(one) or NONE),
    Column("Age", age),
)
