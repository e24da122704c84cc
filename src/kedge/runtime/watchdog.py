"""Notices that nothing comes any more: what is silent for too long is dead."""

import asyncio
from collections.abc import Callable

from kedge.aio.clock import Clock


class Watchdog:
    """Calls `bite` when `heard` was not called for a time, while it is on guard."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        """Sleep until somebody sets it on guard."""
        self._seconds = seconds
        self._clock = clock
        self._heard = 0.0
        self._bite: Callable[[], None] | None = None
        self._on_guard = asyncio.Event()

    def guard(self, bite: Callable[[], None]) -> None:
        """Begin to listen."""
        self._heard = self._clock.monotonic()
        self._bite = bite
        self._on_guard.set()

    def heard(self) -> None:
        """Take note that something came."""
        self._heard = self._clock.monotonic()

    def rest(self) -> None:
        """Stop listening."""
        self._bite = None
        self._on_guard.clear()

    async def run(self) -> None:
        """Listen for ever."""
        while True:
            await self._on_guard.wait()
            left = self._heard + self._seconds - self._clock.monotonic()
            if left > 0:
                await self._clock.sleep(left)
            elif self._bite is not None:
                self._bite()
                self.rest()
