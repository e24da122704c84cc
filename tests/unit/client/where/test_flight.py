import asyncio

import pytest

from kedge.client.where.errors import LoginFailed
from kedge.client.where.flight import OneFlight


class Work:
    """Work that ends when it is let go."""

    def __init__(self) -> None:
        self.runs = 0
        self.made: str | None = None
        self.fails = False
        self.gate = asyncio.Event()

    async def __call__(self) -> str:
        self.runs += 1
        await self.gate.wait()
        if self.fails:
            raise LoginFailed(f"run {self.runs}")
        self.made = f"made {self.runs}"
        return self.made

    def ready(self) -> str | None:
        return self.made


async def begun(work: Work, tasks: int, flight: OneFlight[str]) -> list[asyncio.Task[str]]:
    loop = asyncio.get_running_loop()
    started = [loop.create_task(flight.share(work.ready, work)) for _ in range(tasks)]
    async with asyncio.timeout(10):
        while not work.runs:
            await asyncio.wait(started, timeout=0, return_when=asyncio.FIRST_COMPLETED)
    return started


@pytest.mark.asyncio
async def test_all_who_wait_share_one_run() -> None:
    work, flight = Work(), OneFlight[str]()
    tasks = await begun(work, 10, flight)
    work.gate.set()
    assert await asyncio.gather(*tasks) == ["made 1"] * 10
    assert work.runs == 1


@pytest.mark.asyncio
async def test_all_who_wait_share_a_failure_and_the_next_tries_again() -> None:
    work, flight = Work(), OneFlight[str]()
    work.fails = True
    tasks = await begun(work, 5, flight)
    work.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(one) for one in outcomes] == ["run 1"] * 5
    work.fails = False
    assert await flight.share(work.ready, work) == "made 2"


@pytest.mark.asyncio
async def test_if_one_is_cancelled_the_next_begins_anew() -> None:
    work, flight = Work(), OneFlight[str]()
    tasks = await begun(work, 3, flight)
    tasks[0].cancel()
    work.gate.set()
    first, *others = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(first, asyncio.CancelledError)
    assert others == ["made 2", "made 2"]
