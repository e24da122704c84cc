"""What is to be done for a Restore, and what is written about it: pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, Final

import msgspec

from kedge.api.velero.backup import Backup, BackupPhase
from kedge.api.velero.labels import RESTORE_FINALIZER
from kedge.api.velero.restore import RestorePhase, RestoreSpec
from kedge.api.velero.storage_location import BackupStorageLocation
from kedge.controllers.restore.heads import RestoreHead
from kedge.engine.restore.modifiers import Modifiers
from kedge.engine.restore.validate import NON_RESTORABLE
from kedge.kube.durations import DurationError, duration_of, format_duration
from kedge.kube.kind import Object
from kedge.kube.times import format_time

FINALIZING: Final = (RestorePhase.FINALIZING, RestorePhase.FINALIZING_PARTIALLY_FAILED)
INTERRUPTED: Final = (
    'found a restore with status "InProgress" during the server starting, mark it as "Failed"'
)
UNWANTED: Final = "the restore was deleted while it was running"


class Step(Enum):
    """What is to be done next."""

    NOTHING = auto()
    REMOVE = auto()
    """It is being deleted: its files go first."""
    ADOPT = auto()
    """It has no finalizer of ours yet."""
    BEGIN = auto()
    GIVE_UP = auto()
    """Whoever ran it is not there any more."""
    FINISH = auto()
    """All is done but to say so."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a Restore gets its objects from, as far as that could be found out."""

    problems: tuple[str, ...] = ()
    backup_name: str = ""
    schedule_name: str = ""
    location: BackupStorageLocation | None = None
    modifiers: Modifiers | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A Restore that was looked at: what is written, and what it is to do."""

    status: Object
    change: Object
    """Of the spec: what was left open and is filled in; empty: nothing."""
    problems: tuple[str, ...]


def next_step(head: RestoreHead) -> Step:
    """Say what is to be done for a Restore."""
    meta = head.metadata
    has_finalizer = RESTORE_FINALIZER in (meta.finalizers or ())
    if meta.deletion_timestamp:
        return Step.REMOVE if has_finalizer else Step.NOTHING
    if not has_finalizer:
        return Step.ADOPT
    phase = head.status.phase if head.status is not None else ""
    if phase in ("", RestorePhase.NEW):
        return Step.BEGIN
    if phase == RestorePhase.IN_PROGRESS:
        return Step.GIVE_UP
    return Step.FINISH if phase in FINALIZING else Step.NOTHING


def newest_completed(backups: Iterable[Backup]) -> str:
    """Give the name of the Completed Backup that was started last; empty: there is none."""
    done = [one for one in backups if one.status.phase == BackupPhase.COMPLETED]
    started = sorted(
        done, key=lambda one: (one.status.start_timestamp or "", one.metadata.name), reverse=True
    )
    return started[0].metadata.name if started else ""


def refuse(problems: Iterable[str]) -> Prepared:
    """Say that a Restore can not be run, and why."""
    told = tuple(problems)
    status: Object = {"phase": RestorePhase.FAILED_VALIDATION, "validationErrors": list(told)}
    return Prepared(status, {}, told)


def prepare(
    spec: Mapping[str, Any], found: Iterable[str], source: Source, timeout: timedelta, now: datetime
) -> Prepared:
    """Say what a new Restore becomes, after what is wrong with its spec and with its source."""
    wanted = {
        "backupName": source.backup_name or spec.get("backupName"),
        "scheduleName": source.schedule_name or spec.get("scheduleName"),
        "excludedResources": _excluded(spec),
    }
    problems = [*found, *source.problems]
    try:
        given = duration_of(spec.get("itemOperationTimeout"))
    except DurationError as exc:
        problems.append(f"Invalid itemOperationTimeout: {exc}")
    else:
        if not given:
            wanted["itemOperationTimeout"] = format_duration(timeout)
    changed = {name: value for name, value in wanted.items() if value and value != spec.get(name)}
    change: Object = {"spec": changed} if changed else {}
    if problems:
        return replace(refuse(problems), change=change)
    status = {"phase": RestorePhase.IN_PROGRESS, "startTimestamp": format_time(now)}
    return Prepared(status, change, ())


def _excluded(spec: Mapping[str, Any]) -> list[str]:
    given = list(spec.get("excludedResources") or ())
    return given + [name for name in NON_RESTORABLE if name not in given]


def typed(spec: Mapping[str, Any]) -> RestoreSpec:
    """Read a spec."""
    return msgspec.convert(spec, RestoreSpec)


def progress(total: int, done: int) -> Object:
    """Give how far a restore is, as it is told in the status."""
    return {"totalItems": total, "itemsRestored": done}


def finished(status: Mapping[str, Any], now: datetime) -> Object:
    """Give the last status of a restore that is finalizing."""
    is_whole = status.get("phase") == RestorePhase.FINALIZING
    return {
        "phase": RestorePhase.COMPLETED if is_whole else RestorePhase.PARTIALLY_FAILED,
        "completionTimestamp": format_time(now),
    }


def failed(why: str, now: datetime) -> Object:
    """Give the status of a restore that failed as a whole."""
    return {
        "phase": RestorePhase.FAILED,
        "failureReason": why,
        "completionTimestamp": format_time(now),
    }
