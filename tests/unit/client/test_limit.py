import asyncio
from datetime import timedelta

import pytest

from kedge.client.limit import Limit
from kedge.testing import FakeClock


async def acquire(limit: Limit, log: list[int], number: int) -> None:
    await limit.acquire()
    log.append(number)


@pytest.mark.asyncio
async def test_a_burst_passes_at_once() -> None:
    limit = Limit(10, 3, FakeClock())
    assert [await limit.acquire() for _ in range(3)] == [0.0, 0.0, 0.0]


@pytest.mark.asyncio
async def test_who_comes_after_the_burst_waits_in_the_order_of_asking() -> None:
    clock, log = FakeClock(), list[int]()
    limit = Limit(2, 1, clock)
    async with asyncio.TaskGroup() as group:
        for number in range(4):
            group.create_task(acquire(limit, log, number))
        assert await clock.slept(lambda delays: len(delays) == 3) == [0.5, 1.0, 1.5]
        assert log == [0]
        for expected in ([0, 1], [0, 1, 2], [0, 1, 2, 3]):
            clock.advance(timedelta(seconds=0.5))
            left = 4 - len(expected)
            await clock.slept(lambda delays, left=left: len(delays) == left)  # type: ignore[misc]
            while log != expected:
                await clock.sleep(0)


@pytest.mark.asyncio
async def test_several_wait_as_long_as_their_last_would() -> None:
    clock = FakeClock()
    limit = Limit(2, 3, clock)
    assert await limit.acquire(2) == 0.0
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(limit.acquire(4))
        assert await clock.slept(lambda delays: len(delays) == 1) == [1.5]
        clock.advance(timedelta(seconds=1.5))
    assert waiting.result() == 1.5


@pytest.mark.asyncio
async def test_over_a_longer_time_the_rate_is_kept() -> None:
    clock = FakeClock()
    limit = Limit(5, 10, clock)
    passed, waited = 0, 0.0
    while waited < 100:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(limit.acquire())
            while not task.done():
                if clock.delays:
                    waited += clock.delays[0]
                    clock.advance(timedelta(seconds=clock.delays[0]))
                await clock.sleep(0)
        passed += 1
    assert abs(passed - (10 + 5 * 100)) <= 1


@pytest.mark.asyncio
async def test_a_rest_fills_up_the_burst_and_no_more() -> None:
    clock = FakeClock()
    limit = Limit(1, 2, clock)
    await limit.acquire()
    await limit.acquire()
    clock.advance(timedelta(hours=1))
    assert [await limit.acquire() for _ in range(2)] == [0.0, 0.0]
    async with asyncio.TaskGroup() as group:
        group.create_task(limit.acquire())
        assert await clock.slept() == [1.0]
        clock.advance(timedelta(seconds=1))


@pytest.mark.asyncio
async def test_no_rate_is_no_limit() -> None:
    limit = Limit(0, 0, FakeClock())
    assert [await limit.acquire() for _ in range(1000)] == [0.0] * 1000


@pytest.mark.parametrize(("rate", "burst"), [(-1.0, 5), (1.0, 0), (0.5, -1)])
def test_a_limit_that_lets_nothing_pass_is_refused(rate: float, burst: int) -> None:
    with pytest.raises(ValueError, match="burst of at least 1"):
        Limit(rate, burst, FakeClock())
