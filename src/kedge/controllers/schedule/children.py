"""The Backups of a Schedule: how they are made, named and told apart. Pure."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from kedge.api.options import DUE, PREFIX
from kedge.api.velero.backup import BACKUP, is_terminal
from kedge.api.velero.labels import SCHEDULE_NAME, valid_name
from kedge.controllers.schedule.decide import Child, is_run
from kedge.kube.kind import Kind, Object
from kedge.kube.times import TimeError, format_time, parse_time

NAME_LIMIT: Final = 253
DIGEST: Final = 6
STAMP: Final = "%Y%m%d%H%M%S"


class Marks(msgspec.Struct, frozen=True):
    """Of the annotations, the one that marks a Backup as the run of an instant."""

    due: str = msgspec.field(default="", name=DUE)


class BackupMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, what tells Backups apart."""

    name: str = ""
    namespace: str = ""
    creation_timestamp: str = ""
    annotations: Marks | None = None


class BackupStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, whether it is over, and since when."""

    phase: str = ""
    completion_timestamp: str | None = None


class BackupHead(msgspec.Struct, frozen=True):
    """Of a Backup, what its Schedule looks at: there may be very many."""

    metadata: BackupMeta = BackupMeta()
    status: BackupStatus | None = None


BACKUP_HEAD: Final[Kind[BackupHead]] = BACKUP.into(BackupHead)


def child_of(backup: BackupHead) -> Child:
    """Tell what a Schedule needs to know of one of its Backups."""
    meta = backup.metadata
    return Child(
        meta.name,
        parse_time(meta.creation_timestamp),
        is_finished=is_terminal(backup.status.phase if backup.status else ""),
        due=_due(meta.annotations),
    )


def _due(marks: Marks | None) -> datetime | None:
    try:
        return parse_time(marks.due) if marks and marks.due else None
    except TimeError:
        return None  # by hand: nobody else writes it


def backup_name(schedule: str, due: datetime, number: int = 0) -> str:
    """Name the Backup of an instant; a name that would be too long is cut, and stays its own.

    The number is for those who find that the name is taken.
    """
    stamp = f"-{due.astimezone(UTC):{STAMP}}" + (f"-{number}" if number else "")
    room = NAME_LIMIT - len(stamp)
    if len(schedule) > room:
        digest = hashlib.sha256(schedule.encode()).hexdigest()[:DIGEST]
        schedule = schedule[: room - DIGEST] + digest
    return schedule + stamp


def backup_for(schedule: Mapping[str, Any], due: datetime, number: int = 0) -> Object:
    """Make the Backup of an instant from the template of its Schedule."""
    backup = from_schedule(schedule, backup_name(schedule["metadata"]["name"], due, number))
    backup["metadata"]["annotations"][DUE] = format_time(due)
    return backup


def from_schedule(schedule: Mapping[str, Any], name: str) -> Object:
    """Make a Backup from the template of a Schedule, as Velero does."""
    meta, spec = schedule["metadata"], schedule["spec"]
    template = dict(spec.get("template") or {})
    labels = (template.get("metadata") or {}).get("labels")
    if labels is None:
        labels = meta.get("labels") or {}
    policy = template.get("resourcePolicy")
    if policy:
        template["resourcePolicy"] = {"kind": "configmap", "name": policy.get("name", "")}
    annotations = {
        key: value
        for key, value in (meta.get("annotations") or {}).items()
        if not key.startswith(PREFIX)  # they speak of the Schedule
    }
    backup: Object = {
        "apiVersion": BACKUP.api_version,
        "kind": BACKUP.name,
        "metadata": {
            "name": name,
            "namespace": meta["namespace"],
            "labels": {**labels, SCHEDULE_NAME: valid_name(meta["name"])},
            "annotations": annotations,
        },
        "spec": template,
    }
    if spec.get("useOwnerReferencesInBackup"):
        backup["metadata"]["ownerReferences"] = [
            {
                "apiVersion": BACKUP.api_version,
                "kind": "Schedule",
                "name": meta["name"],
                "uid": meta["uid"],
                "controller": True,
            }
        ]
    return backup


def is_run_of(backup: Mapping[str, Any], schedule: str, due: datetime) -> bool:
    """Tell whether a Backup that has the name of a run is that run."""
    meta = backup["metadata"]
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    is_ours = labels.get(SCHEDULE_NAME) == valid_name(schedule)
    is_marked = is_ours and annotations.get(DUE) == format_time(due)
    return is_marked and is_run(due, parse_time(meta["creationTimestamp"]))
