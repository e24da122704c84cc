import asyncio

import pytest

from kedge.aio.turn import turn


@pytest.mark.asyncio
async def test_a_turn_lets_everything_ready_run_once() -> None:
    order: list[str] = []

    async def work(name: str) -> None:
        for part in range(3):
            order.append(f"{name}{part}")
            await turn()

    await asyncio.gather(work("a"), work("b"))
    assert order == ["a0", "b0", "a1", "b1", "a2", "b2"]
