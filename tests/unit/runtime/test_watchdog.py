from datetime import timedelta

import pytest

from kedge.aio.background import background
from kedge.runtime.watchdog import Watchdog
from kedge.testing import FakeClock
from tests.unit.runtime.test_queue import settle


class Bench:
    """A watchdog of ten seconds, and how often it has bitten."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.dog = Watchdog(10.0, self.clock)
        self.bites = 0

    def bite(self) -> None:
        self.bites += 1

    async def pass_time(self, seconds: float) -> int:
        """Let time pass; give all bites so far."""
        await settle()
        self.clock.advance(timedelta(seconds=seconds))
        await settle()
        return self.bites


@pytest.mark.asyncio
async def test_silence_is_bitten_once() -> None:
    bench = Bench()
    async with background(bench.dog.run()):
        bench.dog.guard(bench.bite)
        assert await bench.pass_time(9.9) == 0
        assert await bench.pass_time(0.1) == 1
        assert await bench.pass_time(1000) == 1


@pytest.mark.asyncio
async def test_whatever_is_heard_puts_the_bite_off() -> None:
    bench = Bench()
    async with background(bench.dog.run()):
        bench.dog.guard(bench.bite)
        for _ in range(5):
            assert await bench.pass_time(9.3) == 0
            bench.dog.heard()
        assert await bench.pass_time(10) == 1


@pytest.mark.asyncio
async def test_nobody_is_bitten_at_rest() -> None:
    bench = Bench()
    async with background(bench.dog.run()):
        assert await bench.pass_time(100) == 0
        bench.dog.guard(bench.bite)
        await bench.pass_time(5)
        bench.dog.rest()
        assert await bench.pass_time(100) == 0
        assert bench.clock.delays == []


@pytest.mark.asyncio
async def test_a_new_guard_begins_with_its_whole_time() -> None:
    bench = Bench()
    async with background(bench.dog.run()):
        bench.dog.guard(bench.bite)
        await bench.pass_time(9)
        bench.dog.rest()
        bench.dog.guard(bench.bite)
        assert await bench.pass_time(9) == 0
        assert await bench.pass_time(1) == 1
