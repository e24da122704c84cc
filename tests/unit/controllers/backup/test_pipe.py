"""Bytes go from one task to another, and no more than there is room for."""

import asyncio

import pytest

from kedge.aio.turn import turn
from kedge.controllers.backup.pipe import Pipe

pytestmark = pytest.mark.asyncio


async def test_all_comes_out_in_order() -> None:
    pipe = Pipe(2)

    async def write() -> None:
        for n in range(10):
            await pipe.write(bytes([n]))
        await pipe.write(b"")
        await pipe.end()

    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        found = [chunk async for chunk in pipe.read()]
    assert b"".join(found) == bytes(range(10))
    assert pipe.is_read


async def test_who_writes_waits_for_who_reads() -> None:
    pipe = Pipe(2)
    written = 0

    async def write() -> None:
        nonlocal written
        for _ in range(10):
            await pipe.write(b"x")
            written += 1

    async with asyncio.TaskGroup() as group:
        writing = group.create_task(write())
        for _ in range(20):
            await turn()
        assert written == 2
        assert not pipe.is_read
        writing.cancel()
