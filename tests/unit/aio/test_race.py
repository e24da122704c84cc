import asyncio
from datetime import timedelta

import pytest

from kedge.aio.race import sleep_unless
from kedge.testing import FakeClock


@pytest.mark.asyncio
async def test_a_sleep_ends_when_its_time_is_over() -> None:
    clock, event = FakeClock(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(sleep_unless(event, 10, clock))
        assert await clock.slept() == [10.0]
        clock.advance(timedelta(seconds=10))
    assert not event.is_set()


@pytest.mark.asyncio
async def test_a_sleep_ends_as_soon_as_the_event_is_set() -> None:
    clock, event = FakeClock(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(sleep_unless(event, 10, clock))
        await clock.slept()
        event.set()
    assert clock.monotonic() == 0
    assert clock.delays == []


@pytest.mark.asyncio
async def test_an_event_that_is_set_already_is_not_waited_for() -> None:
    clock, event = FakeClock(), asyncio.Event()
    event.set()
    await asyncio.wait_for(sleep_unless(event, 10, clock), 5)
    assert clock.delays == []


@pytest.mark.asyncio
async def test_a_cancelled_sleep_leaves_nobody_behind() -> None:
    clock = FakeClock()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(sleep_unless(asyncio.Event(), 10, clock))
        await clock.slept()
        task.cancel()
    assert (task.cancelled(), clock.delays) == (True, [])
