"""Work that many ask for and that is done once."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Once(Generic[K, V]):
    """Does a piece of work for the first who asks; the others wait for the same answer."""

    def __init__(self) -> None:
        """Begin with nothing done."""
        self._locks: dict[K, asyncio.Lock] = {}
        self._done: dict[K, V] = {}

    async def get(self, key: K, work: Callable[[], Awaitable[V]]) -> V:
        """Give the answer for a key; where the work fails, the next who asks tries again."""
        if key not in self._done:
            async with self._locks.setdefault(key, asyncio.Lock()):
                if key not in self._done:
                    self._done[key] = await work()
        return self._done[key]
