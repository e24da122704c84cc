"""What this process does to each object: one hand at a time, and none on an older version.

A watch brings our own writes back a moment later. Who decides before that decides on the past.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from kedge.aio.clock import Clock
from kedge.controllers.nab.heads import Nab
from kedge.runtime import Cache, Key
from kedge.runtime.version import is_older

LAG_SECONDS: Final = 5.0
"""A cache that does not show a write after so long may never do so: a store can go back in time."""

MOST_MADE: Final = 10_000
"""So many that were made are remembered until the cache shows them."""


class Hands:
    """Remembers objects as the last write left them, until the cache has caught up."""

    def __init__(self, nabs: Cache[Nab], clock: Clock) -> None:
        """Begin with nothing: after a start the cache is fresh."""
        self._nabs = nabs
        self._clock = clock
        self._written: dict[Key, tuple[str, Nab | None, float]] = {}
        self._turns: dict[Key, tuple[asyncio.Lock, int]] = {}
        self._made: dict[Key, str] = {}
        self._making: dict[Key, str] = {}

    @asynccontextmanager
    async def on(self, *keys: Key) -> AsyncIterator[None]:
        """Have objects to oneself while the block runs; each is waited for in turn.

        The turn is the same for all, so that no two wait for each other.
        """
        held: list[asyncio.Lock] = []
        for key in keys:
            lock, users = self._turns.get(key) or (asyncio.Lock(), 0)
            self._turns[key] = (lock, users + 1)
        try:
            for key in sorted(keys):
                lock, _ = self._turns[key]
                await lock.acquire()
                held.append(lock)
            yield
        finally:
            for lock in held:
                lock.release()
            for key in keys:
                lock, users = self._turns.pop(key)
                if users > 1:
                    self._turns[key] = (lock, users - 1)

    def is_busy(self, key: Key) -> bool:
        """Tell whether somebody has an object, or waits for it."""
        return key in self._turns

    def wrote(self, key: Key, version: str, nab: Nab | None = None) -> None:
        """Take note of the version that a write led to, and of the object if it was read."""
        entry = self._nabs.entry(key)
        if entry is None or is_older(entry.meta.resource_version, version):
            self._written[key] = (version, nab, self._clock.monotonic())
        else:
            self._written.pop(key, None)

    @contextmanager
    def making(self, key: Key) -> Iterator[None]:
        """Have a Velero Backup told of by who makes it, should the cache show it even earlier."""
        self._making[key] = ""
        try:
            yield
        finally:
            self._making.pop(key, None)

    def made(self, key: Key, version: str) -> None:
        """Take note of a Velero Backup that was made, and is told of by who made it."""
        if self._making.get(key) == version:
            return  # the cache was faster
        if len(self._made) >= MOST_MADE:
            self._made.clear()  # they never came; to look at one in vain does no harm
        self._made[key] = version

    def is_old_news(self, key: Key, version: str) -> bool:
        """Tell whether a Velero Backup that the cache shows is as it was made; asked once."""
        if key in self._making:
            self._making[key] = version
            return True
        return self._made.pop(key, "") == version

    def saw(self, key: Key, version: str) -> None:
        """Take note of a version that the cache has."""
        known = self._written.get(key)
        if known is not None and not is_older(version, known[0]):
            del self._written[key]

    def is_behind(self, key: Key, version: str) -> bool:
        """Tell whether this version, which the cache has, is older than what was written."""
        known = self._written.get(key)
        if known is None:
            return False
        written, _, since = known
        return is_older(version, written) and self._clock.monotonic() - since < LAG_SECONDS

    def written(self, key: Key) -> Nab | None:
        """Give an object as it was written; None: only its version is known."""
        known = self._written.get(key)
        return known[1] if known is not None else None

    def forget(self, key: Key) -> None:
        """Forget what was written: the server is asked, or the object is gone."""
        self._written.pop(key, None)
