"""A world without a server: the steps for a NonAdminBackup, taken one after the other."""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from kedge.controllers.nab.decide import (
    Act,
    CreateRequest,
    DeleteBackup,
    Done,
    Scene,
    Sighting,
    Step,
    Write,
    decide,
    needs_verdict,
)
from kedge.controllers.nab.heads import DeleteRequest, Nab, RequestSpec, RequestStatus, VeleroBackup
from kedge.controllers.nab.status import Seen
from kedge.kube.kind import Object
from kedge.kube.meta import ObjectMeta
from kedge.selfservice.marks import NAB, NAB_FINALIZER, SYNCED_FROM, annotations_for, labels_for

HOME = "velero"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
UUID = "0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"
NAME = f"shop-nightly-{UUID}"
UID = "11111111-1111-4111-8111-111111111111"
BACKUP_UID = "22222222-2222-4222-8222-222222222222"
REFERENCE = {"nacuuid": NAME, "name": NAME, "namespace": HOME}


@dataclass
class World:
    """One NonAdminBackup, and what there is beside it."""

    spec: Object | None = field(default_factory=lambda: {"backupSpec": {}})
    status: Object | None = None
    finalizers: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    generation: int = 1
    deleted: bool = False
    problem: str = ""
    backup: VeleroBackup | Sighting = Sighting.MISSING
    cached: bool = True
    """Whether the cache has what there is."""
    request: DeleteRequest | Sighting = Sighting.MISSING
    is_terminating: bool = False
    position: int = 1
    now: datetime = NOW
    is_gone: bool = False
    wake: datetime | None = None
    writes: list[str] = field(default_factory=list)

    @property
    def nab(self) -> Nab:
        """The object as it is now."""
        meta = ObjectMeta(
            name="nightly",
            namespace="shop",
            uid=UID,
            generation=self.generation,
            deletion_timestamp="2030-01-01T00:00:00Z" if self.deleted else None,
            labels=self.labels,
            finalizers=list(self.finalizers),
        )
        return Nab(meta, deepcopy(self.spec), deepcopy(self.status))

    @property
    def phase(self) -> str:
        """Its phase."""
        return str((self.status or {}).get("phase", ""))

    @property
    def conditions(self) -> list[str]:
        """Its conditions as type=status/reason."""
        found = (self.status or {}).get("conditions", [])
        return [f"{one['type']}={one['status']}/{one['reason']}" for one in found]

    @property
    def observed(self) -> dict[str, int]:
        """Of its conditions, the generation that each is of."""
        found = (self.status or {}).get("conditions", [])
        return {one["type"]: one["observedGeneration"] for one in found}

    def message(self, kind: str) -> str:
        """The words of a condition."""
        found = (self.status or {}).get("conditions", [])
        return next((str(one["message"]) for one in found if one["type"] == kind), "")

    def settle(self, most: int = 20) -> "World":
        """Take steps until there is none left."""
        view: VeleroBackup | Sighting | None = None
        last: Step | None = None
        for _ in range(most):
            if self.is_gone:
                return self
            found = self.backup if self.cached or view is not None else Sighting.UNKNOWN
            scene = self.scene(found)
            step = decide(scene)
            if isinstance(last, Write) and last.accepts:
                assert decide(replace(scene, is_accepted=True)) == step
            if isinstance(step, Done):
                self.wake = step.wake
                return self
            assert not (isinstance(last, Write) and last.is_last), "it was not the last"
            view, last = self.take(step, view), step
        raise AssertionError(f"no end: {self.writes}")

    def again(self, **changes: Any) -> list[str]:
        """Change something, settle, and give what was written for it."""
        for name, value in changes.items():
            setattr(self, name, value)
        before = len(self.writes)
        self.settle()
        return self.writes[before:]

    def scene(self, found: VeleroBackup | Sighting | None = None) -> Scene:
        """Give what the next step depends on; None: the Velero Backup is seen as it is."""
        nab, backup = self.nab, self.backup if found is None else found
        return Scene(
            nab,
            HOME,
            self.now,
            UUID,
            self.problem if needs_verdict(nab) else "",
            backup,
            Seen(self.position),
            self.request,
            self.is_terminating,
        )

    def take(self, step: Step, view: VeleroBackup | Sighting | None) -> Any:
        """Take a step."""
        match step:
            case Write(status=new):
                self.writes.append(f"status({new.get('phase', '')})")
                self.status = deepcopy(new)
            case Act.ADD_FINALIZER:
                self.writes.append("add finalizer")
                self.finalizers.append(NAB_FINALIZER)
            case Act.REMOVE_FINALIZER:
                self.writes.append("remove finalizer")
                self.finalizers = [one for one in self.finalizers if one != NAB_FINALIZER]
                self.is_gone = self.deleted and not self.finalizers
                if not self.is_gone:
                    self.deleted = True
            case Act.DELETE:
                self.writes.append("delete NonAdminBackup")
                self.deleted, self.is_gone = True, not self.finalizers
                self.generation += 1
            case Act.CREATE_BACKUP:
                self.writes.append("create Backup")
                self.backup = backup(name=str(self.nab.nacuuid))
                return self.backup
            case Act.LOOK:
                return self.backup
            case CreateRequest(name=name):
                self.writes.append(f"create request {name.removeprefix(NAME)}")
                self.request = request(name)
            case DeleteBackup():
                self.writes.append("delete Backup and requests")
                self.backup = self.request = Sighting.MISSING
                return self.backup
        return view


def backup(status: Object | None = None, name: str = NAME, **origin: str) -> VeleroBackup:
    """Make a Velero Backup, by default the one of the NonAdminBackup."""
    place = {"namespace": "shop", "name": "nightly", "uid": UID, **origin}
    meta = ObjectMeta(
        name=name,
        namespace=HOME,
        uid=BACKUP_UID,
        labels=labels_for(NAB, name),
        annotations=annotations_for(NAB, place["namespace"], place["name"], place["uid"]),
    )
    return VeleroBackup(meta, {"includedNamespaces": ["shop"]}, status)


def request(
    name: str = f"{NAME}-1",
    phase: str = "",
    errors: list[str] | None = None,
    created: str = "2030-01-01T00:00:00Z",
) -> DeleteRequest:
    """Make a DeleteBackupRequest."""
    meta = ObjectMeta(name=name, namespace=HOME, creation_timestamp=created)
    state = RequestStatus(phase, errors) if phase or errors else None
    return DeleteRequest(meta, RequestSpec(NAME), state)


def made(**more: Any) -> World:
    """Make a world whose NonAdminBackup has its Velero Backup."""
    world = World().settle()
    world.writes.clear()
    for name, value in more.items():
        setattr(world, name, value)
    return world


def synced(**more: Any) -> World:
    """Make a world whose NonAdminBackup was made for a Velero Backup of another life."""
    return World(labels={SYNCED_FROM: NAME}, backup=backup(uid="another"), **more)
