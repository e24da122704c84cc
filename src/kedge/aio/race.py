"""Waiting for the first of two things."""

import asyncio

from kedge.aio.clock import Clock


async def sleep_unless(event: asyncio.Event, seconds: float, clock: Clock) -> None:
    """Return after this time, or as soon as the event is set."""
    async with asyncio.TaskGroup() as group:
        sleeper = group.create_task(clock.sleep(seconds))
        waiter = group.create_task(event.wait())
        await asyncio.wait((sleeper, waiter), return_when=asyncio.FIRST_COMPLETED)
        sleeper.cancel()
        waiter.cancel()
