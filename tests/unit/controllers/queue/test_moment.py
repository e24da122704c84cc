"""While one starts, others wait, but not for long."""

import asyncio
from datetime import timedelta

import pytest

from kedge.controllers.queue.moment import MOST_SECONDS, Moment
from kedge.runtime import Key
from kedge.testing import FakeClock

pytestmark = pytest.mark.asyncio

ONE, OTHER = Key("velero", "one"), Key("velero", "other")


async def test_nobody_waits_while_nobody_starts() -> None:
    moment = Moment(FakeClock())
    assert moment.seconds == 0
    await moment.over()


async def test_it_is_over_when_the_one_runs() -> None:
    moment = Moment(FakeClock())
    moment.begin(ONE)
    assert moment.seconds == MOST_SECONDS
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(moment.over())
        assert not moment.end(OTHER)
        assert moment.end(ONE)
    assert waiting.done()
    assert moment.seconds == 0
    assert not moment.end(ONE)


async def test_it_is_over_after_a_while_in_any_case() -> None:
    clock = FakeClock()
    moment = Moment(clock)
    moment.begin(ONE)
    async with asyncio.TaskGroup() as group:
        group.create_task(moment.over())
        await clock.slept()
        clock.advance(timedelta(seconds=MOST_SECONDS))
    assert moment.seconds == 0


async def test_another_start_begins_anew() -> None:
    clock = FakeClock()
    moment = Moment(clock)
    moment.begin(ONE)
    clock.advance(timedelta(seconds=MOST_SECONDS / 2))
    moment.begin(OTHER)
    assert moment.seconds == pytest.approx(MOST_SECONDS)
    assert not moment.end(ONE)
    assert moment.end(OTHER)
