"""Wire PreScaledCronJobs to the API: read the caches, decide, write what differs."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from kedge.aio.clock import Clock
from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB, PreScaledCronJob
from kedge.client import Client, Selection
from kedge.client.patches import merge
from kedge.controllers.prescaled.decide import Course, decide
from kedge.controllers.prescaled.deeds import Deeds
from kedge.controllers.prescaled.heads import CHILDREN, Child, Written
from kedge.controllers.prescaled.measuring import Measuring, Nobody, add_pods
from kedge.controllers.prescaled.memory import ITSELF, LAG_SECONDS, Memory
from kedge.controllers.prescaled.plan import (
    CHILD,
    INVALID_CRON_JOB,
    Plan,
    Refused,
    child_name,
    plan_of,
)
from kedge.controllers.prescaled.status import (
    WARNING,
    Done,
    Note,
    coming_of,
    difference,
    is_news,
    refused_status,
    status_for,
    taken_note,
    wake_of,
)
from kedge.kube.errors import BadRequest, Forbidden, Invalid
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
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
from kedge.runtime.entry import Meta
from kedge.runtime.recording import Recording

logger = logging.getLogger(__name__)

NAME: Final = "prescaled"
WRITTEN: Final = PRE_SCALED_CRON_JOB.into(Written)
OWNER: Final = "owner"


@dataclass(frozen=True, slots=True)
class PrescaledSettings:
    """How PreScaledCronJobs are carried out."""

    image: str
    """Of the container that holds a pod until its run: our own."""
    namespace: str | None = None
    """Where they are looked for; None: in all namespaces."""
    workers: int = 16
    """Reconciles at once: each waits for the API server most of its time."""


@dataclass(frozen=True, slots=True)
class Look:
    """A PreScaledCronJob and its CronJobs, at a time."""

    key: Key
    obj: PreScaledCronJob
    known: dict[str, Child]
    """CronJobs that are ours, or have a name that one of ours is to have."""
    now: datetime


@dataclass(slots=True)
class PrescaledController:
    """Has a CronJob start before each run of another one."""

    client: Client
    objects: Cache[PreScaledCronJob]
    children: Cache[Child]
    recorder: Recording
    clock: Clock
    settings: PrescaledSettings
    metrics: Measuring
    memory: Memory

    async def reconcile(self, key: Key) -> Result:
        """Bring one PreScaledCronJob up to date."""
        obj = self.objects.get(key)
        if obj is None:
            self.metrics.gone(key)
            self.memory.forget(key)
            return AWAIT_CHANGE
        if obj.metadata.deletion_timestamp:
            return AWAIT_CHANGE
        look = Look(key, obj, self._known(key, obj), self.clock.now())
        if self._is_behind(look):
            return Result(after_seconds=LAG_SECONDS)
        plan = plan_of(obj)
        if isinstance(plan, Refused):
            await self._refuse(look, plan)
            return AWAIT_CHANGE
        if self.memory.is_refused(key, obj.metadata.generation):
            return AWAIT_CHANGE
        return await self._follow(look, plan)

    def _known(self, key: Key, obj: PreScaledCronJob) -> dict[str, Child]:
        found = {entry.key.name: entry for entry in self.children.find(OWNER, obj.metadata.uid)}
        for entry in self.children.find(NAME, str(key)):
            found.setdefault(entry.key.name, entry)
        return {name: found[name].read() for name in sorted(found)}

    def _is_behind(self, look: Look) -> bool:
        """Tell whether the caches do not show yet what we wrote."""
        versions = {name: one.metadata.resource_version for name, one in look.known.items()}
        versions[ITSELF] = look.obj.metadata.resource_version
        return self.memory.is_behind(look.key, versions)

    async def _follow(self, look: Look, plan: Plan) -> Result:
        """Make the CronJobs what the plan says, and tell of it."""
        uid = look.obj.metadata.uid
        ours = {name: one for name, one in look.known.items() if one.is_of(uid)}
        course = decide(look.obj, plan, ours, self.settings.image, look.now)
        deeds = Deeds(self.client, self.memory, self.metrics, look.key)
        try:
            await deeds.carry_out(look.obj, course, look.known)
        except (Invalid, BadRequest) as exc:
            self.memory.refused(look.key, look.obj.metadata.generation)
            await self._refuse(look, Refused("spec.cronJob", cut(str(exc)), INVALID_CRON_JOB))
            return AWAIT_CHANGE
        except Forbidden as exc:
            await self._refuse(look, Refused("spec.cronJob", cut(str(exc)), "Forbidden"))
            raise
        starts = [at for one in ours.values() for at in one.starts] + deeds.started
        coming = coming_of(look.obj, plan, look.now)
        done = Done(plan, coming, course.children, tuple(deeds.taken), tuple(starts))
        status = status_for(look.obj, done, look.now)
        if deeds.taken and is_news(look.obj, status):
            deeds.notes.append(taken_note(deeds.taken))
        await self._write(look, status)
        self._tell(look, deeds.notes)
        return _when(course, wake_of(look.obj, plan, coming, look.now), look.now)

    async def _refuse(self, look: Look, refused: Refused) -> None:
        """Say what is wrong, once."""
        status = refused_status(look.obj, refused, look.now)
        is_new = is_news(look.obj, status)
        await self._write(look, status)
        if is_new:
            self._tell(look, [Note(WARNING, refused.code, str(refused))])

    async def _write(self, look: Look, status: Object) -> None:
        """Write the status, if it is another one."""
        meta = look.obj.metadata
        old = msgspec.to_builtins(look.obj.status)
        if not (changed := difference(old, status)):
            return
        change = {"metadata": {"resourceVersion": meta.resource_version}, "status": changed}
        new = await self.client.patch_status(WRITTEN, meta.name, merge(change), meta.namespace)
        self.memory.wrote(look.key, new.metadata.resource_version)

    def _tell(self, look: Look, notes: Iterable[Note]) -> None:
        for note in notes:
            self.recorder.record(
                look.obj, note.type, note.reason, note.message, kind=PRE_SCALED_CRON_JOB
            )


def _when(course: Course, status: datetime | None, now: datetime) -> Result:
    """Say when to look again: by the clock on the wall, and by the time that passes.

    So that it is not forgotten if the clock is turned back.
    """
    wakes = [at for at in (course.wake, status) if at is not None]
    if not wakes:
        return AWAIT_CHANGE
    wake = min(wakes)
    return Result(wake, max(0.0, (wake - now).total_seconds()))


def parents_of(namespace: str, child: str) -> Iterable[Key]:
    """Give the objects whose CronJob may have this name."""
    name = child.removeprefix(CHILD)
    yield Key(namespace, name)
    stem, _, number = name.rpartition("-")
    if stem and number.isdecimal():
        yield Key(namespace, stem)


def _is_named(meta: Meta) -> bool:
    return meta.name.startswith(child_name(""))


def _by_name(entry: Entry[Child]) -> Iterable[str]:
    return map(str, parents_of(entry.key.namespace, entry.key.name))


def _by_owner(entry: Entry[Child]) -> Iterable[str]:
    return (each.uid for each in entry.meta.owner_references or ())


def _parents(entry: Entry[Child]) -> Iterable[Key]:
    return parents_of(entry.key.namespace, entry.key.name)


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recording,
    settings: PrescaledSettings,
    metrics: Measuring | None = None,
) -> PrescaledController:
    """Have a manager run the controller, and one that measures pods where there are metrics."""
    where = Selection(settings.namespace)
    objects = manager.cache(PRE_SCALED_CRON_JOB, Keeping(where))
    indexes = {NAME: _by_name, OWNER: _by_owner}
    children = manager.cache(CHILDREN, Keeping(where, indexes, _is_named))
    controller = PrescaledController(
        client,
        objects,
        children,
        recorder,
        manager.clock,
        settings,
        metrics or Nobody(),
        Memory(manager.clock),
    )
    watches = [On(objects, itself), On(children, mapped(_parents))]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    if metrics is not None:
        add_pods(manager, client, metrics, where, objects)
    return controller
