"""What a DeleteBackupRequest needs now, and whether its Backup may go. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.delete_request import DeleteBackupRequest, DeletePhase
from kedge.api.velero.labels import BACKUP_NAME, BACKUP_UID
from kedge.api.velero.storage_location import AccessMode, BackupStorageLocation, LocationPhase
from kedge.kube.times import TimeError, parse_time

LIFE: Final = timedelta(hours=24)
"""How long a request that failed is kept, as in Velero."""
NEVER: Final = datetime.min.replace(tzinfo=UTC)
PATIENCE: Final = timedelta(minutes=1)
"""How long Restores may take to go, as in Velero."""
RUNNING: Final = frozenset(
    {
        BackupPhase.IN_PROGRESS,
        BackupPhase.WAITING,
        BackupPhase.WAITING_PARTIALLY_FAILED,
        BackupPhase.FINALIZING,
        BackupPhase.FINALIZING_PARTIALLY_FAILED,
    }
)
"""Phases of a Backup that somebody is at work on."""
WITHOUT_FILES: Final = frozenset(
    {
        "",
        BackupPhase.NEW,
        BackupPhase.QUEUED,
        BackupPhase.READY_TO_START,
        BackupPhase.FAILED_VALIDATION,
        BackupPhase.FAILED,
    }
)
"""Phases of a Backup that may have found its place taken by another one of the same name."""

NO_NAME: Final = "spec.backupName is required"
IN_PROGRESS: Final = "backup is still in progress"
NOT_FOUND: Final = "backup not found"


@dataclass(frozen=True, slots=True)
class Act:
    """Delete the Backup, or go on with it."""

    is_resumed: bool


@dataclass(frozen=True, slots=True)
class Refuse:
    """It can not be done."""

    error: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done until this instant; None: until something changes."""

    until: datetime | None


@dataclass(frozen=True, slots=True)
class Remove:
    """The request itself has served its time."""


@dataclass(frozen=True, slots=True)
class Clean:
    """All is deleted but the requests for it."""


def decide(
    request: DeleteBackupRequest, others: Iterable[DeleteBackupRequest], now: datetime
) -> Act | Refuse | Wait | Remove | Clean:
    """Tell what becomes of a request, by itself and by those for the same Backup."""
    if request.status.phase == DeletePhase.PROCESSED:
        if not request.status.errors:
            return Clean()
        end = _time(request.metadata.creation_timestamp, now) + LIFE
        return Remove() if end <= now else Wait(end)
    if not request.spec.backup_name:
        return Refuse(NO_NAME)
    is_resumed = request.status.phase == DeletePhase.IN_PROGRESS
    waiting = [one for one in others if one.status.phase != DeletePhase.PROCESSED]
    if any(_turn(one, now) < _turn(request, now) for one in waiting):
        return Wait(None)
    return Act(is_resumed)


def objection(phase: str, location: BackupStorageLocation | None, name: str) -> str:
    """Say why a Backup can not be deleted, in Velero's words; empty: it can."""
    if phase in RUNNING:
        return IN_PROGRESS
    if location is None:
        return f"backup storage location {name} not found"
    because = f"cannot delete backup because backup storage location {name} is currently in"
    if location.spec.access_mode == AccessMode.READ_ONLY:
        return f"{because} read-only mode"
    if location.status.phase != LocationPhase.AVAILABLE:
        return f"{because} Unavailable state"
    return ""


def owns_files(phase: str, started: str, metadata: Mapping[str, Any] | None) -> bool:
    """Tell whether the files under the name of a Backup are its own.

    One that was refused, since its name was taken in the bucket, must not take the other's files
    with it: the other one was started at another time.
    """
    status = (metadata or {}).get("status")
    other = status.get("startTimestamp") if isinstance(status, Mapping) else None
    if phase not in WITHOUT_FILES or not isinstance(other, str) or not other:
        return True
    return bool(started) and _time(started, NEVER) == _time(other, NEVER)


def labels_for(request: DeleteBackupRequest, uid: str, label: str) -> dict[str, str]:
    """Give the labels that a request lacks."""
    wanted = {BACKUP_NAME: label, BACKUP_UID: uid}
    known = request.metadata.labels or {}
    return {name: value for name, value in wanted.items() if known.get(name) != value}


def is_for(request: DeleteBackupRequest, like: DeleteBackupRequest) -> bool:
    """Tell whether a request is for the very same Backup as another one, by their labels."""
    mine, others = request.metadata.labels or {}, like.metadata.labels or {}
    return all(mine.get(name) == others.get(name, "") for name in (BACKUP_NAME, BACKUP_UID))


def _turn(request: DeleteBackupRequest, now: datetime) -> tuple[bool, datetime, str]:
    """Order the requests for a Backup: one that was begun first, then the oldest."""
    begun = request.status.phase == DeletePhase.IN_PROGRESS
    meta = request.metadata
    return not begun, _time(meta.creation_timestamp, now), meta.name


def _time(text: str | None, default: datetime) -> datetime:
    try:
        return parse_time(text) if text else default
    except TimeError:
        return default
