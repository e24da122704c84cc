"""What is told of a NonAdminRestore: its status as a whole, and in the words of an Event. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.controllers.nar.heads import Nar, VeleroRestore
from kedge.kube.conditions import find_condition, is_condition
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.selfservice.conditions import (
    FALSE,
    TRUE,
    ConditionType,
    Saying,
    later,
    with_conditions,
)
from kedge.selfservice.ending import ending, failed, gone, lasting, mended
from kedge.selfservice.nacuuid import reference_to

NORMAL: Final = "Normal"
WARNING: Final = "Warning"
INVALID: Final = "InvalidRestoreSpec"
NOT_FOUND: Final = "VeleroRestoreNotFound"
REFUSED: Final = "VeleroRestoreRefused"
ACCEPTED: Final = Saying(ConditionType.ACCEPTED, TRUE, "RestoreAccepted", "restore accepted")
QUEUED: Final = Saying(
    ConditionType.QUEUED, TRUE, "RestoreScheduled", "Created Velero Restore object"
)
DELETING: Final = Saying(
    ConditionType.DELETING, TRUE, "DeletionPending", "restore accepted for deletion"
)
LOST: Final = Saying(
    ConditionType.ACCEPTED,
    FALSE,
    NOT_FOUND,
    "NonAdminRestore is finalized and its associated Velero Restore has been removed. Please "
    "create a new NonAdminRestore to initiate a new Restore",
)
TAKEN: Final = Saying(
    ConditionType.ACCEPTED,
    FALSE,
    NOT_FOUND,
    "related Velero Restore does not point to this NonAdminRestore. Please create a new "
    "NonAdminRestore to initiate a new Restore",
)


@dataclass(frozen=True, slots=True)
class Note:
    """What an Event tells."""

    type: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many volumes are on their way back, by how far they are; None: not known, or none."""

    files: Object | None = None
    moves: Object | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A Velero Restore, and what goes with it."""

    restore: VeleroRestore
    position: int
    counts: Counts
    problem: str | None
    """What is wrong with a spec that was changed since; empty: nothing, None: it was not."""


Said = tuple[Object, Note | None]


def as_started(nar: Nar) -> Said:
    """Say that we have seen it."""
    return {**nar.known, "phase": later(nar.phase, NonAdminPhase.NEW)}, None


def as_refused(nar: Nar, problem: str, now: str, *, is_final: bool) -> Said:
    """Say that what is wanted is not let through."""
    sayings = [Saying(ConditionType.ACCEPTED, FALSE, INVALID, problem)]
    sayings += [failed(INVALID, problem)] if is_final else mended(INVALID, problem, nar.conditions)
    status = _status(nar, NonAdminPhase.BACKING_OFF, sayings, now)
    is_told = nar.accepted().get("message") == problem
    return status, None if is_told else Note(WARNING, INVALID, problem)


def as_accepted(nar: Nar, nacuuid: str, home: str, now: str) -> Said:
    """Say that what is wanted is let through, and give it its unique name."""
    sayings = [ACCEPTED]
    if find_condition(nar.conditions, ConditionType.FAILED):
        sayings.append(Saying(ConditionType.FAILED, FALSE, ACCEPTED.reason, ACCEPTED.message))
    status = _status(nar, NonAdminPhase.NEW, sayings, now)
    status["veleroRestore"] = _reference(nar, nacuuid, home)
    return status, None


def as_unmade(nar: Nar, why: str, now: str) -> Said:
    """Say that the server does not take the Velero Restore."""
    text = f"the Velero Restore can not be created: {cut(why)}"
    saying = Saying(ConditionType.QUEUED, FALSE, REFUSED, text)
    return _status(nar, NonAdminPhase.NEW, [saying], now), Note(WARNING, REFUSED, text)


def as_created(nar: Nar, made: Made, home: str, now: str) -> Said:
    """Tell of the Velero Restore."""
    copied = made.restore.known
    sayings = _verdict(made.problem)
    sayings += [QUEUED, *ending("Restore", copied, nar.conditions)]
    status = _status(nar, NonAdminPhase.CREATED, sayings, now)
    status["veleroRestore"] = _reference(nar, made.restore.metadata.name, home) | {"status": copied}
    status["queueInfo"] = {"estimatedQueuePosition": made.position}
    for name, count in (
        ("fileSystemPodVolumeRestores", made.counts.files),
        ("dataMoverDataDownloads", made.counts.moves),
    ):
        if count is not None:
            status[name] = count
    return status, _news(nar, sayings)


def as_lost(nar: Nar, saying: Saying, now: str) -> Said:
    """Say that there is no Velero Restore, and that none will be made."""
    sayings = [saying, *gone(saying.reason, saying.message, nar.conditions)]
    status = _status(nar, NonAdminPhase.BACKING_OFF, sayings, now)
    if nar.position is not None:
        # Nobody waits any more.
        status["queueInfo"] = {"estimatedQueuePosition": 0}
    is_told = nar.accepted().get("reason") == saying.reason
    return status, None if is_told else Note(WARNING, saying.reason, saying.message)


def as_leaving(nar: Nar, now: str) -> Said:
    """Say that it goes."""
    status = _status(nar, NonAdminPhase.DELETING, [DELETING, *lasting(nar.conditions)], now)
    is_told = is_condition(nar.conditions, ConditionType.DELETING)
    note = Note(NORMAL, DELETING.reason, DELETING.message)
    return status, None if is_told else note


def _verdict(problem: str | None) -> list[Saying]:
    if problem is None:
        return []
    if problem:
        return [Saying(ConditionType.ACCEPTED, FALSE, INVALID, problem)]
    return [ACCEPTED]


def _news(nar: Nar, sayings: Sequence[Saying]) -> Note | None:
    """Give the last of what was not said before, if a person should hear of it."""
    for one in reversed(sayings):
        old = find_condition(nar.conditions, one.type) or {}
        is_new = (old.get("status"), old.get("reason")) != (one.status, one.reason)
        if is_new and one.type in (ConditionType.SUCCEEDED, ConditionType.FAILED):
            is_bad = one.type == ConditionType.FAILED and one.status == TRUE
            return Note(WARNING if is_bad else NORMAL, one.reason, one.message)
        if is_new and one.status == FALSE:
            return Note(WARNING, one.reason, one.message)
    return None


def _status(nar: Nar, phase: NonAdminPhase, sayings: Sequence[Saying], now: str) -> Object:
    generation = nar.metadata.generation
    return {
        **nar.known,
        "phase": later(nar.phase, phase),
        "conditions": with_conditions(nar.conditions, sayings, generation, now),
    }


def _reference(nar: Nar, nacuuid: str, home: str) -> Object:
    known = nar.known.get("veleroRestore") or {}
    return {**known, **reference_to(nacuuid, home)}
