import asyncio

import pytest

from kedge.aio.background import background
from kedge.aio.turn import turn


async def sleeping(lines: list[str], name: str) -> None:
    lines.append(f"{name} begins")
    try:
        await asyncio.Event().wait()
    finally:
        lines.append(f"{name} ends")


async def failing(at: asyncio.Event) -> None:
    await at.wait()
    raise OSError("broken")


@pytest.mark.asyncio
async def test_tasks_run_while_the_block_runs_and_end_with_it() -> None:
    lines: list[str] = []
    async with background(sleeping(lines, "one"), sleeping(lines, "two")):
        await turn()
        assert lines == ["one begins", "two begins"]
    assert sorted(lines[2:]) == ["one ends", "two ends"]


@pytest.mark.asyncio
async def test_a_task_that_fails_ends_the_block_and_the_others() -> None:
    lines: list[str] = []

    async def block() -> None:
        at = asyncio.Event()
        async with background(sleeping(lines, "one"), failing(at)):
            at.set()
            await sleeping(lines, "block")

    with pytest.raises(ExceptionGroup) as caught:
        await asyncio.wait_for(block(), 5)
    assert caught.group_contains(OSError, match="broken")
    assert {"one ends", "block ends"} <= set(lines)


@pytest.mark.asyncio
async def test_a_block_that_fails_ends_the_tasks() -> None:
    lines: list[str] = []

    async def block() -> None:
        async with background(sleeping(lines, "one")):
            await turn()
            raise KeyError("in the block")

    with pytest.raises(ExceptionGroup) as caught:
        await asyncio.wait_for(block(), 5)
    assert caught.group_contains(KeyError)
    assert lines == ["one begins", "one ends"]


@pytest.mark.asyncio
async def test_a_task_that_ends_by_itself_does_not_end_the_block() -> None:
    done = asyncio.Event()

    async def short() -> None:
        done.set()

    async with background(short()):
        await asyncio.wait_for(done.wait(), 5)
        await turn()
        await turn()
        done.clear()
    assert not done.is_set()


@pytest.mark.asyncio
async def test_a_cancelled_block_ends_its_tasks() -> None:
    lines: list[str] = []
    inside = asyncio.Event()

    async def block() -> None:
        async with background(sleeping(lines, "one")):
            await turn()
            inside.set()
            await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(block())
        await inside.wait()
        task.cancel()
    assert task.cancelled()
    assert lines == ["one begins", "one ends"]
