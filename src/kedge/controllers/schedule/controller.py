"""Wire Schedules to the API: read the caches, decide, write once."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

import msgspec

from kedge.aio.clock import Clock
from kedge.api.options import WAS_PAUSED
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.labels import SCHEDULE_NAME, valid_name
from kedge.api.velero.schedule import SCHEDULE, Schedule
from kedge.client import Client, Selection
from kedge.client.patches import merge
from kedge.controllers.schedule.children import (
    BACKUP_HEAD,
    BackupHead,
    backup_for,
    child_of,
    is_run_of,
)
from kedge.controllers.schedule.decide import INSTANT, Blocked, Hold, Run, Skip, decide
from kedge.controllers.schedule.reading import Wrong, read, was_paused
from kedge.controllers.schedule.status import (
    EXTRAS,
    Note,
    Outcome,
    difference,
    notes_for,
    status_for,
)
from kedge.kube.errors import AlreadyExists
from kedge.kube.kind import Kind, Object
from kedge.runtime import (
    AWAIT_CHANGE,
    Cache,
    Entry,
    Keeping,
    Key,
    Manager,
    On,
    Result,
    itself,
    mapped,
)

logger = logging.getLogger(__name__)

NAME: Final = "schedule"
SCHEDULES: Final = SCHEDULE.into(dict)
"""Read whole: a template may have fields that are newer than we are."""
BACKUPS: Final = BACKUP.into(dict)


class Recorder(Protocol):
    """Writes Events."""

    def record(
        self, obj: Any, type_: str, reason: str, message: str, *, kind: Kind[Any] | None = None
    ) -> None:
        """Tell of something that happened to an object."""


class ScheduleMetrics(Protocol):
    """Hears of what becomes of each schedule."""

    def seen(self, key: Key, schedule: Schedule, outcome: Outcome, now: datetime) -> None:
        """Take note of a decision."""

    def gone(self, key: Key) -> None:
        """Forget a schedule."""


class _NoMetrics:
    def seen(self, key: Key, schedule: Schedule, outcome: Outcome, now: datetime) -> None: ...

    def gone(self, key: Key) -> None: ...


@dataclass(frozen=True, slots=True)
class ScheduleSettings:
    """How schedules behave where they do not say it themselves."""

    skip_immediately: bool = False
    """Skip a run that is due when a schedule is first seen, or unpaused."""
    workers: int = 8
    """Reconciles at once: each waits for the API server most of its time."""
    namespace: str | None = None
    """Where schedules are looked for; None: in all namespaces."""


@dataclass(slots=True)
class ScheduleController:
    """Makes a Backup each time a Schedule is due."""

    client: Client
    schedules: Cache[Object]
    backups: Cache[BackupHead]
    recorder: Recorder
    clock: Clock
    settings: ScheduleSettings
    metrics: ScheduleMetrics
    _keeps_extras: bool = True
    """Whether this cluster's Schedules have fields for all that we tell in the status."""

    async def reconcile(self, key: Key) -> Result:
        """Bring one Schedule up to date."""
        raw = self.schedules.get(key)
        if raw is None:
            self.metrics.gone(key)
            return AWAIT_CHANGE
        if raw["metadata"].get("deletionTimestamp"):
            return AWAIT_CHANGE
        now = self.clock.now()
        schedule = msgspec.convert(raw, Schedule)
        outcome = self._decide(key, schedule, now)
        if isinstance(outcome, Run):
            await self._start(raw, outcome.due)
        await self._tell(raw, schedule, outcome, now)
        self.metrics.seen(key, schedule, outcome, now)
        return _when(outcome)

    def _decide(self, key: Key, schedule: Schedule, now: datetime) -> Outcome:
        facts = read(schedule)
        if isinstance(facts, Wrong):
            return facts
        found = self.backups.find(NAME, _place(key.namespace, key.name))
        children = [child_of(entry.read()) for entry in found]
        return decide(facts, children, now, self.settings.skip_immediately)

    async def _start(self, schedule: Object, due: datetime) -> None:
        """Make the Backup of an instant, unless it is there."""
        backup = backup_for(schedule, due)
        meta = backup["metadata"]
        try:
            await self.client.create(BACKUPS, backup, meta["namespace"])
        except AlreadyExists:
            there = await self.client.get(BACKUPS, meta["name"], meta["namespace"])
            if is_run_of(there, schedule["metadata"]["name"], due):
                return
            # Somebody took the name, by a manual run in that very second.
            backup["metadata"]["name"] = f"{meta['name']}-1"
            await self.client.create(BACKUPS, backup, meta["namespace"])
        logger.info("backup created", extra={"backup": meta["name"]})

    async def _tell(self, raw: Object, schedule: Schedule, outcome: Outcome, now: datetime) -> None:
        """Write the status, if it is another one, and tell what a person should know."""
        status = status_for(schedule, outcome, now)
        if not self._keeps_extras:
            status = {name: value for name, value in status.items() if name not in EXTRAS}
        change: Object = {}
        if changed := difference(raw.get("status"), status):
            change["status"] = changed
        change |= self._beside(schedule, outcome)
        if change:
            await self._patch(raw, change, outcome)
        for note in notes_for(schedule, outcome):
            self._record(raw, note)

    def _beside(self, schedule: Schedule, outcome: Outcome) -> Object:
        """Give what goes into the same patch on a cluster without a status subresource.

        Where there is one, the server takes no notice of it.
        """
        beside: Object = {}
        if isinstance(outcome, Skip) and outcome.clears_spec:
            beside["spec"] = {"skipImmediately": None}
        if not self._keeps_extras and not isinstance(outcome, Wrong):
            is_held = isinstance(outcome, Hold)
            if is_held != was_paused(schedule):
                mark = {WAS_PAUSED: "true" if is_held else None}
                beside["metadata"] = {"annotations": mark}
        return beside

    async def _patch(self, raw: Object, change: Object, outcome: Outcome) -> None:
        meta = raw["metadata"]
        name, namespace = meta["name"], meta["namespace"]
        metadata = {"resourceVersion": meta["resourceVersion"], **change.get("metadata", {})}
        patch = merge({**change, "metadata": metadata})
        new = await self.client.patch_status(SCHEDULES, name, patch, namespace)
        if self._keeps_extras and "status" in change and "conditions" not in new.get("status", {}):
            self._keeps_extras = False
        if isinstance(outcome, Skip) and outcome.clears_spec:
            await self._clear(new)

    async def _clear(self, schedule: Object) -> None:
        """Take the skip out of the spec, so that it can be used again."""
        if schedule["spec"].get("skipImmediately") is not True:
            return  # the patch of the status did it
        meta = schedule["metadata"]
        change = {
            "metadata": {"resourceVersion": meta["resourceVersion"]},
            "spec": {"skipImmediately": None},
        }
        await self.client.patch(SCHEDULES, meta["name"], merge(change), meta["namespace"])

    def _record(self, schedule: Object, note: Note) -> None:
        self.recorder.record(schedule, note.type, note.reason, note.message, kind=SCHEDULES)


def _when(outcome: Outcome) -> Result:
    """Say when to look at a Schedule again."""
    match outcome:
        case Wrong():
            return AWAIT_CHANGE
        case Hold(wake) | Blocked(wake=wake):
            return Result(wake)
        case _:
            return Result(outcome.next + INSTANT)


def _place(namespace: str, name: str) -> str:
    return f"{namespace}/{valid_name(name)}"


def _schedule_of(backup: Entry[BackupHead]) -> Iterable[str]:
    name = backup.labels.get(SCHEDULE_NAME)
    return (_place(backup.key.namespace, name),) if name else ()


def _by_place(schedule: Entry[Object]) -> Iterable[str]:
    return (_place(schedule.key.namespace, schedule.key.name),)


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recorder,
    settings: ScheduleSettings,
    metrics: ScheduleMetrics | None = None,
) -> ScheduleController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    schedules = manager.cache(SCHEDULES, Keeping(where, {"place": _by_place}))
    backups = manager.cache(BACKUP_HEAD, Keeping(where, {NAME: _schedule_of}))

    def owners(backup: Entry[Any]) -> Iterable[Key]:
        places = _schedule_of(backup)
        return [entry.key for place in places for entry in schedules.find("place", place)]

    controller = ScheduleController(
        client, schedules, backups, recorder, manager.clock, settings, metrics or _NoMetrics()
    )
    watches = [On(schedules, itself), On(backups, mapped(owners))]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
