"""Wire the queue to the API: read the caches, decide, write each Backup once."""

import logging
from asyncio import Event
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import msgspec

from kedge.aio.clock import Clock
from kedge.aio.together import together
from kedge.api.velero.backup import BACKUP, BackupPhase, BackupSpec
from kedge.client import Client, Selection
from kedge.client.patches import merge
from kedge.controllers.queue.decide import Plan, decide, follower
from kedge.controllers.queue.heads import (
    ACTIVE,
    BACKUP_HEAD,
    BackupHead,
    facts_of,
    member_of,
    phase_of,
)
from kedge.controllers.queue.line import Filter, Line, Place
from kedge.controllers.queue.moment import Moment
from kedge.controllers.queue.passes import Passes
from kedge.controllers.queue.recent import Recent
from kedge.engine.backup.namespaces import namespaces_of
from kedge.kube.errors import Forbidden, Invalid
from kedge.kube.foreign import cut
from kedge.kube.kind import Object, plain
from kedge.kube.meta import Partial
from kedge.runtime import (
    AWAIT_CHANGE,
    Cache,
    Change,
    Keeping,
    Key,
    Manager,
    On,
    Result,
)
from kedge.runtime.relay import Relay

logger = logging.getLogger(__name__)

NAME: Final = "backup-queue"
BACKUPS: Final = BACKUP.into(dict)
"""As the server gives them: who runs them reads all of it."""
NAMESPACES: Final = plain("v1", "Namespace", "namespaces", namespaced=False).partial
THE_QUEUE: Final = Key("", "queue")
"""There is one queue, so there is one key: who may start."""
PLACES: Final = Key("", "places")
"""And another for who enters, and who moves up: nobody waits for that to start."""
AT_ONCE: Final = Result(after_seconds=0)
READY: Final[Object] = {"phase": BackupPhase.READY_TO_START, "queuePosition": 0}
TO_START: Final = (BackupPhase.NEW, BackupPhase.QUEUED, BackupPhase.READY_TO_START)
"""The phases of those that are still to be started."""
MOVES: Final = 2
"""So many places are written at once, before it is looked again who enters."""
REFUSED_SECONDS: Final = 30.0
"""A Backup whose write was refused is left alone for so long; the others do not wait for it."""


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """How the queue behaves."""

    concurrent_backups: int = 1
    """Backups that run at the same time; less than one counts as one."""
    namespace: str | None = None
    """Where Backups are looked for; None: in all namespaces."""


async def _nothing(key: Key) -> None:
    pass


@dataclass(slots=True)
class QueueController:
    """Puts Backups into the queue, and starts them when their time has come."""

    client: Client
    backups: Cache[BackupHead]
    namespaces: Cache[Partial]
    clock: Clock
    settings: QueueSettings
    recent: Recent
    passes: Passes
    moment: Moment
    line: Line = field(default_factory=Line)
    fill: Callable[[Key], Awaitable[None]] = _nothing
    """Makes the next Backup ready as far as can be, while one ends that it waits for."""
    foresee: Callable[[Key], Awaitable[object]] = _nothing
    """Looks at what the start of a Backup needs, while it is told that it may start."""
    ready: Relay = field(default_factory=Relay)
    """Tells of each Backup that may start."""
    wake: Callable[[Key], None] = field(init=False)
    """Has the queue looked at."""
    _changed: set[Key] = field(default_factory=set)
    """Backups that are not in the line as they are now."""
    _versions: dict[Key, str] = field(default_factory=dict)
    """The versions of those in the line."""
    _refused: dict[Key, tuple[str, float]] = field(default_factory=dict)
    _busy: dict[Key, Event] = field(default_factory=dict)
    """Who is being written to, and what is set when that is done."""

    async def reconcile(self, key: Key) -> Result:
        """Write what is due: who may start comes first, then who enters, then who moves up."""
        self._look()
        plan = decide(self.line, self._resolver(), self.settings.concurrent_backups)
        return await (self._go_on(plan) if key == THE_QUEUE else self._tell(plan))

    async def _go_on(self, plan: Plan) -> Result:
        if not plan.start:
            self.wake(PLACES)
            return AWAIT_CHANGE
        # One at a time: where the first is refused, another may be the next.
        await self._start(Key(*plan.start[0]))
        return AT_ONCE

    async def _tell(self, plan: Plan) -> Result:
        if plan.start:
            self.wake(THE_QUEUE)
        if (wait := self.moment.seconds) > 0:
            return Result(after_seconds=wait)
        if plan.enter:
            await self._place(plan.enter)
            return AT_ONCE
        return await self._move()

    def wakes(self, change: Change[BackupHead]) -> Iterable[Key]:
        """Wake the queue where more than a place in it has changed."""
        if change.new is None and change.key not in self._versions:
            self._changed.discard(change.key)  # while another leads, nobody looks at them
        else:
            self._changed.add(change.key)
        old, new = (
            entry.read() if entry is not None else None for entry in (change.old, change.new)
        )
        return (THE_QUEUE,) if _matters(old, new) else ()

    def hear(self, obj: Object) -> None:
        """Take note of a Backup that was written in this process: others may be waiting for it."""
        try:
            head = msgspec.convert(obj, BackupHead)
        except msgspec.ValidationError:
            return  # the cache leaves it out, too
        key = Key(head.metadata.namespace, head.metadata.name)
        known = self.backups.get(key)
        self.recent.wrote(key, head)
        is_started = phase_of(head) not in TO_START and self.moment.end(key)
        if is_started or _matters(known, head):
            self.wake(THE_QUEUE)

    async def near(self, key: Key) -> None:
        """Have the one made ready that may start as soon as this one has ended."""
        self._look()
        name = follower(key, self.line, self._resolver(), self.settings.concurrent_backups)
        if name is None:
            return
        self.moment.begin(Key(*name))
        if self.line.is_queued(name) and name not in self._busy:
            with self._holding(Key(*name)):
                await self.fill(Key(*name))

    @contextmanager
    def _holding(self, *keys: Key) -> Iterator[None]:
        """Have nobody else write to some Backups while the block runs."""
        done = Event()
        self._busy.update(dict.fromkeys(keys, done))
        try:
            yield
        finally:
            for key in keys:
                del self._busy[key]
            done.set()

    def _look(self) -> None:
        """Bring the line up to what is known: what we wrote counts before the cache shows it."""
        now = self.clock.monotonic()
        tried = [key for key, (_, since) in self._refused.items() if now - since >= REFUSED_SECONDS]
        for key in tried:
            del self._refused[key]
        changed = self._changed.union(self.recent.keys(), tried)
        self._changed.clear()
        for key in changed:
            self._look_at(key)

    def _look_at(self, key: Key) -> None:
        entry = self.backups.entry(key)
        head = None
        if entry is not None:
            version = entry.meta.resource_version
            head = self.recent.newer(key, version) or entry.read()
            version = head.metadata.resource_version
            if self._refused.get(key, (version,))[0] != version:
                del self._refused[key]
        if head is None or key in self._refused or (one := member_of(head)).phase not in ACTIVE:
            self.line.remove(key)
            self._versions.pop(key, None)
        else:
            self.line.put(one)
            self._versions[key] = version

    def _resolver(self) -> Callable[[Filter], Collection[str]]:
        """Give what finds the namespaces of a Backup among those of the cluster."""
        existing: list[str] = []

        def resolve(wanted: Filter) -> Collection[str]:
            if not existing:
                existing.extend(sorted(entry.key.name for entry in self.namespaces.entries()))
            included, excluded = map(list, wanted)
            spec = BackupSpec(included_namespaces=included, excluded_namespaces=excluded)
            return namespaces_of(spec, existing)

        return resolve

    async def _move(self) -> Result:
        """Write some of the places that are others now; say when to go on."""
        if not self.passes.is_under_way:
            wait = self.passes.wait_seconds(self.line.unsettled)
            if wait is None and self._refused:
                wait = REFUSED_SECONDS
            if wait is None or wait > 0:
                return Result(after_seconds=wait) if wait is not None else AWAIT_CHANGE
            self.passes.begin(self.line.moves())
        places = self.passes.take(MOVES)
        # Some may have left since the pass began.
        await self._place([place for place in places if not self.line.is_at(place)])
        return AT_ONCE

    async def _start(self, key: Key) -> None:
        """Say that a Backup may start, and tell whoever starts it."""
        if self.ready.is_heard:
            self.moment.begin(key)
        is_ready = False
        try:
            is_ready, _ = await together(self._say(key), self.foresee(key))
        finally:
            if not is_ready:
                self.moment.end(key)

    async def _say(self, key: Key) -> bool:
        while key in self._busy:
            await self._busy[key].wait()
            self._look()
        if key not in self._versions:
            return False  # it has been deleted meanwhile
        with self._holding(key):
            obj = await self._write(key, self._versions[key], READY)
        if obj is not None:
            self.ready.tell(obj)
        return obj is not None

    async def _place(self, places: Iterable[Place]) -> None:
        """Give some Backups their places, all at once, but for those who are about to start."""
        due = {Key(*place.name): place.position for place in places}
        free = [key for key in due if key not in self._busy]
        if due and not free:
            await self._busy[next(iter(due))].wait()
            return
        writes = [
            self._write(
                key,
                self._versions[key],
                {"phase": BackupPhase.QUEUED, "queuePosition": due[key]},
            )
            for key in free
        ]
        with self._holding(*free):
            await together(*writes)

    async def _write(self, key: Key, version: str, status: Object) -> Object | None:
        """Write the status of one Backup, bound to the version that was looked at."""
        change = merge({"metadata": {"resourceVersion": version}, "status": status})
        try:
            new = await self.client.patch_status(BACKUPS, key.name, change, key.namespace)
        except (Invalid, Forbidden) as exc:
            # Such as one that its own CRD does not allow any more: it must not stop the others.
            logger.warning(
                "the place of a backup was refused",
                extra={"backup": str(key), "error": cut(str(exc))},
            )
            self._refused[key] = (version, self.clock.monotonic())
            self._changed.add(key)
            return None
        self.recent.wrote(key, msgspec.convert(new, BackupHead))
        return new


def _matters(old: BackupHead | None, new: BackupHead | None) -> bool:
    """Tell whether a decision may hang on what has changed."""
    facts = [facts_of(head) if head is not None else None for head in (old, new)]
    return facts[0] != facts[1] and any(one is not None and one[0] in ACTIVE for one in facts)


def _come_or_gone(change: Change[Partial]) -> Iterable[Key]:
    """Wake the queue where there is a namespace more or less."""
    return (THE_QUEUE,) if change.old is None or change.new is None else ()


def add_to(manager: Manager, client: Client, settings: QueueSettings) -> QueueController:
    """Have a manager run the controller."""
    backups = manager.cache(BACKUP_HEAD, Keeping(Selection(settings.namespace)))
    namespaces = manager.cache(NAMESPACES)
    clock = manager.clock
    controller = QueueController(
        client, backups, namespaces, clock, settings, Recent(clock), Passes(clock), Moment(clock)
    )
    watches = [On(backups, controller.wakes), On(namespaces, _come_or_gone)]
    both = manager.control(NAME, controller.reconcile, watches, workers=len((THE_QUEUE, PLACES)))
    controller.wake = both.queue.add
    return controller
