"""What the kinds of self-service have in common in their status."""

from enum import StrEnum
from typing import Annotated, Any, Final

from kedge.api.part import Doc, Part, Rule
from kedge.api.velero.condition import ConditionShape


class NonAdminPhase(StrEnum):
    """Where an object is in its life; it only moves on, in this order."""

    NEW = "New"
    BACKING_OFF = "BackingOff"
    CREATED = "Created"
    DELETING = "Deleting"


PHASES: Final = tuple(each.value for each in NonAdminPhase)
FORWARD: Final = Rule(
    "self == oldSelf || oldSelf == 'New' || self == 'Deleting' || "
    "(oldSelf == 'BackingOff' && self == 'Created')",
    "a phase never returns to an earlier one",
)
SAME: Final = Rule("self == oldSelf || oldSelf == ''", "it never changes once it is set")

CONDITIONS: Final = Doc(
    "What the object has come through, and what it has not.", keys=("type",), shape=ConditionShape
)
Conditions = Annotated[list[dict[str, Any]] | None, CONDITIONS]


class QueueInfo(Part, frozen=True, omit_defaults=False):
    """Where a request stands in the queue of the server."""

    estimated_queue_position: Annotated[
        int,
        Doc("0 when it is done, 1 while it is processed, else 1 and those before it.", True),
    ] = 0


class DataMoves(Part, frozen=True):
    """How many pieces of volume data are moved, by how far they have come."""

    total: Annotated[int, Doc("All of them.")] = 0
    new: Annotated[int, Doc("Those that nobody has begun with.")] = 0
    accepted: Annotated[int, Doc("Those that a node has taken on.")] = 0
    prepared: Annotated[int, Doc("Those that are ready to be moved.")] = 0
    in_progress: Annotated[int, Doc("Those that are being moved.")] = 0
    canceling: Annotated[int, Doc("Those that are being given up.")] = 0
    canceled: Annotated[int, Doc("Those that were given up.")] = 0
    failed: Annotated[int, Doc("Those that failed.")] = 0
    completed: Annotated[int, Doc("Those that are done.")] = 0


class PodVolumes(Part, frozen=True):
    """How many volumes are saved or brought back file by file, by how far they have come."""

    total: Annotated[int, Doc("All of them.")] = 0
    new: Annotated[int, Doc("Those that nobody has begun with.")] = 0
    in_progress: Annotated[int, Doc("Those that are under way.")] = 0
    failed: Annotated[int, Doc("Those that failed.")] = 0
    completed: Annotated[int, Doc("Those that are done.")] = 0
