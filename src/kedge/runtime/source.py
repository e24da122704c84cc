"""One collection, followed: a watcher fills caches, and their changes wake controllers."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from kedge.aio.clock import Clock
from kedge.client import Selection
from kedge.kube.kind import Kind
from kedge.runtime.cache import Cache, CacheWriter, Filter, Index
from kedge.runtime.entry import Change
from kedge.runtime.outputs import Output, Synced
from kedge.runtime.peer import Peer
from kedge.runtime.queue import Queue
from kedge.runtime.wake import Wake
from kedge.runtime.watcher import Watcher, WatchSettings

logger = logging.getLogger(__name__)

T = TypeVar("T")
U = TypeVar("U")

INITIAL_PRIORITY = -100
"""Of what was there already: a change that happens now does not wait behind a long list."""


@dataclass(frozen=True, slots=True)
class Keeping(Generic[T]):
    """What is kept of a collection, and how it is found."""

    selection: Selection = field(default_factory=Selection)
    indexes: Mapping[str, Index[T]] = field(default_factory=dict)
    keep: Filter | None = None
    """Objects whose metadata do not pass are not kept."""


class Reading(Generic[T]):
    """One cache of a collection, and whom its changes wake."""

    def __init__(self, kind: Kind[T], keeping: Keeping[T]) -> None:
        """Know nothing yet."""
        self.cache: Cache[T] = Cache(kind, keeping.indexes)
        self._writer = CacheWriter(self.cache, keeping.keep)
        self._wakes: list[tuple[Wake[T], Queue]] = []

    def wake(self, wake: Wake[T], queue: Queue) -> None:
        """Queue the keys that a function makes of each change."""
        self._wakes.append((wake, queue))

    def take(self, output: Output) -> None:
        """Take in what the watcher tells, and wake whom it concerns."""
        is_first = isinstance(output, Synced) and not self.cache.is_synced
        priority = INITIAL_PRIORITY if is_first else 0
        for change in self._writer.take(output):
            for wake, queue in self._wakes:
                self._queue(change, wake, queue, priority)

    def _queue(self, change: Change[T], wake: Wake[T], queue: Queue, priority: int) -> None:
        try:
            for key in wake(change):
                queue.add(key, priority)
        except Exception:
            # A fault in one controller's mapping must not stop what all the others see.
            logger.exception(
                "a change could not be mapped to keys",
                extra={"kind": str(self.cache.kind), "object": str(change.key)},
            )


class Source(Reading[T]):
    """Follows one collection for all who want to know of it, by one watch."""

    def __init__(
        self,
        client: Peer,
        kind: Kind[T],
        keeping: Keeping[T],
        settings: WatchSettings,
        clock: Clock,
    ) -> None:
        """Begin with `run`."""
        super().__init__(kind, keeping)
        self._watcher = Watcher(client, kind, keeping.selection, settings, clock)
        self._others: list[Reading[Any]] = []

    def share(self, kind: Kind[U], keeping: Keeping[U]) -> Reading[U]:
        """Give another cache of the same objects: read into another type, or found otherwise."""
        reading = Reading(kind, keeping)
        self._others.append(reading)
        return reading

    async def run(self) -> None:
        """Follow for ever."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watcher.watchdog.run())
            group.create_task(self._watcher.run(self._tell))

    def _tell(self, output: Output) -> None:
        self.take(output)
        for reading in self._others:
            reading.take(output)


AnyReading = Reading[Any]
AnySource = Source[Any]
