"""When to look at a location, what its status says then, and which one is the default. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from kedge.api.velero.storage_location import (
    BackupStorageLocation,
    LocationPhase,
    StorageLocationSpec,
    period_of,
)
from kedge.kube.durations import DurationError
from kedge.kube.times import TimeError, format_time, parse_time

EPOCH: Final = "1970-01-01T00:00:00Z"
CUSTOMER_KEY: Final = "customerKeyEncryptionSecret"
"""The setting of AWS that names a Secret and an entry of it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """When to see whether a location can be used."""

    is_due: bool
    period: timedelta | None
    """From one look to the next; None: there is no next."""
    wrong: str = ""
    """What can not be read of what the spec says about it."""

    def next(self, last: datetime) -> datetime | None:
        """Give the instant of the look after another one; None: never."""
        try:
            return last + self.period if self.period else None
        except OverflowError:
            return None  # longer than there are years


def plan(
    location: BackupStorageLocation, last: datetime | None, default: timedelta, now: datetime
) -> Plan:
    """Decide whether a look at a location is due, by when it was last looked at."""
    wrong, period = "", default or None
    try:
        period = period_of(location.spec.validation_frequency, default) or None
    except DurationError as exc:
        wrong = f"spec.validationFrequency: {exc}; write it as 30s or 5m"
    if last is None or not location.status.phase:
        return Plan(True, period, wrong)
    following = Plan(False, period).next(last)
    return Plan(following is not None and following <= now, period, wrong)


def last_look(location: BackupStorageLocation, now: datetime) -> datetime | None:
    """Tell when a location was last looked at; what says to be of the future tells nothing."""
    text = location.status.last_validation_time
    try:
        last = parse_time(text) if text else None
    except TimeError:
        return None
    return last if last is not None and last <= now else None


def change_of_status(
    location: BackupStorageLocation, problem: str, now: datetime
) -> Mapping[str, Any]:
    """Give what a patch must say after a look; an empty problem is none."""
    old = location.status
    phase = LocationPhase.UNAVAILABLE if problem else LocationPhase.AVAILABLE
    change: dict[str, Any] = {}
    if old.phase != phase:
        change["phase"] = phase.value
    if old.message != problem:
        change["message"] = problem or None
    if old.last_validation_time != format_time(now):
        change["lastValidationTime"] = format_time(now)
    return change


def newer_default(
    location: BackupStorageLocation, others: Iterable[BackupStorageLocation]
) -> str | None:
    """Name the default location to which this one has to give way, if there is one."""
    defaults = [one for one in others if one.spec.default and one.metadata.name != _name(location)]
    first = min(defaults, key=_seniority, default=None)
    if first is None or _seniority(location) < _seniority(first):
        return None
    return _name(first)


def secrets_of(spec: StorageLocationSpec) -> list[str]:
    """Name the Secrets that a location needs."""
    references = (spec.credential, spec.object_storage.ca_cert_ref)
    names = {one.name for one in references if one is not None}
    names.add((spec.config or {}).get(CUSTOMER_KEY, "").partition("/")[0])
    return sorted(names - {""})


def _name(location: BackupStorageLocation) -> str:
    return location.metadata.name


def _seniority(location: BackupStorageLocation) -> tuple[float, str]:
    """Order locations: the newest first, and of the same second the first by name."""
    created = parse_time(location.metadata.creation_timestamp or EPOCH)
    return -created.timestamp(), location.metadata.name
