"""Lists read page by page: the next page comes while the present one is written."""

from asyncio import Task, TaskGroup
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final, ParamSpec, TypeVar

import msgspec

from kedge.client.client import Client
from kedge.client.errors import ClientError
from kedge.client.requests import Selection
from kedge.client.responses import Page
from kedge.engine.backup.bound import Bound
from kedge.engine.discovery import Resource
from kedge.kube.errors import ApiError, Expired, Gone
from kedge.kube.kind import Kind

T = TypeVar("T")
P = ParamSpec("P")
Items = Page[msgspec.Raw]

FIRST_PAGE: Final = 32
"""Objects in a first page: nobody knows yet how large they are."""
PAGE_BYTES: Final = 4 * 2**20
"""What a page should not be larger than: two of them are in memory, whatever they hold."""
LONG: Final = 20
"""A list is long where so many pages of it are left ..."""
LONG_PAGE: Final = 3
"""... and its pages are so many times as large: for each of them, etcd counts all that is left."""
RESTARTS: Final = 5
"""So often a list is begun again, or gone on with as it is now, because it took too long."""

FAILURES: Final = (ApiError, ClientError)


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """One list: the objects of a resource, in a namespace or in all, with these labels.

    Each is itself only: there are many, and to compare their resources takes its time.
    """

    resource: Resource
    namespace: str | None = None
    labels: str = ""


class Lister:
    """Reads lists from one server."""

    def __init__(
        self, client: Client, page_size: int, group: TaskGroup, bound: Bound | None = None
    ) -> None:
        """Read with so many objects in a page at most; the tasks belong to the group."""
        self.client = client
        self._page_size = page_size
        self._group = group
        self.bound = bound or Bound()
        self._ahead: dict[Query, Task[Items | ApiError | ClientError]] = {}

    def first_size(self) -> int:
        """Give the number of objects that a first page is asked for."""
        return min(self._page_size, FIRST_PAGE)

    def next_size(self, page: Items) -> int:
        """Give the number of objects to ask for after a page, by the size of those in it."""
        if not self._page_size or not page.items:
            return self._page_size
        mean = sum(map(size_of, page.items)) // len(page.items) + 1
        is_long = (page.remaining or 0) > LONG * self._page_size
        most = LONG_PAGE * self._page_size if is_long else self._page_size
        return max(1, min(most, PAGE_BYTES // mean))

    async def page(self, query: Query, size: int, token: str = "") -> Items:
        """Read one page; raises ApiError or ClientError."""
        kind, selection = query.resource.kind.raw, Selection(query.namespace, query.labels)
        if token:
            return await self.client.page(kind, selection, size, token)
        return await first_page(self.client, kind, selection, size, self.bound)

    def read_ahead(self, query: Query, page: Items) -> None:
        """Ask for the page after this one, which `pages` gives when its turn comes."""
        if page.token and query not in self._ahead:
            asking = outcome(self.page, query, self.next_size(page), page.token)
            self._ahead[query] = self._group.create_task(asking)

    async def pages(self, query: Query, first: Items | None = None) -> AsyncGenerator[Items, None]:
        """Read all pages, or those after the first; raises ApiError or ClientError.

        Where it takes so long that the server forgets the list, it begins again: objects come
        more than once then.
        """
        page = first or await self.page(query, self.first_size())
        restarts = 0
        while True:
            self.read_ahead(query, page)
            ahead = self._ahead.pop(query, None)
            try:
                yield page
                if ahead is None:
                    return
                found = await ahead
            finally:
                if ahead is not None:
                    ahead.cancel()
            if isinstance(found, Page):
                page = found
                continue
            restarts += 1
            if not isinstance(found, Expired | Gone) or restarts > RESTARTS:
                raise found
            # The second time it goes on from where it is, with what is there now: a list that
            # takes longer than the server remembers would never end otherwise.
            again = str(found.metadata.get("continue") or "") if restarts > 1 else ""
            page = await self.page(query, self.first_size(), again)


async def first_page(
    client: Client, kind: Kind[msgspec.Raw], selection: Selection, size: int | None, bound: Bound
) -> Items:
    """Read the first page of a list that is as new as it must be; raises ApiError, ClientError."""
    name, page = str(kind), None
    if bound.is_empty(listed := (name, selection)):
        return Page([], bound.version)
    if version := bound.of(name):
        try:
            page = await client.page(kind, selection, size, version=version)
        except ApiError:  # a server need not know this version; whether it is that is seen now
            bound.refused.add(name)
    page = page or await client.page(kind, selection, size)
    bound.saw(listed, page.version, is_empty=not page.items and not page.token)
    return page


async def outcome(
    ask: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T | ApiError | ClientError:
    """Give what is asked for, or the failure that the server or the way to it has."""
    try:
        return await ask(*args, **kwargs)
    except FAILURES as exc:
        return exc


def size_of(raw: msgspec.Raw) -> int:
    """Count the bytes of an object."""
    return len(memoryview(raw))
