"""A server with a few collections, whose events are told when a test says so."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from kedge.client import Following, Page, Selection
from kedge.client.lines import Item
from kedge.kube.kind import Kind
from tests.unit.runtime.peers import Raw, raw


class Shelf:
    """Gives lists by the plural of their kind, and what is put into `tell`."""

    def __init__(self, **lists: Sequence[dict[str, Any]]) -> None:
        self._lists = lists
        self._inboxes: dict[str, asyncio.Queue[Sequence[Item[Raw]]]] = {}
        self.held: dict[str, asyncio.Event] = {}
        """Lists that are not given before their event is set."""
        self.lists: Counter[str] = Counter()
        """How often each was asked for."""

    def tell(self, plural: str, *items: Item[Raw]) -> None:
        """Have a watch give these events."""
        self._inbox(plural).put_nowait(items)

    async def page(self, kind: Kind[Raw], selection: Selection, size: int, token: str) -> Page[Raw]:
        self.lists[kind.plural] += 1
        if kind.plural in self.held:
            await self.held[kind.plural].wait()
        return Page([raw(one) for one in self._lists.get(kind.plural, ())], "10")

    @asynccontextmanager
    async def watch(
        self, kind: Kind[Raw], selection: Selection, following: Following
    ) -> AsyncIterator["ShelfWatch"]:
        yield ShelfWatch(self._inbox(kind.plural))

    def _inbox(self, plural: str) -> "asyncio.Queue[Sequence[Item[Raw]]]":
        return self._inboxes.setdefault(plural, asyncio.Queue())


class ShelfWatch:
    """Gives what is told."""

    def __init__(self, inbox: "asyncio.Queue[Sequence[Item[Raw]]]") -> None:
        self._inbox = inbox

    async def batch(self) -> Sequence[Item[Raw]]:
        return await self._inbox.get()

    def abort(self) -> None:
        self._inbox.put_nowait(())
