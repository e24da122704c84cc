"""What this process does to each object: one hand at a time, and none on an older version.

A watch brings our own writes back a moment later. Who decides before that decides on the past.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from kedge.aio.clock import Clock
from kedge.controllers.nab.heads import Nab
from kedge.runtime import Key
from kedge.runtime.version import is_older

LAG_SECONDS: Final = 5.0
"""A cache that does not show a write after so long may never do so: a store can go back in time."""


class Hands:
    """Remembers objects as the last write left them, until the cache has caught up."""

    def __init__(self, clock: Clock) -> None:
        """Begin with nothing: after a start the cache is fresh."""
        self._clock = clock
        self._written: dict[Key, tuple[Nab, float]] = {}
        self._turns: dict[Key, tuple[asyncio.Lock, int]] = {}
        self._doubted: set[Key] = set()

    @asynccontextmanager
    async def on(self, key: Key) -> AsyncIterator[None]:
        """Have an object to oneself while the block runs."""
        lock, users = self._turns.get(key) or (asyncio.Lock(), 0)
        self._turns[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            _, users = self._turns.pop(key)
            if users > 1:
                self._turns[key] = (lock, users - 1)

    def wrote(self, key: Key, nab: Nab) -> None:
        """Take note of the answer to a write."""
        self._written[key] = (nab, self._clock.monotonic())

    def saw(self, key: Key, version: str) -> None:
        """Take note of a version that the cache has."""
        known = self._written.get(key)
        if known is not None and not is_older(version, known[0].metadata.resource_version):
            del self._written[key]

    def newest(self, key: Key, cached: Nab | None) -> Nab | None:
        """Give an object as it was written, if the cache has an older version of it."""
        written, since = self._written.get(key, (None, 0.0))
        if written is None or cached is None:
            self._written.pop(key, None)
            return cached
        is_behind = is_older(cached.metadata.resource_version, written.metadata.resource_version)
        if is_behind and self._clock.monotonic() - since < LAG_SECONDS:
            return written
        del self._written[key]
        return cached

    def doubt(self, key: Key) -> None:
        """Take note that somebody else has written, and the cache does not show it."""
        self._doubted.add(key)
        self._written.pop(key, None)

    def doubts(self, key: Key) -> bool:
        """Tell whether the server is to be asked; it is so once."""
        if key in self._doubted:
            self._doubted.discard(key)
            return True
        return False
