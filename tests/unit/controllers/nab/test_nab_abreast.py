"""Who is done waits for those that may be before it, and for nobody else."""

import pytest

from kedge.aio.background import background
from kedge.aio.turn import turn
from kedge.controllers.nab.abreast import Abreast

pytestmark = pytest.mark.asyncio


async def test_one_that_is_alone_waits_for_nobody() -> None:
    abreast = Abreast()
    with abreast.making():
        pass
    await abreast.settled()


async def test_who_is_done_waits_for_what_is_under_way_and_not_for_what_begins_later() -> None:
    abreast, told = Abreast(), []

    async def done() -> None:
        await abreast.settled()
        told.append("settled")

    earlier = abreast.making()
    earlier.__enter__()
    async with background(done()):
        for _ in range(3):
            await turn()
        assert told == []
        with abreast.making():  # later
            earlier.__exit__(None, None, None)
            for _ in range(3):
                await turn()
            assert told == ["settled"]


async def test_one_that_fails_keeps_nobody_waiting() -> None:
    abreast = Abreast()
    with pytest.raises(RuntimeError), abreast.making():
        raise RuntimeError
    await abreast.settled()
