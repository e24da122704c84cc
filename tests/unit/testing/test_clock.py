import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from kedge.aio.clock import Clock
from kedge.testing import FakeClock


def test_the_clock_stands_still_until_it_is_moved() -> None:
    clock = FakeClock()
    protocol: Clock = clock
    start = protocol.now()
    assert (protocol.now(), protocol.monotonic()) == (start, 0.0)
    assert clock.advance(timedelta(seconds=90)) == start + timedelta(seconds=90) == clock.now()
    assert clock.monotonic() == 90.0


def test_the_clock_begins_where_a_test_wants() -> None:
    zone = datetime.fromisoformat("2031-05-05T12:00:00+02:00")
    assert FakeClock(zone).now() == datetime(2031, 5, 5, 10, tzinfo=UTC)
    assert FakeClock(zone).now().tzinfo is UTC


def test_an_instant_without_a_zone_and_a_step_back_are_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        FakeClock(datetime(2031, 5, 5))  # noqa: DTZ001
    with pytest.raises(ValueError, match="does not go back"):
        FakeClock().advance(timedelta(seconds=-1))


def test_the_wall_clock_may_be_set_and_elapsed_time_does_not_change() -> None:
    clock = FakeClock()
    start = clock.now()
    assert clock.set_back(timedelta(hours=1)) == start - timedelta(hours=1)
    assert (clock.now(), clock.monotonic()) == (start - timedelta(hours=1), 0.0)


@pytest.mark.asyncio
async def test_sleepers_wake_when_their_time_has_come() -> None:
    clock, woken = FakeClock(), []

    async def sleeper(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(seconds)

    async with asyncio.TaskGroup() as group:
        for seconds in (3, 1, 2):
            group.create_task(sleeper(seconds))
        assert await clock.slept(lambda delays: len(delays) == 3) == [1.0, 2.0, 3.0]
        clock.advance(timedelta(seconds=1.5))
        assert clock.delays == [0.5, 1.5]
        clock.advance(timedelta(seconds=5))
    assert sorted(woken) == [1, 2, 3]
    assert clock.delays == []


@pytest.mark.asyncio
@pytest.mark.parametrize("seconds", [0, -5])
async def test_no_time_is_a_turn(seconds: float) -> None:
    clock = FakeClock()
    await asyncio.wait_for(clock.sleep(seconds), 5)
    assert clock.monotonic() == 0


@pytest.mark.asyncio
async def test_whoever_has_slept_finds_that_the_time_has_passed() -> None:
    # 0.1 + 0.2 is more than 0.3: a loop that sleeps what is left must not be left over.
    clock = FakeClock()
    due = 0.1 + 0.2

    async def until_due() -> None:
        while (left := due - clock.monotonic()) > 0:
            await clock.sleep(left)

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        task = group.create_task(until_due())
        await clock.slept()
        clock.advance(timedelta(seconds=0.3))
    assert task.done()


@pytest.mark.asyncio
async def test_a_cancelled_sleeper_is_forgotten() -> None:
    clock = FakeClock()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(clock.sleep(5))
        await clock.slept()
        task.cancel()
    assert clock.delays == []


@pytest.mark.asyncio
async def test_waiting_for_sleepers_has_a_deadline() -> None:
    with pytest.raises(TimeoutError):
        await FakeClock().slept(seconds=0.001)
