"""Wire the queue to the API: read the caches, decide, write each Backup once."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from kedge.aio.clock import Clock
from kedge.aio.together import together
from kedge.api.velero.backup import BackupPhase, BackupSpec
from kedge.client import Client, Selection
from kedge.client.patches import merge
from kedge.controllers.queue.decide import Filter, Member, Place, Plan, decide
from kedge.controllers.queue.heads import (
    ACTIVE,
    BACKUP_HEAD,
    BackupHead,
    by_phase,
    facts_of,
    member_of,
)
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

logger = logging.getLogger(__name__)

NAME: Final = "backup-queue"
NAMESPACES: Final = plain("v1", "Namespace", "namespaces", namespaced=False).partial
THE_QUEUE: Final = Key("", "queue")
"""There is one queue, so there is one key."""
AT_ONCE: Final = Result(after_seconds=0)
READY: Final[Object] = {"phase": BackupPhase.READY_TO_START, "queuePosition": 0}
ENTRIES: Final = 5
MOVES: Final = 2
"""So many Backups are written before it is looked again whether one may start."""
REFUSED_SECONDS: Final = 30.0
"""A Backup whose write was refused is left alone for so long; the others do not wait for it."""


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """How the queue behaves."""

    concurrent_backups: int = 1
    """Backups that run at the same time; less than one counts as one."""
    namespace: str | None = None
    """Where Backups are looked for; None: in all namespaces."""


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
    _members: dict[Key, tuple[str, Member]] = field(default_factory=dict)
    """What was read of each Backup, and of which version."""
    _refused: dict[Key, tuple[str, float]] = field(default_factory=dict)

    async def reconcile(self, key: Key) -> Result:
        """Write what is due: who may start comes first, then who enters, then who moves up."""
        members = list(self._look())
        plan = decide(members, self._resolver(), self.settings.concurrent_backups)
        if plan.start:
            # One at a time: where the first is refused, another may be the next.
            await self._write(Key(*plan.start[0]), READY)
            return AT_ONCE
        if plan.enter:
            await self._place(plan.enter[:ENTRIES])
            return AT_ONCE
        return await self._move(plan, members)

    def _look(self) -> Iterator[Member]:
        """Give all Backups that matter, as they are after our own writes."""
        seen: dict[Key, tuple[str, Member]] = {}
        for phase in ACTIVE:
            for entry in self.backups.find("phase", phase):
                key, version = entry.key, entry.meta.resource_version
                newer = self.recent.newer(key, version) if key in self.recent else None
                if newer is not None:
                    version = newer.metadata.resource_version
                known = self._members.get(key)
                if known is None or known[0] != version:
                    known = (version, member_of(newer or entry.read()))
                seen[key] = known
                if key not in self._refused or not self._is_refused(key, version):
                    yield known[1]
        self._members = seen

    def _resolver(self) -> Callable[[Filter], Collection[str]]:
        """Give what finds the namespaces of a Backup among those of the cluster."""
        existing = sorted(entry.key.name for entry in self.namespaces.entries())

        def resolve(wanted: Filter) -> Collection[str]:
            included, excluded = map(list, wanted)
            spec = BackupSpec(included_namespaces=included, excluded_namespaces=excluded)
            return namespaces_of(spec, existing)

        return resolve

    async def _move(self, plan: Plan, members: Iterable[Member]) -> Result:
        """Write some of the places that are others now; say when to go on."""
        queued = {one.name: one.position for one in members if one.phase == BackupPhase.QUEUED}
        places = self.passes.take(plan.move, MOVES)
        # Some may have left since the pass began.
        await self._place(
            [one for one in places if queued.get(one.name, one.position) != one.position]
        )
        if places or self.passes.is_under_way:
            return AT_ONCE
        wait = self.passes.wait_seconds(plan.move)
        if wait is None and self._refused:
            wait = REFUSED_SECONDS
        return Result(after_seconds=wait) if wait is not None else AWAIT_CHANGE

    async def _place(self, places: Iterable[Place]) -> None:
        """Give some Backups their places, all at once."""
        writes = [
            self._write(
                Key(*place.name),
                {"phase": BackupPhase.QUEUED, "queuePosition": place.position},
            )
            for place in places
        ]
        await together(*writes)

    async def _write(self, key: Key, status: Object) -> None:
        """Write the status of one Backup, bound to the version that was looked at."""
        version, _ = self._members[key]
        change = merge({"metadata": {"resourceVersion": version}, "status": status})
        try:
            new = await self.client.patch_status(BACKUP_HEAD, key.name, change, key.namespace)
        except (Invalid, Forbidden) as exc:
            # Such as one that its own CRD does not allow any more: it must not stop the others.
            logger.warning(
                "the place of a backup was refused",
                extra={"backup": str(key), "error": cut(str(exc))},
            )
            self._refused[key] = (version, self.clock.monotonic())
            return
        self.recent.wrote(key, new)

    def _is_refused(self, key: Key, version: str) -> bool:
        """Tell whether a Backup was refused of late, and is still the same."""
        refused, since = self._refused.get(key, ("", 0.0))
        if refused == version and self.clock.monotonic() - since < REFUSED_SECONDS:
            return True
        self._refused.pop(key, None)
        return False


def _queue(change: Change[BackupHead]) -> Iterable[Key]:
    """Wake the queue where more than a place in it has changed."""
    old, new = (
        facts_of(entry.read()) if entry is not None else None for entry in (change.old, change.new)
    )
    matters = old != new and any(one is not None and one[0] in ACTIVE for one in (old, new))
    return (THE_QUEUE,) if matters else ()


def _come_or_gone(change: Change[Partial]) -> Iterable[Key]:
    """Wake the queue where there is a namespace more or less."""
    return (THE_QUEUE,) if change.old is None or change.new is None else ()


def add_to(manager: Manager, client: Client, settings: QueueSettings) -> QueueController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    backups = manager.cache(BACKUP_HEAD, Keeping(where, {"phase": by_phase}))
    namespaces = manager.cache(NAMESPACES)
    clock = manager.clock
    controller = QueueController(
        client, backups, namespaces, clock, settings, Recent(clock), Passes(clock)
    )
    watches = [On(backups, _queue), On(namespaces, _come_or_gone)]
    manager.control(NAME, controller.reconcile, watches)
    return controller
