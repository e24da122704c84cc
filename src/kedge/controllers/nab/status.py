"""The status of a NonAdminBackup at each step, and what is told of it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.controllers.nab.heads import DeleteRequest, Nab, VeleroBackup
from kedge.kube.conditions import find_condition, is_condition
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.selfservice.conditions import FALSE, TRUE, ConditionType, Saying, later, with_conditions
from kedge.selfservice.ending import ending, failed, gone, lasting, mended
from kedge.selfservice.nacuuid import reference_to

ACCEPTED: Final = "BackupAccepted"
INVALID: Final = "InvalidBackupSpec"
SCHEDULED: Final = "BackupScheduled"
PENDING: Final = "DeletionPending"
LOST: Final = "VeleroBackupNotFound"
REFUSED: Final = "VeleroBackupRefused"
ACCEPTED_TEXT: Final = "backup accepted"
SCHEDULED_TEXT: Final = "Created Velero Backup object"
KEPT_TEXT: Final = (
    "backup deletion requires setting spec.deleteBackup or spec.forceDeleteBackup to true or "
    "finalizer removal"
)
DELETING_TEXT: Final = "backup accepted for deletion"
GONE_TEXT: Final = (
    "NonAdminBackup is finalized and its associated Velero Backup has been removed. Please create "
    "a new NonAdminBackup to initiate a new backup"
)
NO_SOURCE_TEXT: Final = "related Velero Backup to be synced from does not exist"
FOREIGN_TEXT: Final = "related Velero Backup does not point to NonAdminBackup namespace"
NORMAL: Final = "Normal"
WARNING: Final = "Warning"


@dataclass(frozen=True, slots=True)
class Seen:
    """What belongs to a Velero Backup, and is told with its status."""

    position: int | None = None
    """Its place in the line; None: it is not known."""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Of fields of the status, how many volumes are how far."""


@dataclass(frozen=True, slots=True)
class Note:
    """What an Event tells."""

    type: str
    reason: str
    message: str


def started(nab: Nab) -> Object:
    """Write that we have seen the object."""
    return {**nab.known, "phase": later(nab.phase, NonAdminPhase.NEW)}


def refused(nab: Nab, problem: str, now: str) -> Object:
    """Write that the spec is not valid; what is made already goes on."""
    sayings = [Saying(ConditionType.ACCEPTED, FALSE, INVALID, problem), failed(INVALID, problem)]
    return _said(nab, NonAdminPhase.BACKING_OFF, sayings, now)


def accepted(nab: Nab, reference: Object, now: str) -> Object:
    """Write that the spec is valid, and which Velero Backup is made of it."""
    status = _said(nab, NonAdminPhase.NEW, _accepted(nab), now)
    return {**status, "veleroBackup": {**nab.reference, **reference}}


def named(nab: Nab, backup: VeleroBackup) -> Object:
    """Write which Velero Backup was made, where that is not known any more."""
    reference = reference_to(backup.metadata.name, backup.metadata.namespace)
    return {**nab.known, "veleroBackup": {**nab.reference, **reference}}


def lost(nab: Nab, message: str, now: str) -> Object:
    """Write that the Velero Backup is not there, and is not made again."""
    sayings = [Saying(ConditionType.ACCEPTED, FALSE, LOST, message)]
    sayings += gone(LOST, message, nab.conditions)
    status = _said(nab, NonAdminPhase.BACKING_OFF, sayings, now)
    return status | (_queue(0) if "queueInfo" in status else {})


def unmade(nab: Nab, why: str, now: str) -> Object:
    """Write that the server does not take the Velero Backup."""
    text = f"the Velero Backup can not be created: {cut(why)}"
    saying = Saying(ConditionType.QUEUED, FALSE, REFUSED, text)
    return {**nab.known, "conditions": _conditions(nab, [saying], now)}


def created(nab: Nab, backup: VeleroBackup, seen: Seen, problem: str, now: str) -> Object:
    """Write how the Velero Backup stands.

    An edit that is not valid changes nothing of it: only that it is not accepted is told.
    """
    sayings = [Saying(ConditionType.QUEUED, TRUE, SCHEDULED, SCHEDULED_TEXT)]
    if problem:
        sayings.append(Saying(ConditionType.ACCEPTED, FALSE, INVALID, problem))
    elif not nab.synced_from or nab.accepted():
        # Who was made for a Backup was never asked for, but may have been told that it is lost.
        sayings += _accepted(nab)
    velero = backup.status or {}
    sayings += ending("Backup", velero, nab.conditions)
    status = _said(nab, NonAdminPhase.CREATED, sayings, now)
    status["veleroBackup"] = {
        **reference_to(backup.metadata.name, backup.metadata.namespace),
        "spec": backup.spec or {},
        "status": velero,
    }
    if seen.position is not None:
        status |= _queue(seen.position)
    for name, counts in seen.counts.items():
        if counts or name in status:
            status[name] = dict(counts)
    return status


def kept(nab: Nab, now: str) -> Object:
    """Write that a deletion waits for a word on the backup."""
    return _deleted(nab, KEPT_TEXT, now)


def leaving(nab: Nab, now: str, request: DeleteRequest | None = None, home: str = "") -> Object:
    """Write that the backup is being deleted, and how far that has come."""
    reference = _request(nab, request, home)
    errors = (reference.get("status") or {}).get("errors")
    text = DELETING_TEXT
    if errors:
        text += f"; the last attempt failed and is made again: {cut('; '.join(errors))}"
    status = _deleted(nab, text, now)
    return status | ({"veleroDeleteBackupRequest": reference} if reference else {})


def is_said(old: Sequence[Object], new: Sequence[Object]) -> bool:
    """Tell whether conditions say the same, though maybe of another generation."""
    return len(old) == len(new) and all(map(_is_alike, old, new))


def notes(old: Sequence[Object], new: Sequence[Object]) -> list[Note]:
    """Tell of what has changed for the worse, of what is done, and of deletions."""
    found = []
    for one in new:
        if _is_alike(find_condition(old, one["type"]) or {}, one):
            continue
        match one["type"], one["status"]:
            case (ConditionType.ACCEPTED, "False") | (ConditionType.QUEUED, "False"):
                found.append(Note(WARNING, one["reason"], one["message"]))
            case ConditionType.FAILED, "True" if one["reason"] not in (INVALID, LOST):
                found.append(Note(WARNING, one["reason"], one["message"]))
            # What was found in a bucket was done long ago.
            case ConditionType.SUCCEEDED, "True" if is_condition(old, ConditionType.QUEUED):
                found.append(Note(NORMAL, one["reason"], one["message"]))
            case ConditionType.DELETING, "True":
                is_fine = one["message"] == DELETING_TEXT
                found.append(Note(NORMAL if is_fine else WARNING, one["reason"], one["message"]))
    return found


def _is_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in ("type", "status", "reason", "message"))


def _accepted(nab: Nab) -> list[Saying]:
    saying = Saying(ConditionType.ACCEPTED, TRUE, ACCEPTED, ACCEPTED_TEXT)
    failure = find_condition(nab.conditions, ConditionType.FAILED) or {}
    if failure.get("reason") not in (INVALID, LOST):
        return [saying]
    return [saying, *mended(ACCEPTED, ACCEPTED_TEXT, nab.conditions)]


def _deleted(nab: Nab, message: str, now: str) -> Object:
    saying = Saying(ConditionType.DELETING, TRUE, PENDING, message)
    return _said(nab, NonAdminPhase.DELETING, [saying, *lasting(nab.conditions)], now)


def _said(nab: Nab, phase: str, sayings: Sequence[Saying], now: str) -> Object:
    conditions = _conditions(nab, sayings, now)
    return {**nab.known, "phase": later(nab.phase, phase), "conditions": conditions}


def _conditions(nab: Nab, sayings: Sequence[Saying], now: str) -> list[Object]:
    return with_conditions(nab.conditions, sayings, nab.metadata.generation, now)


def _queue(position: int) -> Object:
    return {"queueInfo": {"estimatedQueuePosition": position}}


def _request(nab: Nab, request: DeleteRequest | None, home: str) -> Object:
    if request is None:
        known: dict[str, Any] = nab.known.get("veleroDeleteBackupRequest") or {}
        return known
    return {
        "nacuuid": nab.nacuuid,
        "name": request.metadata.name,
        "namespace": home,
        "status": msgspec.to_builtins(request.status) if request.status else {},
    }
