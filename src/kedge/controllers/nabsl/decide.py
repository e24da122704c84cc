"""The next step for a NonAdminBackupStorageLocation, one write at a time. Pure.

    accepted ▶ finalizer ▶ request ▶ the administrator's word ▶ Secret and location ▶ created

What is made is made of the bucket that the request shows: an edit after it changes nothing.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Final, TypeAlias

from kedge.api.nonadmin.location_request import ApprovalDecision, ApprovalPhase
from kedge.controllers.nabsl import status
from kedge.controllers.nabsl.heads import Nabsl, Request
from kedge.controllers.nabsl.status import Made
from kedge.kube.kind import Object
from kedge.kube.times import format_time
from kedge.selfservice.change import change_to
from kedge.selfservice.marks import (
    ADMIN_ASKED,
    ADMIN_ASKED_VALUE,
    NABSL,
    annotations_for,
    labels_for,
)
from kedge.selfservice.nacuuid import nacuuid_for, reference_to
from kedge.selfservice.spelling import LOCATION_FORMS, is_same_spec

_PHASES: Final = {
    ApprovalDecision.APPROVE.value: ApprovalPhase.APPROVED,
    ApprovalDecision.REJECT.value: ApprovalPhase.REJECTED,
}


@dataclass(frozen=True, slots=True)
class Scene:
    """A location of somebody's, and all that the next step depends on."""

    nabsl: Nabsl
    home: str
    """The server's namespace."""
    now: datetime
    uuid: str = ""
    """One that nobody has yet."""
    problem: str = ""
    """What is wrong with the spec."""
    request: Request | None = None
    is_foreign: bool = False
    """Whether what has the name that was made up is another's."""
    is_there: bool = False
    """Whether the BackupStorageLocation, or the copy of the Secret, is there."""
    require_approval: bool = False
    made: Made | None = None
    """What came of the attempt to make them; None: there was none yet."""


@dataclass(frozen=True, slots=True)
class Write:
    """Write a status."""

    change: Object


@dataclass(frozen=True, slots=True)
class TellRequest:
    """Write the status of the request."""

    change: Object


class Act(Enum):
    """Steps that need no more words."""

    DONE = auto()
    ADD_FINALIZER = auto()
    CREATE_REQUEST = auto()
    APPROVE = auto()
    """Agree in the place of the administrator, who does not want to be asked."""
    ASK = auto()
    """Note that the decision is the administrator's from here on."""
    MAKE = auto()
    """Make the copy of the Secret and the BackupStorageLocation, or bring them up to date."""
    REVOKE = auto()
    """Delete both."""


Step: TypeAlias = Write | TellRequest | Act


def effective_spec(nabsl: Nabsl, request: Request | None) -> Object | None:
    """Give the bucket that counts: as it was when it was asked for."""
    requested = request.requested if request is not None else None
    return nabsl.location_spec if requested is None else requested


def decide(scene: Scene) -> Step:
    """Say what is to be done next."""
    nabsl, now = scene.nabsl, format_time(scene.now)
    if scene.is_foreign:
        return _written(nabsl, status.mistaken(nabsl, now))
    if scene.problem:
        return _written(nabsl, status.refused(nabsl, scene.problem, now))
    told = _written(nabsl, status.accepted(nabsl, _reference(scene), now))
    if told is not Act.DONE:
        return told
    if not nabsl.has_finalizer:
        return Act.ADD_FINALIZER
    if scene.request is None:
        return Act.CREATE_REQUEST
    return _asked(scene, scene.request, now)


def _asked(scene: Scene, request: Request, now: str) -> Step:
    nabsl, decision = scene.nabsl, request.decision
    if change := change_to(request.status, told_request(nabsl, request)):
        return TellRequest(change)
    if not scene.require_approval and decision != ApprovalDecision.APPROVE:
        return Act.APPROVE
    if decision != ApprovalDecision.APPROVE and not request.is_asked:
        return Act.ASK
    asked, wanted = request.requested or {}, nabsl.location_spec or {}
    is_changed = not is_same_spec(LOCATION_FORMS, asked, wanted)
    if decision == ApprovalDecision.APPROVE:
        if scene.made is None:
            return Act.MAKE
        return _written(nabsl, status.created(nabsl, scene.made, is_changed=is_changed, now=now))
    if scene.is_there:
        return Act.REVOKE
    told = status.undecided(nabsl, decision, is_changed=is_changed, now=now)
    return _written(nabsl, told)


def request_for(nabsl: Nabsl, home: str, *, require_approval: bool) -> Object:
    """Write the request to the administrator."""
    decision = ApprovalDecision.PENDING if require_approval else ApprovalDecision.APPROVE
    meta = marked(nabsl, home, is_asked=require_approval)
    return {"metadata": meta, "spec": {"approvalDecision": decision.value}}


def told_request(nabsl: Nabsl, request: Request) -> Object:
    """Write what a request is about; the bucket is written once."""
    namespace, name = nabsl.place
    return {
        **(request.status or {}),
        "phase": _PHASES.get(request.decision, ApprovalPhase.PENDING).value,
        "nonAdminBackupStorageLocation": {
            "requestedSpec": effective_spec(nabsl, request) or {},
            "nacuuid": nabsl.nacuuid,
            "name": name,
            "namespace": namespace,
        },
    }


def marked(nabsl: Nabsl, home: str, *, is_asked: bool = False) -> Object:
    """Write the metadata of what is made for a location."""
    noted = {ADMIN_ASKED: ADMIN_ASKED_VALUE} if is_asked else {}
    return {
        "name": nabsl.nacuuid,
        "namespace": home,
        "labels": labels_for(NABSL, nabsl.nacuuid),
        "annotations": annotations_for(NABSL, *nabsl.place, nabsl.metadata.uid) | noted,
    }


def _reference(scene: Scene) -> Object:
    nabsl = scene.nabsl
    name = nabsl.nacuuid or nacuuid_for(*nabsl.place, scene.uuid)
    return reference_to(name, scene.home)


def _written(nabsl: Nabsl, told: Object) -> Step:
    change = change_to(nabsl.status, told)
    return Write(change) if change else Act.DONE
