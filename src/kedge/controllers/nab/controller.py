"""Wire NonAdminBackups to the API: look, decide, take one step after the other."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import uuid4

import msgspec

from kedge.aio.clock import Clock
from kedge.client import Client, Deletion, StatusOf
from kedge.controllers.nab import status
from kedge.controllers.nab.abreast import Abreast
from kedge.controllers.nab.counts import counts_of
from kedge.controllers.nab.decide import (
    Act,
    CreateRequest,
    DeleteBackup,
    Done,
    Path,
    Scene,
    Sighting,
    Step,
    Write,
    decide,
    needs_fresh,
    needs_verdict,
    path_of,
)
from kedge.controllers.nab.hands import Hands
from kedge.controllers.nab.heads import BACKUPS, NABS, DeleteRequest, Nab, VeleroBackup, Volume
from kedge.controllers.nab.positions import Positions
from kedge.controllers.nab.removal import Removal
from kedge.controllers.nab.status import Seen
from kedge.controllers.nab.surroundings import Surroundings, Verdict
from kedge.controllers.nab.uploads import FRESH_SECONDS, Uploads
from kedge.kube.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    NotFound,
)
from kedge.kube.kind import Object
from kedge.kube.times import format_time
from kedge.runtime import AWAIT_CHANGE, Cache, Key, Result
from kedge.runtime.recording import Recording
from kedge.selfservice.change import change_to
from kedge.selfservice.finalizer import set_finalizer
from kedge.selfservice.marks import is_nacuuid
from kedge.selfservice.policy import NOTHING
from kedge.selfservice.validate import OwnLocation
from kedge.selfservice.velero import UNTAKEN, Request, velero_backup

logger = logging.getLogger(__name__)

NAME: Final = "nonadminbackup"
MOST_STEPS: Final = 20
"""No object needs more of them; one that does goes round in circles."""
MISSING: Final = Sighting.MISSING
TRIES: Final = 4
"""So often an object that others write meanwhile is read anew at once."""
UNJUDGED: Final = Verdict("", NOTHING, OwnLocation())
Backup = VeleroBackup | Sighting


class Endless(Exception):
    """One step led to another without an end: a fault of ours."""


@dataclass(slots=True)
class View:
    """What is found out in the course of one look at an object."""

    verdict: Verdict = UNJUDGED
    backup: Backup | None = None
    """None: what the cache says counts."""
    request: DeleteRequest | None = None
    """The one that was just made; None: what the cache says counts."""
    is_accepted: bool = False
    """Whether the object was just told to be accepted."""
    is_fresh: bool = False
    """Whether the object is as the server has it, and not as a cache does."""


@dataclass(slots=True)
class NabController:
    """Brings NonAdminBackups on their way."""

    client: Client
    home: str
    nabs: Cache[Nab]
    backups: Cache[VeleroBackup]
    volumes: Mapping[str, Cache[Volume]]
    uploads: Uploads
    surroundings: Surroundings
    removal: Removal
    positions: Positions
    hands: Hands
    recorder: Recording
    clock: Clock
    make_uuid: Callable[[], str] = lambda: str(uuid4())
    _abreast: Abreast = field(default_factory=Abreast)
    """Velero Backups that are being made: each is told its place when that is sure."""
    _untold: dict[Key, VeleroBackup] = field(default_factory=dict)
    """Velero Backups that were made, until it is written that they were: none is made again."""

    async def reconcile(self, key: Key) -> Result:
        """Bring one object up to date."""
        async with self.hands.on(key):
            nab = await self._newest(key)
            for _ in range(TRIES):
                try:
                    return AWAIT_CHANGE if nab is None else await self._go(key, nab)
                except Conflict:
                    # Somebody else was faster: what they wrote counts.
                    nab = await self._live(key)
            return AWAIT_CHANGE if nab is None else await self._go(key, nab)

    async def _newest(self, key: Key) -> Nab | None:
        """Give the object as new as the next step needs it."""
        nab = self.nabs.get(key)
        if nab is None:
            self.hands.forget(key)
            self._untold.pop(key, None)
            return None
        if self.hands.is_behind(key, nab.metadata.resource_version):
            written = self.hands.written(key)
            if written is None:
                return await self._live(key)
            nab = written
        return await self._live(key) if needs_fresh(nab) else nab

    async def _live(self, key: Key) -> Nab | None:
        """Read the newest version; None: the object is gone."""
        self.hands.forget(key)
        try:
            return await self.client.get(NABS, key.name, key.namespace)
        except NotFound:
            return None

    async def _go(self, key: Key, nab: Nab) -> Result:
        view = View()
        if needs_verdict(nab):
            view.verdict = await self.surroundings.judge(nab)
        for _ in range(MOST_STEPS):
            scene = await self._scene(nab, view)
            step = decide(scene)
            if isinstance(step, Done):
                return self._until(step.wake, scene)
            if step is Act.CREATE_BACKUP and not view.is_fresh:
                # A cache that shows the past would have a backup run again.
                after = await self._live(key)
            else:
                after = await self._take(key, scene, view, step)
            view.is_fresh = True
            if after is None:
                return AWAIT_CHANGE
            if isinstance(step, Write) and step.is_last:
                return self._until(None, scene)
            nab = after
        raise Endless(f"the NonAdminBackup {key} has no end: {path_of(nab)}")

    async def _scene(self, nab: Nab, view: View) -> Scene:
        """Collect what the next step depends on."""
        backup = self._backup(nab) if view.backup is None else view.backup
        return Scene(
            nab=nab,
            home=self.home,
            now=self.clock.now(),
            uuid="" if nab.nacuuid else self.make_uuid(),
            problem=view.verdict.problem,
            is_accepted=view.is_accepted,
            backup=backup,
            seen=Seen() if nab.is_leaving else await self._seen(backup),
            request=await self._request(nab, view),
            is_terminating=nab.is_leaving
            and self.surroundings.is_terminating(nab.metadata.namespace),
        )

    def _backup(self, nab: Nab) -> Backup:
        """Find the Velero Backup of an object in the cache."""
        name = nab.nacuuid or nab.synced_from or self._forgotten(nab)
        if not name:
            return Sighting.MISSING
        if not is_nacuuid(name):
            return Sighting.FOREIGN
        found = self.backups.get(Key(self.home, name))
        if (made := self._made(nab)) is not None:
            return found if found is not None and _is_same(found, made) else made
        if found is None:
            return Sighting.UNKNOWN
        return found if self.surroundings.is_own(found, nab) else Sighting.FOREIGN

    def _forgotten(self, nab: Nab) -> str:
        """Find the name of what was made for this very object, if its status was lost since.

        The finalizer comes after the name: who has none was never that far.
        """
        return (
            self.positions.name_of(Key(*nab.place), nab.metadata.uid) if nab.has_finalizer else ""
        )

    def _made(self, nab: Nab) -> VeleroBackup | None:
        """Give what was made for an object, if that is still to be written.

        It counts even where it is gone by now, or another one is in its place.
        """
        made = self._untold.get(Key(*nab.place))
        if made is None or made.metadata.name != nab.nacuuid or path_of(nab) is not Path.CREATE:
            return None
        return made if made.is_of(nab) else None

    async def _request(self, nab: Nab, view: View) -> DeleteRequest | Sighting:
        if view.request is not None or path_of(nab) is not Path.DELETE or not nab.nacuuid:
            return view.request or MISSING
        return await self.removal.request(nab)

    async def _seen(self, backup: Backup) -> Seen:
        if not isinstance(backup, VeleroBackup):
            return Seen()
        name = backup.metadata.name
        counts = counts_of(self.volumes, name) | await self.uploads.counts(backup)
        return Seen(self.positions.line.position(name), counts)

    async def _take(self, key: Key, scene: Scene, view: View, step: Step) -> Nab | None:
        """Take a step; give the object as it is after it, None: there is no more to do."""
        nab = scene.nab
        match step:
            case Write(change=change, accepts=accepts):
                view.is_accepted = accepts
                return await self._write(key, nab, change)
            case Act.ADD_FINALIZER:
                return await self._finalize(key, nab, present=True)
            case Act.REMOVE_FINALIZER:
                with suppress(NotFound):  # that is what was wanted
                    await self._finalize(key, nab, present=False)
                return None
            case Act.DELETE:
                return await self._delete(key, nab)
            case Act.LOOK:
                view.backup = await self._look(nab)
            case Act.CREATE_BACKUP:
                view.backup = await self._create(key, nab, view.verdict)
            case CreateRequest(backup, name):
                view.request = await self.removal.ask(nab, backup, name)
            case DeleteBackup(backup):
                await self.removal.drop(nab, backup)
                view.backup = MISSING
        return nab

    async def _write(self, key: Key, nab: Nab, change: Object) -> Nab:
        """Write a status, and tell what is new in it."""
        over = StatusOf(nab.metadata, nab.status)
        new = await self.client.write_status(NABS, over, change)
        self.hands.wrote(key, new.metadata.resource_version, new)
        if new.is_queued:
            self._untold.pop(key, None)
        for note in status.notes(nab.conditions, new.conditions):
            self.recorder.record(new, note.type, note.reason, note.message, kind=NABS)
        return new

    async def _finalize(self, key: Key, nab: Nab, *, present: bool) -> Nab:
        new = await set_finalizer(self.client, NABS, nab, present=present)
        self.hands.wrote(key, new.metadata.resource_version, new)
        return new

    async def _delete(self, key: Key, nab: Nab) -> Nab | None:
        """Delete the object itself; give it while it waits for its finalizers."""
        meta = nab.metadata
        deletion = Deletion(uid=meta.uid, resource_version=meta.resource_version)
        try:
            answer = await self.client.delete(NABS, key.name, key.namespace, deletion)
        except NotFound:
            return None
        if answer.get("kind") != NABS.name:
            return None
        new = msgspec.convert(answer, Nab)
        self.hands.wrote(key, new.metadata.resource_version, new)
        return new

    async def _look(self, nab: Nab) -> Backup:
        """Ask the server for the Velero Backup: that there is none must be true now."""
        try:
            found = await self.client.get(BACKUPS, nab.nacuuid or nab.synced_from, self.home)
        except NotFound:
            return MISSING
        return found if self.surroundings.is_own(found, nab) else Sighting.FOREIGN

    async def _create(self, key: Key, nab: Nab, verdict: Verdict) -> Backup:
        """Make the Velero Backup, unless it is there."""
        request = Request(*nab.place, nab.metadata.uid, nab.nacuuid, nab.backup_spec or {})
        wanted = velero_backup(request, self.home, verdict.policy, verdict.location.name)
        place = Key(self.home, nab.nacuuid)
        with self._abreast.making(), self.hands.making(place):
            try:
                made = await self.client.create(BACKUPS, msgspec.convert(wanted, VeleroBackup))
            except AlreadyExists:
                return await self._look(nab)
            except UNTAKEN as exc:
                await self._tell_unmade(key, nab, exc)
                raise
            self._untold[key] = made
            self.positions.made(made)
            self.hands.made(place, made.metadata.resource_version)
        await self._abreast.settled()
        logger.info("velero backup created", extra={"backup": made.metadata.name})
        return self._backup(nab)

    async def _tell_unmade(self, key: Key, nab: Nab, why: ApiError) -> None:
        """Write that the server does not take the Velero Backup."""
        told = status.unmade(nab, str(why), format_time(self.clock.now()))
        if change := change_to(nab.status, told):
            await self._write(key, nab, change)

    def _until(self, wake: datetime | None, scene: Scene) -> Result:
        """Look again at an instant: by the clock on the wall, and by the time that passes."""
        backup = scene.backup
        if wake is None and isinstance(backup, VeleroBackup):
            return Result(after_seconds=FRESH_SECONDS if self.uploads.is_moving(backup) else None)
        if wake is None:
            policies = self.surroundings.policies
            return Result(after_seconds=policies.again_seconds if scene.problem else None)
        return Result(wake, max(0.0, (wake - self.clock.now()).total_seconds()))


def _is_same(one: VeleroBackup, other: VeleroBackup) -> bool:
    return one.metadata.uid == other.metadata.uid
