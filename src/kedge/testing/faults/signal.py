"""Waiting for something that other tasks bring about, with a deadline."""

import asyncio
from collections.abc import Callable

PATIENCE_SECONDS = 30.0
"""Real time to wait for what a test expects."""


class Signal:
    """Wakes those who wait for a condition whenever something may have changed."""

    def __init__(self) -> None:
        """Nobody waits yet."""
        self._waiting: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """Let all who wait look again."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)

    async def until(
        self, holds: Callable[[], bool], seconds: float | None = PATIENCE_SECONDS
    ) -> None:
        """Return when the condition holds; raises TimeoutError, or with None waits for ever."""
        async with asyncio.timeout(seconds):
            while not holds():
                future = asyncio.get_running_loop().create_future()
                self._waiting.add(future)
                try:
                    await future
                finally:
                    self._waiting.discard(future)
