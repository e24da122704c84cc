"""Fan-out of keyed items to bounded inboxes; a slow reader is dropped, never waited for."""

import asyncio
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


class Overflow(Exception):
    """The reader of an inbox fell too far behind, and its items are gone."""


class Closed(Exception):
    """The inbox is closed: nothing will come any more."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How much may wait in one inbox; one item fits, whatever it weighs."""

    items: int
    weight: int = sys.maxsize


class Inbox(Generic[T]):
    """What one reader has not read yet; for one reader at a time."""

    __slots__ = ("_broadcast", "_end", "_items", "_limit", "_waiter", "_weight", "prefix")

    def __init__(self, broadcast: "Broadcast[T]", prefix: str, limit: "Limit") -> None:
        self.prefix = prefix
        self._broadcast = broadcast
        self._limit = limit
        self._items: list[T] = []
        self._weight = 0
        self._waiter: asyncio.Future[None] | None = None
        self._end: type[Overflow | Closed] | None = None

    async def next_batch(self) -> list[T]:
        """Wait for an item and take all there are; raise Overflow or Closed at the end."""
        while not self._items:
            self.check()
            if self._waiter is not None:
                raise RuntimeError("an inbox has one reader at a time")
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        items, self._items = self._items, []
        self._weight = 0
        return items

    def take(self) -> list[T]:
        """Take all items there are, without waiting; raise Overflow or Closed at the end."""
        if not self._items:
            self.check()
        items, self._items = self._items, []
        self._weight = 0
        return items

    def first(self) -> T | None:
        """Return the oldest unread item without taking it."""
        return self._items[0] if self._items else None

    def check(self) -> None:
        """Raise Overflow or Closed if the inbox has ended."""
        if self._end is not None:
            raise self._end

    def put(self, item: T, weight: int = 0) -> None:
        """Add an item, or end the inbox if it is full."""
        if self._end is not None:
            return
        if len(self._items) >= self._limit.items or self._weight >= self._limit.weight:
            # It stays in its folder until its reader comes back and closes it: `publish` may be
            # walking through that folder.
            self.end(Overflow)
            return
        self._items.append(item)
        self._weight += weight
        self._wake()

    def end(self, reason: type[Overflow | Closed]) -> None:
        """Drop what is unread and tell the reader why; the first reason counts."""
        if self._end is None:
            self._end = reason
            self._items = []
            self._wake()

    def close(self) -> None:
        """End the inbox and leave the broadcast; may be called twice."""
        self.end(Closed)
        self._broadcast.remove(self)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _weightless(item: object) -> int:
    return 0


class Broadcast(Generic[T]):
    """Inboxes by key prefix: an item costs one look-up per folder of its key, and its readers.

    An inbox lies in the folder of its prefix, which is the prefix up to its last slash, so that
    readers of other folders cost nothing. All methods belong to the thread of the event loop.
    """

    def __init__(
        self, key: Callable[[T], str], limit: Limit, weigh: Callable[[T], int] = _weightless
    ) -> None:
        self._key = key
        self._limit = limit
        self._weigh = weigh
        self._folders: dict[str, dict[Inbox[T], None]] = {}

    def subscribe(self, prefix: str) -> Inbox[T]:
        """Open an inbox for the items whose key starts with the prefix, from now on."""
        inbox = Inbox(self, prefix, self._limit)
        self._folders.setdefault(_folder(prefix), {})[inbox] = None
        return inbox

    def remove(self, inbox: Inbox[T]) -> None:
        """Send nothing to this inbox any more."""
        folder = _folder(inbox.prefix)
        inboxes = self._folders.get(folder, {})
        inboxes.pop(inbox, None)
        if not inboxes:
            self._folders.pop(folder, None)

    def publish(self, items: Iterable[T]) -> None:
        """Put each item, in order, into the inboxes it concerns. Never waits."""
        folders = self._folders
        if not folders:
            return
        for item in items:
            key, weight = self._key(item), self._weigh(item)
            end = 0  # of the folder, its slash included; the folder "" holds all keys
            while True:
                for inbox in folders.get(key[:end], ()):
                    if key.startswith(inbox.prefix):
                        inbox.put(item, weight)
                end = key.find("/", end) + 1
                if not end:
                    break

    def close(self) -> None:
        """Close every inbox."""
        for inboxes in list(self._folders.values()):
            for inbox in list(inboxes):
                inbox.close()


def _folder(prefix: str) -> str:
    return prefix[: prefix.rfind("/") + 1]
