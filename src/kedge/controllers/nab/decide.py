"""The next step for a NonAdminBackup: the flow chart, one write at a time. Pure.

    forceDeleteBackup ▶ deleteBackup ▶ deleted by somebody ▶ made for a Backup ▶ all others

What is asked for first in this list is done. Each step leads to a state in which the next one is
found in the same way, so that it does not matter who takes it, and when.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from typing import Final, TypeAlias

from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.api.velero.delete_request import DeletePhase
from kedge.controllers.nab import status
from kedge.controllers.nab.heads import DeleteRequest, Nab, VeleroBackup
from kedge.controllers.nab.status import Seen
from kedge.kube.kind import Object
from kedge.kube.times import format_time, parse_time
from kedge.selfservice.change import change_to
from kedge.selfservice.conditions import TRUE
from kedge.selfservice.nacuuid import nacuuid_for, reference_to

RETRY: Final = timedelta(seconds=30)
"""A deletion that failed is asked for again after this time, and then after twice as long."""
QUICK: Final = timedelta(seconds=1)
LONGEST: Final = timedelta(hours=1)


class Path(StrEnum):
    """What is to become of a NonAdminBackup."""

    FORCE_DELETE = "force delete"
    DELETE = "delete"
    API_DELETE = "api delete"
    SYNC = "sync"
    CREATE = "create"


class Sighting(Enum):
    """What is known of an object that was not seen."""

    UNKNOWN = auto()
    """The cache does not have it, which may be late."""
    MISSING = auto()
    """The server says that there is none."""
    FOREIGN = auto()
    """There is one of that name, and it is another's."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A NonAdminBackup, and all that the next step depends on."""

    nab: Nab
    home: str
    """The server's namespace."""
    now: datetime
    uuid: str = ""
    """One that nobody has yet."""
    problem: str = ""
    """What is wrong with the spec."""
    backup: VeleroBackup | Sighting = Sighting.UNKNOWN
    seen: Seen = field(default_factory=Seen)
    request: DeleteRequest | Sighting = Sighting.MISSING
    """The request to delete the Velero Backup that counts."""
    is_terminating: bool = False
    """Whether the whole namespace is being deleted."""
    is_accepted: bool = False
    """Whether it was just written that nothing is wrong with the spec."""


@dataclass(frozen=True, slots=True)
class Write:
    """Write a status."""

    status: Object
    change: Object
    is_last: bool = False
    """Whether there is nothing to do after it, until something changes."""
    accepts: bool = False
    """Whether it tells that the object is accepted, so that this need not be looked at again."""


@dataclass(frozen=True, slots=True)
class CreateRequest:
    """Ask for the Velero Backup to be deleted with its data."""

    backup: VeleroBackup
    name: str


@dataclass(frozen=True, slots=True)
class DeleteBackup:
    """Delete the Velero Backup, without its data, and the requests for it."""

    backup: VeleroBackup


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more for now."""

    wake: datetime | None = None
    """When to look again if nothing changes."""


class Act(Enum):
    """Steps that need no more words."""

    ADD_FINALIZER = auto()
    REMOVE_FINALIZER = auto()
    CREATE_BACKUP = auto()
    DELETE = auto()
    """Delete the NonAdminBackup."""
    LOOK = auto()
    """Ask the server for the Velero Backup: the cache does not have it."""


Step: TypeAlias = Write | CreateRequest | DeleteBackup | Done | Act
DONE: Final = Done()


def path_of(nab: Nab) -> Path:
    """Say what is to become of a NonAdminBackup."""
    spec = nab.spec or {}
    if spec.get("forceDeleteBackup"):
        return Path.FORCE_DELETE
    if spec.get("deleteBackup"):
        return Path.DELETE
    # Who takes the word back after it was told, and before the object was deleted, finds it deleted
    # all the same: a phase never returns, and a moment later it would have been.
    if nab.is_leaving or nab.phase == NonAdminPhase.DELETING:
        return Path.API_DELETE
    return Path.SYNC if nab.synced_from else Path.CREATE


def needs_fresh(nab: Nab) -> bool:
    """Tell whether the next step is for the newest version of the object only.

    What is written into a status is bound to the version that it was decided on, so that the server
    sees to that: whoever decided on an older one reads the newest. What is deleted is not.
    """
    path = path_of(nab)
    is_to_go = path is Path.API_DELETE and not nab.is_leaving
    return path in (Path.FORCE_DELETE, Path.DELETE) or is_to_go


def needs_verdict(nab: Nab) -> bool:
    """Tell whether the spec is to be looked at: after the backup is made, for an edit only."""
    if path_of(nab) is not Path.CREATE:
        return False
    found = nab.accepted()
    # The original does not say of which generation it speaks, and made the Backup by its own rules.
    is_judged = found.get("observedGeneration") in (None, nab.metadata.generation)
    return not nab.is_queued or not is_judged or found.get("status") != TRUE


def decide(scene: Scene) -> Step:
    """Say what is to be done next."""
    if named := _named(scene):
        return named
    match path_of(scene.nab):
        case Path.FORCE_DELETE:
            return _force_delete(scene)
        case Path.DELETE:
            return _delete(scene)
        case Path.API_DELETE:
            return _api_delete(scene)
        case Path.SYNC:
            return _sync(scene)
        case Path.CREATE:
            return _create(scene)


def _named(scene: Scene) -> Step | None:
    """Write the name of a Velero Backup that was found without it: the status was lost."""
    nab, backup = scene.nab, scene.backup
    if nab.nacuuid or nab.synced_from or not isinstance(backup, VeleroBackup):
        return None
    return _written(nab, status.named(nab, backup))


def _create(scene: Scene) -> Step:
    nab, is_made = scene.nab, scene.nab.is_queued or isinstance(scene.backup, VeleroBackup)
    if scene.backup is Sighting.FOREIGN:
        return _written(nab, status.lost(nab, status.FOREIGN_TEXT, _now(scene))) or DONE
    if scene.problem and not is_made:
        begun = _written(nab, status.started(nab))
        return begun or _written(nab, status.refused(nab, scene.problem, _now(scene))) or DONE
    if not is_made and not (scene.is_accepted and nab.nacuuid):
        told = status.accepted(nab, _reference(scene), _now(scene))
        if change := change_to(nab.status, told):
            return Write(told, change, accepts=True)
    if not nab.has_finalizer:
        return Act.ADD_FINALIZER
    if isinstance(scene.backup, VeleroBackup):
        return _told(scene, scene.backup, is_last=True) or DONE
    if not nab.is_queued:
        return Act.CREATE_BACKUP
    return _lost(scene, status.GONE_TEXT)


def _sync(scene: Scene) -> Step:
    """Take up a Velero Backup that is there; none is ever made, whatever a label says."""
    if isinstance(scene.backup, VeleroBackup):
        is_held = scene.nab.has_finalizer
        told = _told(scene, scene.backup, is_last=is_held)
        return told or (DONE if is_held else Act.ADD_FINALIZER)
    # Whether there is such a Backup of somebody else's is not theirs to know.
    return _lost(scene, status.GONE_TEXT if scene.nab.is_queued else status.NO_SOURCE_TEXT)


def _told(scene: Scene, backup: VeleroBackup, *, is_last: bool) -> Write | None:
    told = status.created(scene.nab, backup, scene.seen, scene.problem, _now(scene))
    change = change_to(scene.nab.status, told)
    return Write(told, change, is_last) if change else None


def _lost(scene: Scene, text: str) -> Step:
    """Say that there is no Velero Backup, once the server has said so."""
    if scene.backup is Sighting.UNKNOWN:
        return Act.LOOK
    return _written(scene.nab, status.lost(scene.nab, text, _now(scene))) or DONE


def _api_delete(scene: Scene) -> Step:
    """Keep the backup, and the object with it, until somebody says what is to become of it."""
    nab = scene.nab
    if not nab.is_leaving:
        return _deleted(scene)
    if scene.is_terminating and nab.has_finalizer:
        return Act.REMOVE_FINALIZER
    if told := _written(nab, status.kept(nab, _now(scene))):
        return told
    if not nab.has_finalizer or isinstance(scene.backup, VeleroBackup):
        return DONE
    return Act.LOOK if scene.backup is Sighting.UNKNOWN else Act.REMOVE_FINALIZER


def _force_delete(scene: Scene) -> Step:
    if begun := _begun(scene):
        return begun
    if isinstance(scene.backup, VeleroBackup):
        return DeleteBackup(scene.backup)
    return Act.REMOVE_FINALIZER


def _delete(scene: Scene) -> Step:
    if begun := _begun(scene):
        return begun
    if not isinstance(scene.backup, VeleroBackup):
        return Act.REMOVE_FINALIZER
    if not isinstance(scene.request, DeleteRequest):
        return _asked(scene, scene.backup)
    told = status.leaving(scene.nab, _now(scene), scene.request, scene.home)
    if step := _written(scene.nab, told):
        return step
    if scene.is_terminating:
        return Act.REMOVE_FINALIZER  # the request goes on by itself
    again = _again(scene, scene.request, scene.backup)
    if again is None or again > scene.now:
        return Done(again)
    return _asked(scene, scene.backup)


def _begun(scene: Scene) -> Step | None:
    """Say that it is deleted, delete it, and find the Velero Backup; None: that is done."""
    nab = scene.nab
    told = _written(nab, status.leaving(nab, _now(scene)))
    # That it has a deletion timestamp is no news: what comes next tells of it, too.
    if told and not status.is_said(nab.conditions, told.status["conditions"]):
        return told
    if not nab.is_leaving:
        return _deleted(scene)
    if not nab.has_finalizer:
        return told or DONE  # others hold it back, and nothing comes next
    return Act.LOOK if scene.backup is Sighting.UNKNOWN else None


def _deleted(scene: Scene) -> Step:
    """Delete the object, which must not be gone before its Velero Backup is dealt with.

    Who replaces an object as a whole takes our finalizer off.
    """
    if not scene.nab.has_finalizer and scene.backup is Sighting.UNKNOWN:
        return Act.LOOK
    is_to_be_held = not scene.nab.has_finalizer and isinstance(scene.backup, VeleroBackup)
    return Act.ADD_FINALIZER if is_to_be_held else Act.DELETE


def _again(scene: Scene, request: DeleteRequest, backup: VeleroBackup) -> datetime | None:
    """Say when to ask again for a deletion; None: it is under way."""
    if request.status is None or request.status.phase != DeletePhase.PROCESSED:
        return None
    asked = parse_time(request.metadata.creation_timestamp or _now(scene))
    ended = (backup.status or {}).get("completionTimestamp")
    # One that was refused because the backup was still running need not wait long. Times are told
    # to the second: a backup may have ended in that of the request, and after it.
    first = QUICK if ended and parse_time(ended) >= asked else RETRY
    tries = max(1, number_of(request.metadata.name, backup.metadata.name))
    return asked + min(first * (1 << min(tries - 1, 16)), LONGEST)


def _asked(scene: Scene, backup: VeleroBackup) -> CreateRequest:
    """Name the next request, so that two who ask at once ask for the same."""
    known = (scene.nab.known.get("veleroDeleteBackupRequest") or {}).get("name", "")
    found = scene.request.metadata.name if isinstance(scene.request, DeleteRequest) else ""
    last = max(number_of(name, backup.metadata.name) for name in (known, found))
    return CreateRequest(backup, f"{backup.metadata.name}-{last + 1}")


def number_of(request: str, backup: str) -> int:
    """Give the number of a request of ours for a Backup; 0: it is not of us.

    >>> number_of("shop-nightly-2", "shop-nightly")
    2
    """
    tail = request.removeprefix(f"{backup}-")
    is_ours = tail != request and tail.isascii() and tail.isdecimal() and len(tail) < 10
    return int(tail) if is_ours else 0


def _reference(scene: Scene) -> Object:
    nab = scene.nab
    if nab.nacuuid:
        return {}
    name = nacuuid_for(*nab.place, scene.uuid)
    return reference_to(name, scene.home)


def _written(nab: Nab, wanted: Object) -> Write | None:
    """Write a status, unless it is there."""
    change = change_to(nab.status, wanted)
    return Write(wanted, change) if change else None


def _now(scene: Scene) -> str:
    return format_time(scene.now)
