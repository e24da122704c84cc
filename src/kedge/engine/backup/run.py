"""Backs up a cluster: all objects that are asked for go into an archive, piece by piece."""

from asyncio import Event, Task, TaskGroup
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from kedge.aio.clock import Clock
from kedge.aio.group import first_error
from kedge.api.velero.backup import BackupSpec
from kedge.client.client import Client
from kedge.engine.backup.actions import Actions
from kedge.engine.backup.archive import Archive, Sink
from kedge.engine.backup.bound import Bound
from kedge.engine.backup.collect import Collector
from kedge.engine.backup.filters import NAMESPACES
from kedge.engine.backup.hooks import Hooks, hook_groups
from kedge.engine.backup.listing import FAILURES, Lister, Query
from kedge.engine.backup.needs import Needs
from kedge.engine.backup.ordered import Ordered
from kedge.engine.backup.pods import PodSaver
from kedge.engine.backup.policies import Policies
from kedge.engine.backup.prepare import Prepared, prepare
from kedge.engine.backup.progress import Progress
from kedge.engine.backup.relations import (
    BINDING,
    BINDINGS,
    DEFINITIONS,
    ROLES,
    Binding,
    definition_of,
)
from kedge.engine.backup.save import Saver
from kedge.engine.backup.spaces import SpaceSaver
from kedge.engine.backup.volumes import Volumes
from kedge.engine.journal import Journal
from kedge.kube.foreign import cut
from kedge.kube.kind import Object

__all__ = ["BackupOutcome", "BackupRun", "Progress", "Sink", "back_up"]


async def _at_once() -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupRun:
    """What to back up."""

    name: str
    namespace: str
    spec: BackupSpec
    uid: str = ""
    page_size: int = 500
    """Objects in one answer at most, or three times as many in long lists; 0: all in one answer."""
    policies: Policies | None = None
    """The ConfigMap of spec.resourcePolicy, read."""
    mtime: int = 0
    """The time that the files in the archive bear, in seconds since 1970."""
    bound: Bound | None = None
    """How new lists must be; None: exact."""
    runs_hooks: bool = True
    """Whether commands run in pods, be they of the spec or of the pods' own annotations."""
    begin: Callable[[], Awaitable[None]] = _at_once
    """Done while it is found out what there is, and before anything else: hooks, and the sink."""


@dataclass(frozen=True, slots=True)
class BackupOutcome:
    """What became of it; errors and warnings are in the journal."""

    items: int = 0
    resource_list: dict[str, list[str]] = field(default_factory=dict)
    """`apps/v1/Deployment` → sorted `namespace/name`."""
    hooks_attempted: int = 0
    hooks_failed: int = 0
    volume_infos: list[Object] = field(default_factory=list)
    size_bytes: int = 0
    sha256: str = ""
    left_out: Sequence[str] = ()
    """Namespaces whose labels kept them out, sorted."""


async def back_up(
    client: Client,
    run: BackupRun,
    journal: Journal,
    sink: Sink,
    progress: Progress,
    clock: Clock,
) -> BackupOutcome:
    """Read what is asked for and give the archive to the sink, chunk by chunk.

    Raises only what makes the whole backup fail: the server does not say what it has, or the sink
    raises. All else is told in the journal.
    """
    began = clock.monotonic()
    try:
        async with TaskGroup() as group:
            lister = Lister(client, run.page_size, group, run.bound)
            begun = Event()
            looking = group.create_task(_look(run, lister, sink, journal, progress, begun))
            backup = await _begun(looking, run.begin, begun)
            try:
                outcome = await backup.make()
            finally:
                backup.part()
    except BaseExceptionGroup as exc:
        raise first_error(exc) from None
    journal.info(f"Backed up a total of {outcome.items} items in {clock.monotonic() - began:.1f} s")
    return outcome


async def _look(
    run: BackupRun,
    lister: Lister,
    sink: Sink,
    journal: Journal,
    progress: Progress,
    begun: Event,
) -> "_Backup | Exception":
    """Find out what there is; give what went wrong."""
    try:
        prepared = await prepare(lister.client, run.spec, run.policies, journal, lister.bound)
        archive = Archive(run.mtime, sink)
        backup = _Backup(run, prepared, lister, archive, journal, progress)
        await backup.look(begun)
    except Exception as exc:  # noqa: BLE001 - it is raised later
        return exc
    return backup


async def _begun(
    looking: "Task[_Backup | Exception]", begin: Callable[[], Awaitable[None]], begun: Event
) -> "_Backup":
    """Begin while it is looked what there is; what goes wrong with the beginning is told first."""
    # It is not broken off when the look fails: who hears of that must know what has begun.
    await begin()
    begun.set()
    found = await looking
    if isinstance(found, Exception):
        raise found
    return found


class _Backup:
    """The parts of one backup, put together."""

    def __init__(
        self,
        run: BackupRun,
        prepared: Prepared,
        lister: Lister,
        archive: Archive,
        journal: Journal,
        progress: Progress,
    ) -> None:
        client = lister.client
        self.prepared, self.lister, self.archive = prepared, lister, archive
        self.journal, self.progress = journal, progress
        self.volumes = Volumes(run.spec, run.policies)
        self.actions = Actions(run.name, self.volumes, lambda places: self.needs.add(places))
        by_resource = self.actions.by_resource()
        self.saver = Saver(prepared, archive, journal, progress, by_resource)
        self.needs = Needs(client, self.saver, journal)
        groups = hook_groups(run.spec, prepared.served)
        self.hooks = Hooks(client, groups, journal, is_on=run.runs_hooks)
        self.collector = Collector(
            prepared,
            lister,
            self.saver,
            PodSaver(self.saver, self.hooks, self.needs, journal),
            Ordered(client, run.spec.ordered_resources or {}, prepared, journal),
            journal,
            progress,
        )

    async def look(self, begun: Event) -> None:
        """Find out how much there is."""
        await self.collector.look(begun)
        self._expect_namespaces()
        self.journal.info(f"Found {self.progress.total} items, as far as the lists tell by now")

    async def make(self) -> BackupOutcome:
        """Save all that is asked for, and what that needs."""
        await self.collector.save_all()
        await self._save_bindings()
        await self.needs.settle()
        await SpaceSaver(self.prepared, self.lister, self.saver, self.journal).save(
            self.collector.seen
        )
        await self._save_definitions()
        await self.archive.finish()
        return self._outcome()

    def part(self) -> None:
        """End: parts that hold one another would stay in memory until somebody looks for them."""
        vars(self).clear()

    def _expect_namespaces(self) -> None:
        type_ = self.prepared.types.get(NAMESPACES)
        if type_ is not None and type_.included and not self.prepared.selectors:
            namespaces = self.prepared.namespaces
            self.progress.expect(sum(map(namespaces.has, self.prepared.existing.names)))

    async def _save_bindings(self) -> None:
        """Find the ClusterRoleBindings of the service accounts that were saved."""
        types = [self.prepared.types.get(name) for name in (BINDINGS, ROLES)]
        bindings = types[0]
        listed = all(one is not None and one.included for one in types)
        if not self.actions.accounts or bindings is None:
            return
        if listed and all(map(self.prepared.choice.outside.has_all, (BINDINGS, ROLES))):
            return  # all are there
        if all(one is None or one.excluded for one in types):
            return
        try:
            async with aclosing(self.lister.pages(Query(bindings.resource))) as pages:
                async for page in pages:
                    for raw in page.items:
                        self._need_binding(BINDING.decode(raw))
        except (*FAILURES, ValueError) as exc:
            facts = {"resource": BINDINGS, "error": cut(str(exc))}
            self.journal.error("Error listing the bindings of service accounts", **facts)

    def _need_binding(self, binding: Binding) -> None:
        if not self.actions.accounts.isdisjoint(binding.accounts()):
            self.needs.add(binding.places())

    async def _save_definitions(self) -> None:
        """Save the CRDs of what was saved, unless all of them are, or none should be."""
        definitions = self.prepared.types.get(DEFINITIONS)
        if definitions is None or definitions.included or definitions.excluded:
            return
        places = [
            definition_of(type_.name, type_.resource.kind.group)
            for type_ in self.prepared.types.values()
            if type_.saved
        ]
        await self.needs.settle_optional([place for place in places if place is not None])

    def _outcome(self) -> BackupOutcome:
        for why, count in sorted(self.saver.skipped.items()):
            self.journal.info(f"Left out {count} items: {why}")
        for text in self.volumes.warnings():
            self.journal.warning(text)
        self.progress.finish()
        listed = {one.label: sorted(one.saved) for one in self.prepared.types.values() if one.saved}
        return BackupOutcome(
            sum(map(len, listed.values())),
            listed,
            self.hooks.attempted,
            self.hooks.failed,
            self.volumes.infos(),
            self.archive.size_bytes,
            self.archive.sha256,
            self.prepared.existing.left_out,
        )
