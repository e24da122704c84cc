"""Lists read page by page: the next page comes while the present one is written."""

from asyncio import TaskGroup
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final, ParamSpec, TypeVar

import msgspec

from kedge.client.client import Client
from kedge.client.errors import ClientError
from kedge.client.requests import Selection
from kedge.client.responses import Page
from kedge.engine.discovery import Resource
from kedge.kube.errors import ApiError, Expired, Gone

T = TypeVar("T")
P = ParamSpec("P")
Items = Page[msgspec.Raw]

FIRST_PAGE: Final = 32
"""Objects in a first page: nobody knows yet how large they are."""
PAGE_BYTES: Final = 4 * 2**20
"""What a page should not be larger than: two of them are in memory, whatever they hold."""
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

    def __init__(self, client: Client, page_size: int, group: TaskGroup) -> None:
        """Read with so many objects in a page at most; the tasks belong to the group."""
        self.client = client
        self._page_size = page_size
        self._group = group

    def first_size(self) -> int:
        """Give the number of objects that a first page is asked for."""
        return min(self._page_size, FIRST_PAGE)

    def next_size(self, page: Items) -> int:
        """Give the number of objects to ask for after a page, by the size of those in it."""
        if not self._page_size or not page.items:
            return self._page_size
        mean = sum(map(size_of, page.items)) // len(page.items) + 1
        return max(1, min(self._page_size, PAGE_BYTES // mean))

    async def page(self, query: Query, size: int, token: str = "") -> Items:
        """Read one page; raises ApiError or ClientError."""
        selection = Selection(query.namespace, query.labels)
        return await self.client.page(query.resource.kind.raw, selection, size, token)

    async def pages(self, query: Query, first: Items | None = None) -> AsyncGenerator[Items, None]:
        """Read all pages, or those after the first; raises ApiError or ClientError.

        Where it takes so long that the server forgets the list, it begins again: objects come
        more than once then.
        """
        page = first or await self.page(query, self.first_size())
        restarts = 0
        while True:
            ahead = None
            if page.token:
                size, token = self.next_size(page), page.token
                ahead = self._group.create_task(outcome(self.page, query, size, token))
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
