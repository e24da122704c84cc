"""Reads the objects that are asked for, resource by resource, and saves them."""

from asyncio import Event, TaskGroup
from collections.abc import Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from kedge.aio.turn import turn
from kedge.client.errors import ClientError
from kedge.engine.backup.items import Head, Meta, Raw, Unreadable, head_of
from kedge.engine.backup.listing import FAILURES, Items, Lister, Query, outcome, size_of
from kedge.engine.backup.ordered import Ordered
from kedge.engine.backup.pods import PodSaver
from kedge.engine.backup.prepare import Prepared
from kedge.engine.backup.progress import Progress
from kedge.engine.backup.relations import PODS
from kedge.engine.backup.save import Saver
from kedge.engine.backup.saved import Type
from kedge.engine.journal import Journal
from kedge.kube.errors import ApiError, NotFound
from kedge.kube.foreign import cut

AT_ONCE: Final = 16
"""First pages that are asked for at the same time."""
AT_FIRST: Final = 4
"""So many while the Backup is told that it runs, which would have to wait for more of them."""
KEPT_BYTES: Final = 16 * 2**20
"""Of first pages: what is beyond is counted, and read again when its turn comes."""
FEW: Final = 4
"""Namespaces that are listed one by one however few others there are."""

First = Items | ApiError | ClientError | None


@dataclass
class Collector:
    """Reads lists and saves what is in them."""

    prepared: Prepared
    lister: Lister
    saver: Saver
    pods: PodSaver
    ordered: Ordered
    journal: Journal
    progress: Progress
    seen: set[str] = field(default_factory=set)
    """Namespaces in which there are objects."""
    _queries: dict[str, list[Query]] = field(default_factory=dict)
    _first: dict[Query, First] = field(default_factory=dict)
    _expected: dict[Query, int] = field(default_factory=dict)
    _kept_bytes: int = 0
    _is_ahead: bool = False
    """Whether a second page is on its way: more of them would fill the memory."""

    async def look(self, begun: Event) -> None:
        """Read the first page of each list: most have no other, and it tells how many there are."""
        self._queries = {type_.name: list(self.queries(type_)) for type_ in self.prepared.listed}
        queries = iter([query for some in self._queries.values() for query in some])
        async with TaskGroup() as group:
            for _ in range(AT_FIRST):
                group.create_task(self._look(queries))
            await begun.wait()
            for _ in range(AT_ONCE - AT_FIRST):
                group.create_task(self._look(queries))

    async def save_all(self) -> None:
        """Save what is in the lists."""
        for type_ in self.prepared.listed:
            before = len(type_.saved)
            await self._save_items(type_, await self.ordered.first(type_))
            for query in self._queries[type_.name]:
                await self._save_list(type_, query)
            if len(type_.saved) > before:
                count = len(type_.saved) - before
                self.journal.info(f"Backed up {count} items", resource=type_.name)

    def queries(self, type_: Type) -> Iterator[Query]:
        """Give the lists that have all objects of a resource that are asked for."""
        for namespace in self._namespaces(type_):
            for labels in self._labels(type_, namespace):
                yield Query(type_.resource, namespace, labels)

    def _labels(self, type_: Type, namespace: str | None) -> Sequence[str]:
        choice = self.prepared.choice
        if not type_.resource.kind.namespaced:
            return choice.labels(type_.name, (choice.outside,))
        if namespace is None:
            return choice.labels(type_.name, self.prepared.spaces)
        return choice.labels(type_.name, (choice.space(namespace),))

    def _namespaces(self, type_: Type) -> Sequence[str | None]:
        listed = self.prepared.namespaces.listed
        if listed is None or not type_.resource.kind.namespaced:
            return [None]
        # One list of all is cheaper than many lists of most; the others are left out then.
        if len(listed) > FEW and len(listed) * 2 > len(self.prepared.existing.names):
            return [None]
        return listed

    async def _look(self, queries: Iterable[Query]) -> None:
        for query in queries:
            found = await outcome(self.lister.page, query, self.lister.first_size())
            if not isinstance(found, ApiError | ClientError):
                self._expect(query, len(found.items) + (found.remaining or 0))
                size = sum(map(size_of, found.items))
                if self._kept_bytes + size > KEPT_BYTES:
                    continue
                self._kept_bytes += size
                self._read_ahead(query, found)
            self._first[query] = found

    def _read_ahead(self, query: Query, first: Items) -> None:
        """Ask for the second page of one long list: it comes while the backup begins."""
        if first.token and not self._is_ahead:
            self._is_ahead = True
            self.lister.read_ahead(query, first)

    def _expect(self, query: Query, count: int) -> None:
        more = count - self._expected.get(query, 0)
        if more > 0:
            self._expected[query] = count
            self.progress.expect(more)

    async def _save_list(self, type_: Type, query: Query) -> None:
        first, count = self._first.pop(query, None), 0
        try:
            if isinstance(first, ApiError | ClientError):
                raise first
            async with aclosing(self.lister.pages(query, first)) as pages:
                async for page in pages:
                    count += len(page.items)
                    self._expect(query, count + (page.remaining or 0))
                    await self._save_page(type_, page)
        except FAILURES as exc:
            self._tell(type_, query, exc)

    async def _save_page(self, type_: Type, page: Items) -> None:
        save = self._save_pod if type_.name == PODS else self.saver.save
        choice = self.prepared.choice
        has_others = not choice.is_plain
        for raw in page.items:
            try:
                head = head_of(raw)
            except Unreadable as exc:
                self.saver.fail(type_, Meta(), exc)
                continue
            if has_others and not choice.selects(type_.name, head.metadata):
                continue
            namespace = head.metadata.namespace
            if namespace and namespace not in self.seen and self.saver.is_inside(namespace):
                self.seen.add(namespace)
            await save(type_, raw, head)
        await turn()

    async def _save_pod(self, type_: Type, raw: Raw, head: Head) -> None:
        await self.pods.save(type_, [(raw, head)])

    async def _save_items(self, type_: Type, items: Sequence[tuple[Raw, Head]]) -> None:
        if type_.name == PODS:
            await self.pods.save(type_, items)
            return
        for raw, head in items:
            await self.saver.save(type_, raw, head)

    def _tell(self, type_: Type, query: Query, why: Exception) -> None:
        facts = {"resource": type_.name, "error": cut(str(why))}
        if query.namespace is not None:
            facts["namespace"] = query.namespace
        if isinstance(why, NotFound):
            self.journal.warning("The resource is no longer there, nothing of it is saved", **facts)
        else:
            self.journal.error("Error listing items", **facts)
