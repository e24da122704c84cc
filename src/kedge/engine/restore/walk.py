"""The way of a restore through a backup: kind after kind, many objects of a kind at once."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from kedge.archive.contents import Contents
from kedge.archive.item import Item, Place
from kedge.client.client import Client
from kedge.engine.discovery import discover
from kedge.engine.journal import Journal
from kedge.engine.restore.actions.act import CLAIMS, PRIORITIES, VOLUMES, belongings
from kedge.engine.restore.actions.ports import keeps_ports
from kedge.engine.restore.actions.situation import Situation
from kedge.engine.restore.facts import Facts
from kedge.engine.restore.fields import labels
from kedge.engine.restore.hand import Deed, Hand
from kedge.engine.restore.identity import ItemError, read
from kedge.engine.restore.ledger import Ledger, Result
from kedge.engine.restore.once import Once
from kedge.engine.restore.order import names_in, ordered
from kedge.engine.restore.plan import Plan, Planner, Skipped
from kedge.engine.restore.progress import Progress
from kedge.engine.restore.request import RestoreRun
from kedge.engine.restore.select import NAMESPACES, Selection, wanted_statuses
from kedge.engine.restore.spaces import Spaces
from kedge.engine.restore.strip import restore_labels
from kedge.engine.restore.targets import Targets
from kedge.engine.restore.validate import complete
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.kind import Object

DEFINITIONS: Final = "customresourcedefinitions.apiextensions.k8s.io"
SHARED: Final = frozenset({VOLUMES, CLAIMS, PRIORITIES})
"""Resources whose objects come back with others, too, and are seen once."""
SERVICES: Final = "services"
CLASSES: Final = "storageclasses.storage.k8s.io"
TOO_DEEP: Final = "it is nested too deeply"
DONE: Final = (Result.CREATED, Result.UPDATED)


@dataclass(slots=True)
class Walk:
    """Goes through the objects of a backup, and hands each over."""

    contents: Contents
    planner: Planner
    hand: Hand
    ledger: Ledger
    journal: Journal
    progress: Progress
    spaces: Spaces
    concurrency: int
    _seen: Once[Place, bool] = field(default_factory=Once)
    _definitions: list[Object] = field(default_factory=list)
    _unserved: set[tuple[str, str]] = field(default_factory=set)

    async def all(self, order: Callable[[Targets], list[str]]) -> None:
        """Restore definitions of kinds first, then all kinds in the order that is then known."""
        self._count(self.contents.resources)
        if DEFINITIONS in self.contents.resources:
            await self._kind(DEFINITIONS)
        if self._definitions:
            served = await self.hand.settle(self._definitions)
            self.planner = replace(self.planner, targets=Targets(served))
        for resource in order(self.planner.targets):
            if resource != DEFINITIONS:
                await self._kind(resource)
        self.progress.total = self.progress.done = self.ledger.items

    def _count(self, resources: list[str]) -> None:
        self.progress.total = sum(
            1
            for resource in resources
            if self.planner.selection.resource(resource)
            for place in self.contents.places(resource)
            if self.planner.selection.place(place)
        )

    async def _kind(self, resource: str) -> None:
        if not self.planner.selection.resource(resource):
            self.journal.info(
                "Skipping restore of resource because the restore spec excludes it",
                resource=resource,
            )
            return
        if resource != SERVICES:
            await self._all_of(self._selected(resource))
            return
        # Others may be given at random what these must have.
        for is_first in (True, False):
            items = self._selected(resource)
            await self._all_of(item for item in items if self._keeps_ports(item) is is_first)

    async def _all_of(self, items: Iterator[Item]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(max(1, self.concurrency)):
                    group.create_task(self._work(items))
        except BaseExceptionGroup as exc:
            raise first_of(exc) from None

    def _keeps_ports(self, item: Item) -> bool:
        preserves = self.planner.facts.spec.preserve_node_ports is True
        return keeps_ports(item.data, preserves=preserves)

    def _selected(self, resource: str) -> Iterator[Item]:
        for item in self.contents.items(resource):
            if self.planner.selection.place(item.place):
                yield item

    async def _work(self, items: Iterator[Item]) -> None:
        for item in items:
            if await self._item(item):
                self.progress.done += 1
            else:
                self.progress.total -= 1

    async def _item(self, item: Item) -> bool:
        """Restore one object; False: it is not selected."""
        place = item.place
        try:
            obj = read(place, item.data)
        except ItemError as exc:
            self._fail(place, f"{place.resource}/unknown", f"error decoding {_id(place)}: {exc}")
            return True
        if not self.planner.selection.labels(place.resource, labels(obj)):
            return False
        if place.resource == NAMESPACES:
            await self._namespace(place)
        else:
            await self._once(place, obj)
        return True

    async def _namespace(self, place: Place) -> None:
        target = self.planner.selection.target(place.name)
        if await self.spaces.ensure(place.name, target) is Result.SKIPPED:
            self.hand.tell(Place(NAMESPACES, "", target), Result.SKIPPED, "it is there")

    async def _once(self, place: Place, obj: Object) -> None:
        if place.resource in SHARED:
            await self._seen.get(place, lambda: self._bring(place, obj))
        else:
            await self._bring(place, obj)

    async def _bring(self, place: Place, obj: Object) -> bool:
        """Bring an object back, and before it what it needs."""
        key, target = f"{obj['apiVersion']}/{obj['kind']}", self._target(place)
        needed = list(belongings(place.resource, obj))
        namespace = target.namespace
        if namespace and await self.spaces.ensure(place.namespace, namespace) is Result.FAILED:
            self.ledger.add(key, target, Result.FAILED)
            self.hand.tell(target, Result.FAILED, f"there is no namespace {namespace}")
            return True
        try:
            plan = await self.planner.plan(place, obj)
        except Skipped as exc:
            self._skip(target, key, str(exc))
            return True
        except (ItemError, ApiError) as exc:
            self._fail(place, key, f"error preparing {_id(target)}: {cut(str(exc))}")
            return True
        except RecursionError:
            self._fail(place, key, f"error preparing {_id(target)}: {TOO_DEEP}")
            return True
        for other in needed:
            await self._belonging(other)
        await self._put(plan)
        return True

    def _target(self, place: Place) -> Place:
        target = self.planner.selection.target(place.namespace)
        return Place(place.resource, target, place.name)

    async def _belonging(self, place: Place) -> None:
        if not self.planner.selection.additional(place):
            return
        data = self.contents.get(place)
        if data is None:
            self.journal.warning(
                f"unable to restore additional item {_id(place)}: it is not in the backup",
                **_facts(self._target(place)),
            )
            return
        try:
            obj = read(place, data)
        except ItemError as exc:
            self.journal.error(f"error decoding {_id(place)}: {exc}", **_facts(place))
            return
        await self._once(place, obj)

    async def _put(self, plan: Plan) -> None:
        target = plan.target
        self._tell_version(plan)
        for problem in plan.problems:
            self.journal.error(cut(problem), **_facts(target))
        try:
            deed = await self.hand.put(plan)
        except (ApiError, ValueError, RecursionError) as exc:
            told = TOO_DEEP if isinstance(exc, RecursionError) else cut(str(exc))
            why = f"error restoring {_id(target)}: {told}"
            deed = Deed(Result.FAILED, errors=(why,))
            self.hand.tell(target, Result.FAILED, why)
        self._report(plan, deed)

    def _tell_version(self, plan: Plan) -> None:
        """Warn, once for each kind, of objects that are not written in the version they were in."""
        resource, version = plan.place.resource, plan.unserved
        if version and (resource, version) not in self._unserved:
            self._unserved.add((resource, version))
            self.journal.warning(
                f"the cluster does not serve {resource} as {version}: they are restored as "
                f"{plan.kind.api_version}, without the fields that it does not have"
            )

    def _report(self, plan: Plan, deed: Deed) -> None:
        facts = _facts(plan.target)
        for warning in deed.warnings:
            self.journal.warning(warning, **facts)
        for error in deed.errors:
            self.journal.error(error, **facts)
        if not deed.warnings and not deed.errors:
            self.journal.info(f"{plan.kind.name} {deed.result}", **facts)
        if plan.place.resource == DEFINITIONS and deed.result in DONE:
            self._definitions.append(plan.obj)
        if plan.place.resource == CLASSES and not deed.errors:
            self.planner.facts.classes.add(plan.name)
        self.ledger.add(plan.key, plan.target, deed.result)

    def _skip(self, target: Place, key: str, why: str) -> None:
        self.journal.info(f"Skipping: {why}", **_facts(target))
        self.ledger.add(key, target, Result.SKIPPED)
        self.hand.tell(target, Result.SKIPPED, why)

    def _fail(self, place: Place, key: str, why: str) -> None:
        target = self._target(place)
        self.journal.error(why, **_facts(target))
        self.ledger.add(key, target, Result.FAILED)
        self.hand.tell(target, Result.FAILED, why)


async def bring_back(  # noqa: PLR0913 - all that a restore is made of
    client: Client,
    run: RestoreRun,
    contents: Contents,
    hand: Hand,
    ledger: Ledger,
    journal: Journal,
    progress: Progress,
) -> None:
    """Go through a backup, and let a hand carry out what becomes of each object."""
    for warning in contents.warnings:
        journal.warning(warning)
    for refused in contents.refused:
        journal.error(refused)
    if not contents.resources:
        journal.warning("zero items to be restored: the backup holds no resources")
        return
    spec = complete(run.spec)
    targets = Targets(await discover(client))
    resolve = names_in(contents.resources, targets.resolve)
    try:
        selection = Selection(spec, resolve)
        statuses = wanted_statuses(run.spec.restore_status, resolve)
    except ValueError as exc:
        journal.error(cut(str(exc)))
        return
    spaces_there = {place.name for place in contents.places(NAMESPACES)}
    for warning in selection.in_vain(contents.namespaces() | spaces_there):
        journal.warning(warning)
    planner = Planner(
        contents,
        selection,
        targets,
        await Facts.of(client, Situation(spec, runs_hooks=run.runs_hooks), run.namespace),
        restore_labels(run.name, run.backup_name),
        run.modifiers,
        statuses,
    )
    spaces = Spaces(contents, hand, ledger, journal)
    walk = Walk(contents, planner, hand, ledger, journal, progress, spaces, run.concurrency)
    await walk.all(lambda now: ordered(contents.resources, run.priorities, now.resolve))


def _facts(place: Place) -> dict[str, str]:
    return {"resource": place.resource, "namespace": place.namespace, "name": place.name}


def _id(place: Place) -> str:
    parts = (place.resource, place.namespace, place.name)
    return cut("/".join(part for part in parts if part))


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Give what went wrong first, without the groups around it."""
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
