"""Wire NonAdminRestores to the API: read the caches, decide, write, and look again."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final
from uuid import uuid4

import msgspec

from kedge.aio.clock import Clock
from kedge.client import Client, Selection, StatusOf
from kedge.client.patches import merge
from kedge.client.requests import Deletion
from kedge.controllers.nar.backups import Backups
from kedge.controllers.nar.decide import (
    Create,
    Facts,
    Finalize,
    Remove,
    Rest,
    Step,
    Write,
    decide,
    needs_verdict,
    unmade,
)
from kedge.controllers.nar.heads import (
    BACKUPS,
    LOCATIONS,
    NARS,
    RESTORES,
    VERSIONS,
    VOLUMES,
    Nar,
    VeleroRestore,
)
from kedge.controllers.nar.lining import THE_LINE, Lining
from kedge.controllers.nar.memory import LAG_SECONDS, Memory, Settled
from kedge.controllers.nar.volumes import BY_RESTORE, Volumes, by_restore
from kedge.controllers.nar.waking import OPEN, ORIGIN, Waking, by_need, by_origin
from kedge.kube.errors import AlreadyExists, NotFound
from kedge.kube.kind import Object, plain
from kedge.kube.meta import Partial
from kedge.kube.times import format_time
from kedge.runtime import AWAIT_CHANGE, Cache, Keeping, Key, Manager, On, Result, itself
from kedge.runtime.recording import Recording
from kedge.selfservice.finalizer import set_finalizer
from kedge.selfservice.nab import NABS
from kedge.selfservice.nacuuid import nacuuid_for
from kedge.selfservice.policies import CONFIG_MAP, Policies, policy_selection
from kedge.selfservice.policy import POLICY_NAME
from kedge.selfservice.publish import PERIOD_SECONDS, Line, Publishing
from kedge.selfservice.queue import Queue
from kedge.selfservice.velero import UNTAKEN

logger = logging.getLogger(__name__)

NAME: Final = "nonadminrestore"
NAMESPACES: Final = plain("v1", "Namespace", "namespaces", namespaced=False).partial
STEPS: Final = 10
"""More are never needed for one NonAdminRestore at a time."""
MADE: Final = RESTORES.into(dict)


@dataclass(frozen=True, slots=True)
class NarSettings:
    """How NonAdminRestores behave."""

    home: str
    """The server's namespace: Velero's objects are there."""
    publish_seconds: float = PERIOD_SECONDS
    """Positions behind the first ten are written at most once in so long."""
    restarts_by_name: bool = False
    """Whether another server than ours runs the Restores, which forgets its line at a restart."""
    workers: int = 16
    """Reconciles at once: each waits for the API server most of its time."""
    uuid: Callable[[], str] = lambda: str(uuid4())
    """Makes up what makes names unique."""


@dataclass(slots=True)
class NarController:
    """Makes a Velero Restore for each NonAdminRestore, and tells what becomes of it."""

    client: Client
    nars: Cache[Nar]
    restores: Cache[VeleroRestore]
    namespaces: Cache[Partial]
    backups: Backups
    volumes: Volumes
    policies: Policies
    lining: Lining
    recorder: Recording
    clock: Clock
    settings: NarSettings
    memory: Memory
    wake: Callable[[Key], None] = lambda _: None

    async def reconcile(self, key: Key) -> Result:
        """Bring one NonAdminRestore up to date, or tell some of them where they stand."""
        if key == THE_LINE:
            return self._tell_line()
        entry = self.nars.entry(key)
        if entry is None:
            self.memory.forget(key)
            return AWAIT_CHANGE
        version = entry.meta.resource_version
        if self.memory.is_behind(key, version):
            return Result(after_seconds=LAG_SECONDS)
        if self._is_settled(key, version):
            await self._move(key)
            return AWAIT_CHANGE
        return await self._work(key, entry.read())

    def _tell_line(self) -> Result:
        for key in self.lining.due():
            self.memory.due.add(key)
            self.wake(key)
        wait = self.lining.wait_seconds()
        return AWAIT_CHANGE if wait is None else Result(after_seconds=wait)

    def _is_settled(self, key: Key, version: str) -> bool:
        """Tell whether nothing has changed but, at most, the position."""
        settled = self.memory.settled.get(key)
        if settled is None or settled.version != version:
            return False
        restore = self.restores.entry(Key(self.settings.home, settled.restore))
        return (
            restore is not None
            and restore.meta.resource_version == settled.restore_version
            and self.volumes.version(settled.restore) == settled.volumes
        )

    async def _move(self, key: Key) -> None:
        """Write the position alone, if it is to be told and is another one."""
        old = self.memory.settled[key]
        is_due = key in self.memory.due
        position = self.lining.position(old.restore, old.position, is_due=is_due)
        version = old.version
        if position != old.position:
            status = {"queueInfo": {"estimatedQueuePosition": position}}
            change = merge({"metadata": {"resourceVersion": version}, "status": status})
            del self.memory.settled[key]
            new = await self.client.patch_status(VERSIONS, key.name, change, key.namespace)
            version = new.metadata.resource_version
            self.memory.wrote(key, version)
            self.memory.settled[key] = Settled(
                version, old.restore, old.restore_version, old.volumes, position
            )
        self.memory.due.discard(key)

    async def _work(self, key: Key, nar: Nar) -> Result:
        """Take one step after the other, until there is none to take."""
        self.memory.settled.pop(key, None)
        is_fresh = is_sure = False
        for _ in range(STEPS):
            facts = await self._facts(key, nar)
            step = decide(facts)
            if isinstance(step, Rest):
                return self._rest(key, facts)
            # What a cache shows may be past: to make or to give up something takes the truth.
            if isinstance(step, Create) and not is_fresh:
                nar, is_fresh = await self.client.get(NARS, key.name, key.namespace), True
            elif isinstance(step, Create) and not await self._is_restorable(facts):
                return Result(after_seconds=LAG_SECONDS)  # the cache will show what has changed
            elif not is_sure and gives_up(step, facts):
                await self._look_for(key, nar)
                is_sure = True
            else:
                nar = await self._take(key, nar, step)
                is_fresh = True
                if isinstance(step, Finalize) and not step.present:
                    return AWAIT_CHANGE
        # Such as where a server drops what is written.
        logger.warning("a NonAdminRestore does not come to rest", extra={"object": str(key)})
        return AWAIT_CHANGE

    def _rest(self, key: Key, facts: Facts) -> Result:
        """Remember that there is nothing to do; say when to look again."""
        self.memory.due.discard(key)
        nar, restore = facts.nar, facts.restore
        if facts.is_unseen:
            return Result(after_seconds=LAG_SECONDS)
        if restore is not None and not nar.is_leaving and not facts.is_taken:
            name = restore.metadata.name
            self.memory.settled[key] = Settled(
                nar.metadata.resource_version,
                name,
                restore.metadata.resource_version,
                self.volumes.version(name),
                nar.position or 0,
            )
        is_open = restore is None and not (nar.is_leaving or nar.is_queued)
        return Result(after_seconds=self.policies.again_seconds if is_open else None)

    async def _facts(self, key: Key, nar: Nar) -> Facts:
        """Gather all that counts."""
        restore, is_unseen = self._find(key, nar)
        is_taken = restore is not None and not restore.is_of(nar)
        restore = None if is_taken else restore
        meta, home = nar.metadata, self.settings.home
        namespace = self.namespaces.entry(Key("", meta.namespace))
        facts = Facts(
            nar,
            home,
            format_time(self.clock.now()),
            nacuuid_for(*nar.place, self.settings.uuid()),
            restore,
            is_unseen,
            is_taken,
            is_namespace_leaving=namespace is None or bool(namespace.meta.deletion_timestamp),
        )
        if needs_verdict(nar, is_made=restore is not None):
            backup, phase = self.backups.find(meta.namespace, nar.backup_name)
            policy = await self.policies.current()
            facts = replace(facts, backup=backup, backup_phase=phase, policy=policy)
        if restore is not None and not nar.is_leaving:
            is_due = key in self.memory.due
            position = self.lining.position(restore.metadata.name, nar.position, is_due=is_due)
            counts = await self.volumes.counts(restore)
            facts = replace(facts, position=position, counts=counts)
        return facts

    def _find(self, key: Key, nar: Nar) -> tuple[VeleroRestore | None, bool]:
        """Find the Velero Restore, and tell whether no cache shows it yet."""
        if nar.nacuuid:
            seen = self.restores.get(Key(self.settings.home, nar.nacuuid))
            found, is_unseen = self.memory.newer(key, seen)
            made = None if nar.is_leaving else self.memory.untold(key)
            if made is None or not made.is_of(nar) or _is_same(found, made):
                return found, is_unseen
            # It counts even where it is gone by now, or another one is in its place: to make it
            # again would run it again.
            return made, False
        # A status may be lost. What was made for this very object tells so itself.
        for entry in self.restores.find(ORIGIN, str(key)):
            restore = entry.read()
            if restore.is_of(nar) and restore.origin and restore.origin.uid:
                return restore, False
        return None, False

    async def _is_restorable(self, facts: Facts) -> bool:
        """Ask the API whether the Velero Backup is still what was judged."""
        nar = facts.nar
        wanted = (nar.metadata.namespace, nar.backup_name)
        return await self.backups.stands(*wanted, facts.backup, facts.backup_phase)

    async def _look_for(self, key: Key, nar: Nar) -> None:
        """Ask the API for the Velero Restore."""
        try:
            found = await self.client.get(RESTORES, nar.nacuuid, self.settings.home)
        except NotFound:
            self.memory.live(key, None)
        else:
            self.memory.live(key, found)

    async def _take(self, key: Key, nar: Nar, step: Step) -> Nar:
        """Take a step; give the NonAdminRestore as it is after that."""
        match step:
            case Write(change, note):
                nar = await self._write(key, nar, change)
                if note is not None:
                    told = (note.type, note.reason, note.message)
                    self.recorder.record(nar, *told, kind=NARS)
            case Finalize(present):
                nar = await self._finalize(key, nar, present=present)
            case Create(restore):
                await self._create(key, nar, restore)
            case Remove(name, uid):
                await self._remove(key, name, uid)
            case Rest():
                pass
        return nar

    async def _write(self, key: Key, nar: Nar, change: Object) -> Nar:
        over = StatusOf(nar.metadata, nar.status)
        new = await self.client.write_status(NARS, over, change)
        self.memory.wrote(key, new.metadata.resource_version)
        if new.is_queued:
            self.memory.told(key)
        return new

    async def _finalize(self, key: Key, nar: Nar, *, present: bool) -> Nar:
        new = await set_finalizer(self.client, NARS, nar, present=present)
        self.memory.wrote(key, new.metadata.resource_version)
        return new

    async def _create(self, key: Key, nar: Nar, restore: Object) -> None:
        name, home = restore["metadata"]["name"], self.settings.home
        try:
            made = await self.client.create(MADE, restore, home)
        except AlreadyExists:
            found = await self.client.get(RESTORES, name, home)
            self.memory.live(key, found)
        except UNTAKEN as exc:
            if step := unmade(nar, str(exc), format_time(self.clock.now())):
                await self._take(key, nar, step)
            raise
        else:
            self.memory.made(key, msgspec.convert(made, VeleroRestore))
            logger.info("velero restore created", extra={"restore": name})

    async def _remove(self, key: Key, name: str, uid: str) -> None:
        try:
            left = await self.client.delete(RESTORES, name, self.settings.home, Deletion(uid=uid))
        except NotFound:
            left = {}
        is_there = left.get("kind") == RESTORES.name
        self.memory.live(key, msgspec.convert(left, VeleroRestore) if is_there else None)
        logger.info("velero restore deleted", extra={"restore": name})


def _is_same(one: VeleroRestore | None, other: VeleroRestore) -> bool:
    return one is not None and one.metadata.uid == other.metadata.uid


def gives_up(step: Step, facts: Facts) -> bool:
    """Tell whether a step hangs on that there is no Velero Restore any more."""
    nar = facts.nar
    if facts.restore is not None or facts.is_taken or not nar.nacuuid:
        return False
    if isinstance(step, Finalize):
        return not step.present
    return isinstance(step, Write) and nar.is_queued and not nar.is_leaving


def add_to(
    manager: Manager, client: Client, recorder: Recording, settings: NarSettings
) -> NarController:
    """Have a manager run the controller."""
    at_home = Selection(settings.home)
    nars = manager.cache(NARS, Keeping(indexes={OPEN: by_need}))
    restores = manager.cache(RESTORES, Keeping(at_home, {ORIGIN: by_origin}))
    nabs, backups = manager.cache(NABS), manager.cache(BACKUPS, Keeping(at_home))
    locations = manager.cache(LOCATIONS, Keeping(at_home))
    files = manager.cache(VOLUMES, Keeping(at_home, {BY_RESTORE: by_restore}))
    namespaces = manager.cache(NAMESPACES)
    config = manager.cache(CONFIG_MAP, Keeping(policy_selection(settings.home)))
    clock = manager.clock
    line = Line(
        Queue(by_name=settings.restarts_by_name),
        Publishing(period_seconds=settings.publish_seconds),
    )
    lining = Lining(line, restores, clock, settings.home)
    controller = NarController(
        client,
        nars,
        restores,
        namespaces,
        Backups(client, nabs, backups, locations, settings.home),
        Volumes(client, files, settings.home, clock),
        Policies(client, settings.home, lambda: config.get(Key(settings.home, POLICY_NAME)), clock),
        lining,
        recorder,
        clock,
        settings,
        Memory(clock),
    )
    waking = Waking(nars, restores, settings.home)
    watches = [
        On(nars, itself),
        On(restores, lining.heard),
        On(nabs, waking.by_nab),
        On(backups, waking.by_backup),
        On(locations, waking.by_location),
        On(files, waking.by_volume),
        On(namespaces, waking.by_namespace),
        On(config, waking.by_policy),
    ]
    made = manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    controller.wake = made.queue.add
    return controller
