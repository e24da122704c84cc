"""When to sync a location, which Backups it brings, and which ones have lost their files. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.labels import STORAGE_LOCATION, valid_name
from kedge.api.velero.storage_location import BackupStorageLocation, LocationPhase, period_of
from kedge.controllers.sync.heads import BackupHead
from kedge.kube.durations import DurationError
from kedge.kube.times import TimeError, parse_time


@dataclass(frozen=True, slots=True)
class Due:
    """Sync now, and then after this time."""

    period: timedelta


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done until this instant; None: until something changes."""

    until: datetime | None


def plan(
    location: BackupStorageLocation, last: datetime | None, default: timedelta, now: datetime
) -> Due | Wait:
    """Decide whether a location is to be synced, by when that was last done."""
    try:
        period = period_of(location.spec.backup_sync_period, default)
    except DurationError:
        period = default
    if period is None or location.status.phase != LocationPhase.AVAILABLE:
        return Wait(None)
    if last is None:
        return Due(period)
    try:
        following = last + period
    except OverflowError:
        return Wait(None)  # longer than there are years
    return Due(period) if following <= now else Wait(following)


def last_sync(location: BackupStorageLocation, now: datetime) -> datetime | None:
    """Tell when a location was last synced; what says to be of the future tells nothing."""
    text = location.status.last_synced_time
    try:
        last = parse_time(text) if text else None
    except TimeError:
        return None
    return last if last is not None and last <= now else None


def wanted(stored: Iterable[str], known: Mapping[str, BackupHead], location: str) -> list[str]:
    """Name what a location has and the cluster has not, or not wholly."""
    return [
        name
        for name in stored
        if name not in known or (known[name].is_half and known[name].source == location)
    ]


def orphans(
    known: Iterable[BackupHead], stored: Collection[str], location: str
) -> list[BackupHead]:
    """Give the Backups of a location whose files are gone.

    What is known must have been read before what is stored: the files of a Backup are there
    before it is Completed.
    """
    label = valid_name(location)
    found = []
    for backup in known:
        labels = backup.metadata.labels or {}
        is_ended = backup.phase in (BackupPhase.COMPLETED, BackupPhase.PARTIALLY_FAILED)
        is_ours = labels.get(STORAGE_LOCATION) == label and is_ended
        is_half_ours = backup.is_half and backup.source == location
        if (is_ours or is_half_ours) and backup.metadata.name not in stored:
            found.append(backup)
    return found
