"""Wire Schedules to the API: read the caches, decide, write once."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
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
from kedge.controllers.schedule.decide import (
    INSTANT,
    Blocked,
    Decision,
    Facts,
    Hold,
    Run,
    Skip,
    decide,
)
from kedge.controllers.schedule.memory import LAG_SECONDS, Memory
from kedge.controllers.schedule.reading import Wrong, is_marked, read, warnings_of
from kedge.controllers.schedule.status import (
    EXTRAS,
    WARNING,
    Note,
    Outcome,
    Refused,
    difference,
    notes_for,
    status_for,
)
from kedge.kube.errors import AlreadyExists, Forbidden, Invalid
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind, Object
from kedge.kube.times import format_time
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
AT_ONCE: Final = Result(after_seconds=0)
NAMES: Final = 10
"""So many names are tried for the Backup of one instant."""


class Recorder(Protocol):
    """Writes Events."""

    def record(
        self, obj: Any, type_: str, reason: str, message: str, *, kind: Kind[Any] | None = None
    ) -> None:
        """Tell of something that happened to an object."""


class ScheduleMetrics(Protocol):
    """Hears of what becomes of each schedule."""

    def seen(self, key: Key, facts: Facts | Wrong, outcome: Outcome, now: datetime) -> None:
        """Take note of a decision."""

    def gone(self, key: Key) -> None:
        """Forget a schedule."""

    def look_at(self, backups: Cache[BackupHead]) -> None:
        """Work out from this cache what became of Backups."""


class _NoMetrics:
    def seen(self, key: Key, facts: Facts | Wrong, outcome: Outcome, now: datetime) -> None: ...

    def gone(self, key: Key) -> None: ...

    def look_at(self, backups: Cache[BackupHead]) -> None: ...


@dataclass(frozen=True, slots=True)
class ScheduleSettings:
    """How schedules behave where they do not say it themselves."""

    skip_immediately: bool = False
    """Skip a run that is due when a schedule is first seen, or unpaused."""
    workers: int = 16
    """Reconciles at once: each waits for the API server most of its time."""
    namespace: str | None = None
    """Where schedules are looked for; None: in all namespaces."""


class NoName(Exception):
    """All names that a Backup could have are taken by others."""


@dataclass(frozen=True, slots=True)
class Look:
    """A Schedule, as it is and as we read it, at a time."""

    key: Key
    raw: Object
    schedule: Schedule
    facts: Facts | Wrong
    now: datetime


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
    memory: Memory
    _keeps_extras: bool = True
    """Whether this cluster's Schedules have fields for all that we tell in the status."""

    async def reconcile(self, key: Key) -> Result:
        """Bring one Schedule up to date."""
        raw = self.schedules.get(key)
        if raw is None:
            self.metrics.gone(key)
            self.memory.forget(key)
            return AWAIT_CHANGE
        meta = raw["metadata"]
        if meta.get("deletionTimestamp"):
            return AWAIT_CHANGE
        if self.memory.is_behind(key, meta["resourceVersion"]):
            return Result(after_seconds=LAG_SECONDS)
        schedule = _typed(raw)
        look = Look(key, raw, schedule, read(schedule), self.clock.now())
        outcome = self._decide(look)
        if isinstance(outcome, Run):
            await self._run(look, outcome)
            return AT_ONCE
        await self._write(look, outcome)
        self._tell(look, outcome)
        return _when(outcome, look.now)

    def _decide(self, look: Look) -> Decision | Wrong:
        facts = look.facts
        if isinstance(facts, Wrong):
            return facts
        found = self.backups.find(NAME, _place(look.key.namespace, look.key.name))
        children = self.memory.with_made(look.key, [child_of(entry.read()) for entry in found])
        return decide(facts, children, look.now, self.settings.skip_immediately)

    async def _run(self, look: Look, run: Run) -> None:
        """Make the Backup of an instant, and tell of it; the status follows at the next look.

        So the Backups of all schedules that are due at once are made first. Should we end before
        the status is written, the Backup itself tells of the run.
        """
        try:
            backup = await self._start(look.raw, run.due)
        except (Invalid, Forbidden) as exc:
            refused = Refused(run.due, cut(str(exc)))
            await self._write(look, refused)
            self._tell(look, refused)
            raise
        child = child_of(msgspec.convert(backup, BackupHead))
        self.memory.made(look.key, replace(child, created=look.now))
        self._tell(look, run)

    async def _start(self, schedule: Object, due: datetime) -> Object:
        """Make the Backup of an instant, unless it is there."""
        for number in range(NAMES):
            backup = backup_for(schedule, due, number)
            name, namespace = backup["metadata"]["name"], backup["metadata"]["namespace"]
            try:
                made = await self.client.create(BACKUPS, backup, namespace)
            except AlreadyExists:
                there = await self.client.get(BACKUPS, name, namespace)
                if is_run_of(there, schedule["metadata"]["name"], due):
                    return there
                # Somebody took the name, by a manual run in that very second.
            else:
                logger.info("backup created", extra={"backup": name})
                return made
        raise NoName(f"no name is free for the Backup of {format_time(due)}: {name} is taken")

    async def _write(self, look: Look, outcome: Outcome) -> None:
        """Write the status, if it is another one."""
        key, raw, schedule = look.key, look.raw, look.schedule
        status = status_for(schedule, outcome, look.now)
        if not self._keeps_extras:
            status = {name: value for name, value in status.items() if name not in EXTRAS}
        change = self._beside(schedule, outcome)
        if changed := difference(raw.get("status"), status):
            change["status"] = changed
        if not change:
            return
        new = await self._patch(key, raw, change)
        if self._learn(change, new) and (mark := self._beside(schedule, outcome)):
            new = await self._patch(key, new, mark)
        if isinstance(outcome, Skip) and outcome.clears_spec:
            await self._clear(key, new)

    def _beside(self, schedule: Schedule, outcome: Outcome) -> Object:
        """Give what goes into the same patch on a cluster without a status subresource.

        Where there is one, the server takes no notice of it.
        """
        beside: Object = {}
        if isinstance(outcome, Skip) and outcome.clears_spec:
            beside["spec"] = {"skipImmediately": None}
        if self._keeps_extras:
            return beside
        is_held = isinstance(outcome, Hold)
        if isinstance(outcome, Wrong):
            is_held = schedule.spec.paused or is_marked(schedule)
        if is_held != is_marked(schedule):
            beside["metadata"] = {"annotations": {WAS_PAUSED: "true" if is_held else None}}
        return beside

    def _learn(self, change: Object, new: Object) -> bool:
        """Find out what this cluster keeps; tell whether we were wrong about it."""
        before = self._keeps_extras
        if before and "status" in change:
            self._keeps_extras = "conditions" in new.get("status", {})
        elif not before and "metadata" in change:
            # A kind that has got a status subresource drops the mark without a word.
            wanted = change["metadata"]["annotations"][WAS_PAUSED]
            found = (new["metadata"].get("annotations") or {}).get(WAS_PAUSED)
            self._keeps_extras = wanted != found
        return self._keeps_extras != before

    async def _patch(self, key: Key, raw: Object, change: Object) -> Object:
        version = raw["metadata"]["resourceVersion"]
        metadata = {"resourceVersion": version, **change.get("metadata", {})}
        patch = merge({**change, "metadata": metadata})
        new = await self.client.patch_status(SCHEDULES, key.name, patch, key.namespace)
        self.memory.wrote(key, new["metadata"]["resourceVersion"])
        return new

    async def _clear(self, key: Key, schedule: Object) -> None:
        """Take the skip out of the spec, so that it can be used again."""
        if schedule["spec"].get("skipImmediately") is not True:
            return  # the patch of the status did it
        change = {
            "metadata": {"resourceVersion": schedule["metadata"]["resourceVersion"]},
            "spec": {"skipImmediately": None},
        }
        new = await self.client.patch(SCHEDULES, key.name, merge(change), key.namespace)
        self.memory.wrote(key, new["metadata"]["resourceVersion"])

    def _tell(self, look: Look, outcome: Outcome) -> None:
        """Tell what a person should know, and what is counted."""
        is_blocked = isinstance(outcome, Blocked)
        is_news = self.memory.blocks(look.key, is_blocked=is_blocked)
        notes = notes_for(look.schedule, outcome) if is_news or not is_blocked else []
        notes += self._unknown(look)
        for note in notes:
            self.recorder.record(look.raw, note.type, note.reason, note.message, kind=SCHEDULES)
        self.metrics.seen(look.key, look.facts, outcome, look.now)

    def _unknown(self, look: Look) -> list[Note]:
        """Tell of annotations that have no effect: once, and again when they are others."""
        warnings = warnings_of(look.schedule)
        is_news = self.memory.warns(look.key, warnings)
        return [Note(WARNING, "UnknownAnnotation", "; ".join(warnings))] if is_news else []


def _typed(raw: Object) -> Schedule:
    """Read a Schedule but for its template, which may be newer than we are."""
    spec = {**(raw.get("spec") or {}), "template": {}}
    return msgspec.convert({**raw, "spec": spec}, Schedule)


def _when(outcome: Outcome, now: datetime) -> Result:
    """Say when to look at a Schedule again: by the clock on the wall, and by the time that passes.

    So that it is not forgotten if the clock is turned back.
    """
    match outcome:
        case Wrong():
            return AWAIT_CHANGE
        case Hold(wake) | Blocked(wake=wake):
            pass
        case _:
            wake = outcome.next + INSTANT
    if wake is None:
        return AWAIT_CHANGE
    return Result(wake, (wake - now).total_seconds())


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

    metrics = metrics or _NoMetrics()
    metrics.look_at(backups)
    memory = Memory(manager.clock)
    controller = ScheduleController(
        client, schedules, backups, recorder, manager.clock, settings, metrics, memory
    )
    watches = [On(schedules, itself), On(backups, mapped(owners))]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
