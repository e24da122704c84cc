"""Wait for what must become true, with a deadline and without a guess at how long it takes."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

PAUSE = 0.01


async def eventually(predicate: Callable[[], bool], seconds: float = 10.0) -> None:
    """Return when the predicate holds; raise TimeoutError when it does not in time."""
    async with asyncio.timeout(seconds):
        while not predicate():
            await pause(PAUSE)


async def pause(seconds: float) -> None:
    """Let others run for a while."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.Event().wait()
