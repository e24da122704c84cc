"""Whether a Backup has to go, and whether it can. Pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST, DeletePhase
from kedge.api.velero.labels import BACKUP_NAME, BACKUP_UID, valid_name
from kedge.api.velero.storage_location import AccessMode, LocationPhase
from kedge.controllers.gc.heads import BackupHead, LocationHead, RequestHead
from kedge.kube.kind import Object
from kedge.kube.times import TimeError, parse_time

NOT_FOUND: Final = "BSLNotFound"
READ_ONLY: Final = "BSLReadOnly"
NAME_LIMIT: Final = 253
DIGEST: Final = 10
RUNNING: Final = frozenset(
    {
        BackupPhase.IN_PROGRESS,
        BackupPhase.WAITING,
        BackupPhase.WAITING_PARTIALLY_FAILED,
        BackupPhase.FINALIZING,
        BackupPhase.FINALIZING_PARTIALLY_FAILED,
    }
)
"""Phases in which a Backup can not be deleted; it is asked for when it has ended."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done until this instant; None: until something changes."""

    until: datetime | None


@dataclass(frozen=True, slots=True)
class Stuck:
    """Its time is over, and it can not be deleted; the label says why."""

    label: str
    why: str


@dataclass(frozen=True, slots=True)
class Expired:
    """Its time is over."""

    request: str | None
    """The name of the request to make; None: there is one."""
    wake: datetime | None = None
    """When to ask again, after one that failed."""


def decide(
    backup: BackupHead,
    location: LocationHead | None,
    requests: Sequence[RequestHead],
    frequency: timedelta,
    now: datetime,
) -> Wait | Stuck | Expired:
    """Compare a Backup with the time, with its location, and with the requests to delete it."""
    expiration = _time(backup.status.expiration)
    if expiration is None or backup.metadata.deletion_timestamp:
        return Wait(None)
    if expiration > now:
        return Wait(expiration)
    if backup.status.phase in RUNNING:
        return Wait(None)
    name = backup.spec.storage_location
    if location is None:
        return Stuck(NOT_FOUND, f"backup storage location {name} does not exist")
    if location.status.phase != LocationPhase.AVAILABLE:
        return Wait(None)
    if location.spec.access_mode == AccessMode.READ_ONLY:
        text = f"backup storage location {name} is currently in read-only mode"
        return Stuck(READ_ONLY, text)
    return _ask(backup, requests, frequency, now)


def _ask(
    backup: BackupHead, requests: Sequence[RequestHead], frequency: timedelta, now: datetime
) -> Expired:
    if any(one.status.phase != DeletePhase.PROCESSED for one in requests):
        return Expired(None)
    last = max(requests, key=_age, default=None)
    if last is None:
        return Expired(request_name(backup, ""))
    # It failed: what is in the way may be gone later.
    again = (_time(last.metadata.creation_timestamp) or now) + frequency
    if again > now:
        return Expired(None, again)
    return Expired(request_name(backup, last.metadata.uid))


def _age(request: RequestHead) -> tuple[str, str]:
    return request.metadata.creation_timestamp, request.metadata.name


def request_name(backup: BackupHead, before: str) -> str:
    """Name the request that follows another one, so that it can not be made twice."""
    meta = backup.metadata
    digest = hashlib.sha256(f"{meta.uid}/{before}".encode()).hexdigest()[:DIGEST]
    kept = meta.name[: NAME_LIMIT - DIGEST - 1].rstrip("-.")
    return f"{kept}-{digest}"


def request_for(backup: BackupHead, name: str) -> Object:
    """Make the request to delete a Backup."""
    meta = backup.metadata
    labels = {BACKUP_NAME: valid_name(meta.name), BACKUP_UID: meta.uid}
    return {
        "apiVersion": DELETE_BACKUP_REQUEST.api_version,
        "kind": DELETE_BACKUP_REQUEST.name,
        "metadata": {"name": name, "namespace": meta.namespace, "labels": labels},
        "spec": {"backupName": meta.name},
    }


def _time(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except TimeError:
        return None
