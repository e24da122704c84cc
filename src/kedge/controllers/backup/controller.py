"""Wire backups to the API: what is ready is run, what was left unfinished is brought to an end."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from kedge.api.velero.backup import BackupPhase, is_terminal
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.client import Client, Selection
from kedge.controllers.backup.ahead import Ahead
from kedge.controllers.backup.decide import Facts, Prepared
from kedge.controllers.backup.ending import INTERRUPTED, Ending, Leftover
from kedge.controllers.backup.facts import Finder, Versions
from kedge.controllers.backup.heads import (
    BACKUP_HEAD,
    FINALIZING,
    UNFINISHED,
    BackupHead,
    has_work,
    is_to_come,
)
from kedge.controllers.backup.held import BACKUPS, Held, Lost
from kedge.controllers.backup.recency import Recency
from kedge.controllers.backup.running import Running
from kedge.controllers.backup.settings import BackupSettings
from kedge.controllers.backup.telling import BackupNumbers, NoNumbers, Telling
from kedge.engine.backup.existing import NAMESPACE
from kedge.engine.backup.run import back_up
from kedge.engine.storage.open import Stores
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.objects.errors import ObjectsError
from kedge.runtime import AWAIT_CHANGE, Cache, Change, Entry, Keeping, Key, Manager, On, Result
from kedge.runtime.recording import Recording
from kedge.runtime.relay import Relay
from kedge.runtime.version import is_older

logger = logging.getLogger(__name__)

NAME: Final = "backup"
SPARE_WORKERS: Final = 8
"""For those that are past their run: they occupy no place, and may wait for a slow store."""
LAG_SECONDS: Final = 5.0
"""A cache that does not show a write after so long may never do so: a store can go back in time."""
UNSEEN_SECONDS: Final = 10.0
"""So long a Backup waits for its location to be looked at for the first time."""
PAUSE_SECONDS: Final = 0.2
STORE_SECONDS: Final = 15.0
"""A store that did not answer is asked again after this time."""


@dataclass(slots=True)
class BackupController:
    """Runs Backups that are ready to start."""

    client: Client
    backups: Cache[BackupHead]
    settings: BackupSettings
    running: Running
    ending: Ending
    telling: Telling
    ahead: Ahead
    written: Relay
    """Tells of each write to a Backup: others may be waiting for it."""
    wake: Callable[[Key], None] = field(init=False)
    """Has a Backup looked at."""
    _ready: dict[Key, Object] = field(default_factory=dict)
    """Backups that were just said to be ready, as they were written."""
    _leftovers: dict[Key, Leftover] = field(default_factory=dict)
    """Files of Backups that were deleted while they ran, and could not be removed yet."""
    _left: dict[Key, tuple[str, float]] = field(default_factory=dict)
    """The version in which we left a Backup, and when."""

    async def reconcile(self, key: Key) -> Result:
        """Bring one Backup to its end, which may take hours."""
        entry = self.backups.entry(key)
        ready = self._taken(key, entry)
        try:
            if ready is not None:
                await self._work(key, ready)
            elif entry is None:
                self._left.pop(key, None)
                await self._remove(key)
            elif self._is_behind(key, entry.meta.resource_version):
                return Result(after_seconds=LAG_SECONDS)
            elif has_work(entry.read()):
                await self._work(key, await self.client.get(BACKUPS, key.name, key.namespace))
        except ObjectsError as exc:
            logger.warning(
                "the object storage is not there",
                extra={"backup": str(key), "error": cut(str(exc)), "retry_seconds": STORE_SECONDS},
            )
            return Result(after_seconds=STORE_SECONDS)
        return AWAIT_CHANGE

    def wakes(self, change: Change[BackupHead]) -> Iterable[Key]:
        """Wake a Backup that has come to where there is something to do, or is gone."""
        key, old, new = change.key, change.old, change.new
        if new is None:
            self.running.recency.left(key)
            self.ahead.forget(key)
            return (key,)
        head = new.read()
        if is_to_come(head) and (old is None or old.meta.uid != new.meta.uid):
            self.running.recency.arrived(key, new.meta.resource_version)
            self.ahead.arrived(key)
        return (key,) if has_work(head) else ()

    def hear(self, obj: Object) -> None:
        """Take note of a Backup that was just said to be ready, and start it."""
        key = Key(obj["metadata"]["namespace"], obj["metadata"]["name"])
        self._ready[key] = obj
        self.wake(key)

    def _taken(self, key: Key, entry: Entry[BackupHead] | None) -> Object | None:
        """Give a Backup as it was said to be ready, unless it is known to be newer."""
        ready = self._ready.pop(key, None)
        if ready is None:
            return None
        left, _ = self._left.get(key, ("", 0.0))
        seen = entry.meta.resource_version if entry is not None else ""
        version = ready["metadata"]["resourceVersion"]
        return None if is_older(version, left) or is_older(version, seen) else ready

    async def _work(self, key: Key, obj: Object) -> None:
        """Take a Backup as it is at this moment, and go on from there."""
        patience = self.settings.resource_timeout.total_seconds()
        held = Held(self.client, self.running.clock, BACKUPS, obj, patience, written=self.written)
        self._leftovers.pop(key, None)  # its files have the names of those that were left
        try:
            await self._step(held)
            self._left[key] = (held.version, self.running.clock.monotonic())
        except Lost as exc:
            logger.warning("backup lost", extra={"backup": str(key), "error": str(exc)})
            # While somebody else works on it, its files are not ours to remove.
            if held.has_files and (exc.is_gone or is_terminal(held.phase)):
                left = Leftover(key.namespace, key.name, held.uid, held.location)
                self._leftovers[key] = left
                await self._remove(key)
        finally:
            self.ahead.forget(key)

    def _is_behind(self, key: Key, version: str) -> bool:
        """Tell whether the cache has yet to see what we wrote: its word will come."""
        written, since = self._left.get(key, ("", 0.0))
        if is_older(version, written) and self.running.clock.monotonic() - since < LAG_SECONDS:
            return True
        self._left.pop(key, None)
        return False

    async def _step(self, held: Held) -> None:
        """Do what the phase asks for. Nobody else does so: a key is worked on once at a time."""
        if held.phase == BackupPhase.READY_TO_START:
            await self._begin(held, await self.ahead.facts(held.key))
        elif held.phase == BackupPhase.IN_PROGRESS:
            await self.ending.fail(held, INTERRUPTED, has_files=True)
        elif held.phase in FINALIZING:
            await self.ending.resume(held)
        elif UNFINISHED in (held.obj["metadata"].get("annotations") or {}):
            await self.ending.clean(held)

    async def _begin(self, held: Held, facts: Facts) -> None:
        """Prepare a Backup, and run it unless it is refused."""
        if held.obj["metadata"].get("deletionTimestamp"):
            await self.ending.fail(held, "the backup was deleted before it was started")
            return
        prepared = await self.ahead.prepare(held.obj, facts)
        if prepared.problems or not await self._is_current(prepared, facts):
            prepared = await self._prepare_exactly(held)
        if prepared.problems:
            await held.write(prepared.status, prepared.change(held.obj))
            self.telling.rejected(held, list(prepared.problems))
            return
        await self.running.run(held, prepared)

    async def _prepare_exactly(self, held: Held) -> Prepared:
        """Prepare with what is sure; what nobody has looked at yet may be looked at soon."""
        clock = self.running.clock
        until = clock.monotonic() + UNSEEN_SECONDS
        while True:
            facts = await self.ahead.finder.exactly(held.key.namespace)
            prepared = await self.ahead.prepare(held.obj, facts)
            if not _is_unseen(prepared) or clock.monotonic() >= until:
                return prepared
            await clock.sleep(PAUSE_SECONDS)

    async def _is_current(self, prepared: Prepared, facts: Facts) -> bool:
        location = prepared.location
        return location is not None and await self.ahead.finder.is_current(location, facts)

    async def _remove(self, key: Key) -> None:
        """Remove the files of a Backup that is gone."""
        leftover = self._leftovers.get(key)
        if leftover is not None:
            await self.ending.remove(leftover)
            self._leftovers.pop(key, None)


def _is_unseen(prepared: Prepared) -> bool:
    """Tell whether the location is so new that nobody knows if it can be used."""
    return prepared.location is not None and not prepared.location.status.phase


def unwanted_by(backups: Cache[BackupHead], held: Held) -> str:
    """Say why a Backup is not to go on, as far as the cache knows; empty: it is."""
    entry = backups.entry(held.key)
    if entry is None or entry.meta.uid != held.uid:
        raise Lost("the backup was deleted while it was running", is_gone=True)
    if entry.meta.deletion_timestamp:
        return "the backup was deleted while it was running"
    return ""


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recording,
    settings: BackupSettings,
    stores: Stores,
    numbers: BackupNumbers | None = None,
) -> BackupController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    backups = manager.cache(BACKUP_HEAD, Keeping(where))
    if numbers is not None:
        numbers.look_at(manager.cache(SCHEDULE.partial, Keeping(where)))
    clock = manager.clock
    telling = Telling(recorder, numbers or NoNumbers())
    ending = Ending(client, stores, clock, telling)

    def unwanted(held: Held) -> str:
        return unwanted_by(backups, held)

    recency = Recency(clock)
    running = Running(client, stores, clock, settings, ending, unwanted, back_up, recency)
    locations = manager.cache(BACKUP_STORAGE_LOCATION, Keeping(where))
    finder = Finder(client, locations, manager.cache(NAMESPACE.partial), Versions(clock))
    written = Relay()
    ahead = Ahead(client, finder, settings, clock, written)
    controller = BackupController(
        client, backups, settings, running, ending, telling, ahead, written
    )
    workers = max(settings.concurrent_backups, 1) + SPARE_WORKERS
    watch = On(backups, controller.wakes)
    made = manager.control(NAME, controller.reconcile, [watch], workers=workers)
    controller.wake = made.queue.add
    return controller
