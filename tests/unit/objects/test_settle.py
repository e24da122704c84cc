"""Work that is waited for, also by who is cancelled."""

import asyncio
import threading

import pytest

from kedge.aio.turn import turn
from kedge.objects.settle import in_thread, settled


@pytest.mark.asyncio
async def test_the_result_and_the_error_come_through() -> None:
    assert await in_thread(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 // 0)


@pytest.mark.asyncio
async def test_a_cancelled_caller_waits_for_the_thread() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(30)
        done.set()

    task = asyncio.ensure_future(in_thread(work))
    await asyncio.to_thread(begun.wait, 30)
    task.cancel()
    for _ in range(5):
        await turn()
        task.cancel()
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done.is_set()


@pytest.mark.asyncio
async def test_what_nobody_gets_is_undone() -> None:
    given: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    undone: list[str] = []
    task = asyncio.ensure_future(settled(given, undone.append))
    await turn()
    task.cancel()
    await turn()
    given.set_result("file")
    with pytest.raises(asyncio.CancelledError):
        await task
    assert undone == ["file"]


@pytest.mark.asyncio
async def test_an_error_that_nobody_gets_is_dropped() -> None:
    given: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(settled(given, pytest.fail))
    await turn()
    task.cancel()
    await turn()
    given.set_exception(RuntimeError("late"))
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.asyncio
async def test_patience_has_an_end() -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(settled(never, patience_seconds=0.01))
    await turn()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert never.cancelled()
