"""Wire restores to the API: what is new is run, what was left unfinished is brought to an end."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from kedge.api.velero.schedule import SCHEDULE
from kedge.client import Client, Selection
from kedge.controllers.restore.decide import (
    INTERRUPTED,
    UNWANTED,
    Prepared,
    Source,
    Step,
    next_step,
    prepare,
    refuse,
    typed,
)
from kedge.controllers.restore.heads import RESTORE_HEAD, RestoreHead
from kedge.controllers.restore.metrics import RestoreMetrics
from kedge.controllers.restore.removal import RESTORES, Removal, set_finalizer
from kedge.controllers.restore.running import Running
from kedge.controllers.restore.settings import RestoreSettings
from kedge.controllers.restore.source import find_source
from kedge.controllers.restore.telling import NoNumbers, Telling
from kedge.controllers.restore.turns import Age, Turns
from kedge.engine.restore import validate
from kedge.engine.restore.run import restore
from kedge.engine.storage.open import Stores
from kedge.objects.errors import ObjectsError
from kedge.runtime import AWAIT_CHANGE, Cache, Change, Keeping, Key, Manager, On, Result
from kedge.runtime.held import Held, Lost
from kedge.runtime.recording import Recording

logger = logging.getLogger(__name__)

NAME: Final = "restore"
SPARE_WORKERS: Final = 4
"""For those that do not run: they are deleted, or wait for their turn."""
NEW: Final = (Step.ADOPT, Step.BEGIN)
"""What may wait for its turn."""


@dataclass(slots=True)
class RestoreController:
    """Runs Restores, one after the other."""

    client: Client
    restores: Cache[RestoreHead]
    settings: RestoreSettings
    running: Running
    removal: Removal
    telling: Telling
    turns: Turns

    async def reconcile(self, key: Key) -> Result:
        """Bring one Restore to its end, which may take hours."""
        entry = self.restores.entry(key)
        step = Step.NOTHING if entry is None else next_step(entry.read())
        if step not in NEW:
            self.turns.leave(key)
        if step is Step.NOTHING:
            return AWAIT_CHANGE
        try:
            return await self._work(key)
        except Exception as exc:
            # One that fails must not hold up the others; it is expected again when it comes back.
            self.turns.leave(key)
            if not isinstance(exc, Lost):
                raise
            logger.warning("restore lost", extra={"restore": str(key), "error": str(exc)})
            return AWAIT_CHANGE

    async def _work(self, key: Key) -> Result:
        """Take a Restore as it is at this moment, and go on from there."""
        obj = await self.client.get(RESTORES, key.name, key.namespace)
        if next_step(_head(obj)) is Step.ADOPT:
            obj = await set_finalizer(self.client, obj, present=True)
        patience = self.settings.resource_timeout.total_seconds()
        held = Held(self.client, self.running.clock, RESTORES, obj, patience)
        match next_step(_head(obj)):
            case Step.REMOVE:
                return await self._remove(held)
            case Step.BEGIN:
                await self._in_turn(held)
            case Step.GIVE_UP:
                await self.running.fail(held, INTERRUPTED)
            case Step.FINISH:
                await self.running.finish(held)
            case _:
                pass
        return AWAIT_CHANGE

    async def _in_turn(self, held: Held) -> None:
        """Run a Restore if it is its turn; else it is woken when it is."""
        if not self.turns.take(held.key, age_of(_head(held.obj))):
            return
        try:
            await self._begin(held)
        finally:
            self.turns.leave(held.key)

    async def _begin(self, held: Held) -> None:
        """Look at what a Restore wants, and run it unless it is refused."""
        prepared, source = await self._prepare(held)
        # The phase first: with both a backup and a schedule, which is what is filled in, a Restore
        # that is still new would be refused by whoever comes after us.
        await held.write(prepared.status)
        if prepared.change:
            await held.write(change=prepared.change)
        if prepared.problems:
            self.telling.rejected(held, prepared.problems)
            return
        self.telling.started(held, source.backup_name)
        await self.running.run(held, source)

    async def _prepare(self, held: Held) -> tuple[Prepared, Source]:
        """Find out what a Restore becomes, and where its objects come from."""
        try:
            spec = validate.complete(typed(held.spec))
        except msgspec.ValidationError as exc:
            return refuse([f"Invalid spec: {exc}"]), Source()
        found, source = validate.problems(spec) + validate.unfollowed(held.spec), Source()
        if validate.ONE_SOURCE not in found:
            source = await find_source(self.client, held.key.namespace, spec)
        timeout, now = self.settings.item_operation_timeout, self.running.clock.now()
        return prepare(held.spec, found, source, timeout, now), source

    async def _remove(self, held: Held) -> Result:
        """Remove the files of a Restore, and let it go."""
        try:
            await self.removal.files(held)
        except ObjectsError as exc:
            self.telling.stuck(held, str(exc))
            return Result(after_seconds=self.settings.store_seconds)
        await set_finalizer(self.client, held.obj, present=False)
        return AWAIT_CHANGE


def unwanted_by(restores: Cache[RestoreHead], held: Held) -> str:
    """Say why a Restore is not to go on, as far as the cache knows; empty: it is."""
    entry = restores.entry(held.key)
    if entry is None or entry.meta.uid != held.uid:
        raise Lost(UNWANTED, is_gone=True)
    return UNWANTED if entry.meta.deletion_timestamp else ""


def _head(obj: object) -> RestoreHead:
    return msgspec.convert(obj, RestoreHead)


def age_of(head: RestoreHead) -> Age:
    """Give what orders those that wait."""
    meta = head.metadata
    version = meta.resource_version
    return meta.creation_timestamp or "", int(version) if version.isdecimal() else 0


def with_work(turns: Turns) -> Callable[[Change[RestoreHead]], Iterable[Key]]:
    """Wake a Restore for which there is something to do, or that is gone."""

    def keys(change: Change[RestoreHead]) -> Iterable[Key]:
        head = change.new.read() if change.new is not None else None
        step = next_step(head) if head is not None else None
        if head is not None and step in NEW:
            turns.expect(change.key, age_of(head))
        else:
            turns.drop(change.key)
        return () if step is Step.NOTHING else (change.key,)

    return keys


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recording,
    settings: RestoreSettings,
    stores: Stores,
    metrics: RestoreMetrics | None = None,
) -> RestoreController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    restores = manager.cache(RESTORE_HEAD, Keeping(where))
    if metrics is not None:
        metrics.count(restores)
        metrics.look_at(manager.cache(SCHEDULE.partial, Keeping(where)))
    telling = Telling(recorder, metrics or NoNumbers())

    def unwanted(held: Held) -> str:
        return unwanted_by(restores, held)

    running = Running(client, stores, manager.clock, settings, telling, unwanted, restore)
    limit = max(settings.concurrent_restores, 1)
    turns = Turns(limit, lambda key: queue.add(key))
    controller = RestoreController(
        client, restores, settings, running, Removal(client, stores), telling, turns
    )
    workers = limit + SPARE_WORKERS
    made = manager.control(
        NAME, controller.reconcile, [On(restores, with_work(turns))], workers=workers
    )
    queue = made.queue
    return controller
