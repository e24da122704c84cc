import asyncio

import pytest

from kedge.aio.background import background


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
    started = asyncio.Event()
    async with background(sleeping(lines, "one"), sleeping(lines, "two")):
        asyncio.get_running_loop().call_soon(started.set)
        await started.wait()
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
            await asyncio.wait_for(asyncio.Event().wait(), 0)

    with pytest.raises((ExceptionGroup, TimeoutError)):
        await block()
    assert lines in ([], ["one begins", "one ends"])


@pytest.mark.asyncio
async def test_a_task_that_ends_by_itself_does_not_end_the_block() -> None:
    done = asyncio.Event()

    async def short() -> None:
        done.set()

    async with background(short()):
        await asyncio.wait_for(done.wait(), 5)
        await asyncio.wait_for(asyncio.wait_for(done.wait(), 5), 5)


@pytest.mark.asyncio
async def test_a_cancelled_block_ends_its_tasks() -> None:
    lines: list[str] = []
    inside = asyncio.Event()

    async def block() -> None:
        async with background(sleeping(lines, "one")):
            inside.set()
            await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(block())
        await inside.wait()
        task.cancel()
    assert task.cancelled()
    assert lines[1:] == ["one ends"] or lines == []
