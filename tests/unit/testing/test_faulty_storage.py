"""Storage that fails as a test wants: before or after, down, slow, full, cut."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from kedge.objects.bucket import Bucket
from kedge.objects.errors import Refused, StorageFull, Unreachable
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place
from kedge.testing import FakeClock
from kedge.testing.faults import Side
from kedge.testing.objects import FaultyStorage

PLACE = Place("kedge.dev/filesystem", "b")


@pytest.fixture
def storage() -> FaultyStorage:
    """Give storage that can fail, with a clock that stands."""
    return FaultyStorage(clock=FakeClock())


@pytest.fixture
def bucket(storage: FaultyStorage, tmp_path: Path) -> Bucket:
    """Give a bucket with faults."""
    return storage.open(PLACE, Surroundings(tmp_path))


@pytest.fixture
def beneath(tmp_path: Path) -> Bucket:
    """Give the same bucket without faults."""
    return open_bucket(PLACE, Surroundings(tmp_path))


async def stream() -> AsyncIterator[bytes]:
    for _ in range(10):
        yield b"0123456789"


@pytest.mark.asyncio
async def test_without_a_fault_all_passes(bucket: Bucket, storage: FaultyStorage) -> None:
    await bucket.put("f/a", stream())
    assert await bucket.get("f/a") == b"0123456789" * 10
    assert b"".join([piece async for piece in bucket.read("f/a")]) == b"0123456789" * 10
    assert await bucket.exists("f/a")
    assert [key async for key in bucket.keys("f")] == ["f/a"]
    assert await bucket.folders() == ["f"]
    await bucket.delete(["f/a"])
    assert storage.requests == [
        *("put f/a", "get f/a", "read f/a", "exists f/a", "keys f", "folders ", "delete f/a")
    ]


@pytest.mark.asyncio
async def test_the_nth_request_fails_before_or_after_it_was_done(
    bucket: Bucket, storage: FaultyStorage, beneath: Bucket
) -> None:
    storage.fail(2)
    storage.fail(3, Side.AFTER, Refused("no"))
    await bucket.put("one", b"x")
    with pytest.raises(Unreachable):
        await bucket.put("two", b"x")
    with pytest.raises(Refused):
        await bucket.put("three", b"x")
    await bucket.put("four", b"x")
    assert sorted([key async for key in beneath.keys("")]) == ["four", "one", "three"]


@pytest.mark.asyncio
async def test_a_paused_request_waits(
    bucket: Bucket, storage: FaultyStorage, beneath: Bucket
) -> None:
    pause = storage.pause(1, Side.AFTER)
    task = asyncio.ensure_future(bucket.put("a", b"x"))
    await pause.reached.wait()
    assert await beneath.exists("a")
    assert not task.done()
    pause.go_on.set()
    await task


@pytest.mark.asyncio
async def test_switches_hold_until_they_are_off(bucket: Bucket, storage: FaultyStorage) -> None:
    storage.down = True
    for _ in range(2):
        with pytest.raises(Unreachable):
            await bucket.put("a", b"x")
    storage.down = False
    storage.refused = True
    with pytest.raises(Refused):
        await bucket.exists("a")
    storage.refused = False
    assert not await bucket.exists("a")


@pytest.mark.asyncio
async def test_a_slow_store_takes_its_time(bucket: Bucket, storage: FaultyStorage) -> None:
    clock = storage.clock
    assert isinstance(clock, FakeClock)
    storage.slow_seconds = 60
    task = asyncio.ensure_future(bucket.put("a", b"x"))
    await clock.slept()
    assert not task.done()
    clock.advance(timedelta(seconds=60))
    await task


@pytest.mark.asyncio
async def test_a_full_store_keeps_nothing_of_what_does_not_fit(
    bucket: Bucket, storage: FaultyStorage
) -> None:
    storage.room = 55
    with pytest.raises(StorageFull):
        await bucket.put("a", stream())
    assert not await bucket.exists("a")
    storage.room = 100
    await bucket.put("a", stream())
    with pytest.raises(StorageFull):
        await bucket.put("b", b"x")


@pytest.mark.asyncio
async def test_reading_can_end_early(bucket: Bucket, storage: FaultyStorage) -> None:
    await bucket.put("a", stream())
    storage.readable = 15
    assert await bucket.get("a") == b"012345678901234"
    assert b"".join([piece async for piece in bucket.read("a")]) == b"012345678901234"
