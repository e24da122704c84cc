"""The status of a NonAdminBackupStorageLocation at each step, and what is told of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from kedge.api.nonadmin.location_request import ApprovalDecision
from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.api.velero.storage_location import StorageLocationStatus
from kedge.controllers.nabsl.heads import Location, Nabsl
from kedge.kube.conditions import condition, find_condition, remove_condition, set_condition
from kedge.kube.kind import Object
from kedge.selfservice.conditions import FALSE, MESSAGE_LIMIT, TRUE, later

WARNING: Final = "Warning"
NORMAL: Final = "Normal"
VALIDATION: Final = "BslSpecValidation"
VALID_TEXT: Final = "NonAdminBackupStorageLocation spec validation successful"
REQUEST: Final = "NonAdminBackupStorageLocationRequest"
UPDATE_REJECTED: Final = "BslSpecUpdateRejected"
UPDATE_TEXT: Final = (
    "NaBSL Spec update not allowed. Changes will not be applied. Delete NaBSL and create new one "
    "with updated spec"
)
MISTAKEN_TEXT: Final = f"{REQUEST} does not contain valid NAC UUID and can not be approved"
_COPIED: Final = frozenset(StorageLocationStatus.__struct_encode_fields__)
DELETING: Final = "DeletionPending"
DELETING_TEXT: Final = "backup storage location accepted for deletion"


class Type(StrEnum):
    """What a condition is about."""

    ACCEPTED = "Accepted"
    APPROVED = "ClusterAdminApproved"
    UPDATE = "SpecUpdateApproved"
    SECRET = "SecretSynced"
    LOCATION = "BackupStorageLocationSynced"
    DELETING = "Deleting"


@dataclass(frozen=True, slots=True)
class Saying:
    """A condition that holds now."""

    type: Type
    status: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Made:
    """What came of an attempt to make the copy of the Secret, and the BackupStorageLocation."""

    sayings: tuple[Saying, ...]
    location: Location | None = None


def accepted(nabsl: Nabsl, reference: Object, now: str) -> Object:
    """Write that the spec is valid, and the name of what is made of it."""
    saying = Saying(Type.ACCEPTED, TRUE, VALIDATION, VALID_TEXT)
    told = _said(nabsl, later(nabsl.phase, NonAdminPhase.NEW), [saying], now)
    return {**told, "veleroBackupStorageLocation": {**nabsl.reference, **reference}}


def refused(nabsl: Nabsl, problem: str, now: str) -> Object:
    """Write that the spec is not valid."""
    saying = Saying(Type.ACCEPTED, FALSE, VALIDATION, problem)
    return _said(nabsl, NonAdminPhase.BACKING_OFF, [saying], now)


def mistaken(nabsl: Nabsl, now: str) -> Object:
    """Write that what has the name is another's."""
    saying = Saying(Type.APPROVED, FALSE, UPDATE_REJECTED, MISTAKEN_TEXT)
    return _said(nabsl, NonAdminPhase.BACKING_OFF, [saying], now)


def undecided(nabsl: Nabsl, decision: str, *, is_changed: bool, now: str) -> Object:
    """Write that the administrator does not agree: not yet, or not at all."""
    match decision:
        case "" | ApprovalDecision.PENDING:
            saying = _approved(FALSE, "BslSpecApprovalPending", "approval pending")
        case ApprovalDecision.REJECT:
            text = "approval decision set to Reject"
            saying = _approved(FALSE, "BslSpecRejected", text)
        case _:
            saying = _approved(FALSE, "BslSpecInvalid", "approval decision is invalid")
    is_new = nabsl.phase in ("", NonAdminPhase.NEW) and saying.reason == "BslSpecApprovalPending"
    phase = NonAdminPhase.NEW if is_new else NonAdminPhase.BACKING_OFF
    told = _said(nabsl, phase, [saying], now)
    left = remove_condition(told["conditions"], Type.SECRET)
    told["conditions"] = remove_condition(left, Type.LOCATION)
    reference = {name: each for name, each in nabsl.reference.items() if name != "status"}
    told["veleroBackupStorageLocation"] = reference
    return _updated(nabsl, told, is_changed=is_changed, now=now)


def created(nabsl: Nabsl, made: Made, *, is_changed: bool, now: str) -> Object:
    """Write how the BackupStorageLocation stands; without one, the phase stays as it is."""
    text = "approval decision set to Approve"
    sayings = [_approved(TRUE, "BslSpecApproved", text), *made.sayings]
    is_made = made.location is not None
    phase = NonAdminPhase.CREATED if is_made else later(nabsl.phase, NonAdminPhase.NEW)
    told = _said(nabsl, phase, sayings, now)
    if made.location is not None:
        reference = {**nabsl.reference, "status": _copied(made.location)}
        told["veleroBackupStorageLocation"] = reference
    return _updated(nabsl, told, is_changed=is_changed, now=now)


def leaving(nabsl: Nabsl, now: str) -> Object:
    """Write that all that was made is being deleted."""
    saying = Saying(Type.DELETING, TRUE, DELETING, DELETING_TEXT)
    return _said(nabsl, NonAdminPhase.DELETING, [saying], now)


def notes(old: Sequence[Object], new: Sequence[Object]) -> list[tuple[str, str, str]]:
    """Tell of what has changed for the worse, and of approvals: type, reason and message."""
    found = []
    for one in new:
        before = find_condition(old, one["type"]) or {}
        if all(before.get(name) == one.get(name) for name in ("status", "reason", "message")):
            continue
        is_pending = one["reason"] == "BslSpecApprovalPending"
        if one["status"] == FALSE:
            kind = NORMAL if is_pending else WARNING
            found.append((kind, one["reason"], one["message"]))
        elif one["type"] == Type.APPROVED:
            found.append((NORMAL, one["reason"], one["message"]))
    return found


def _copied(location: Location) -> Object:
    """Copy what our kind has a field for: the server drops all else, and it would never be told."""
    return {name: each for name, each in (location.status or {}).items() if name in _COPIED}


def _approved(status: str, reason: str, text: str) -> Saying:
    return Saying(Type.APPROVED, status, reason, f"{REQUEST} {text}")


def _updated(nabsl: Nabsl, told: Object, *, is_changed: bool, now: str) -> Object:
    """Say whether the spec is still the one that was asked for."""
    if not is_changed:
        return {**told, "conditions": remove_condition(told["conditions"], Type.UPDATE)}
    saying = Saying(Type.UPDATE, FALSE, UPDATE_REJECTED, UPDATE_TEXT)
    return {**told, "conditions": _conditions(nabsl, told["conditions"], [saying], now)}


def _said(nabsl: Nabsl, phase: str, sayings: Sequence[Saying], now: str) -> Object:
    conditions = _conditions(nabsl, nabsl.conditions, sayings, now)
    return {**nabsl.known, "phase": str(phase), "conditions": conditions}


def _conditions(
    nabsl: Nabsl, old: Sequence[Object], sayings: Sequence[Saying], now: str
) -> list[dict[str, Any]]:
    conditions = list(old)
    for one in sayings:
        new = condition(one.type.value, one.status, one.reason, one.message[:MESSAGE_LIMIT])
        new["observedGeneration"] = nabsl.metadata.generation
        conditions = set_condition(conditions, new, now)
    return conditions
