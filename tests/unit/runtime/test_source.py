import asyncio
from collections.abc import Iterable

import pytest

from kedge.aio.background import background
from kedge.kube.kind import Object
from kedge.runtime.entry import Change
from kedge.runtime.key import Key
from kedge.runtime.outputs import RESTARTED, SYNCED, Batch
from kedge.runtime.queue import Queue
from kedge.runtime.source import Keeping, Source
from kedge.runtime.wake import itself
from kedge.testing import FakeClock
from tests.unit.runtime.peers import BOAT, SETTINGS, Script, added, boat, listed, modified
from tests.unit.runtime.test_queue import settle, take

A, B = Key("sea", "a"), Key("sea", "b")


def source_of(*answers: object, keeping: Keeping[Object] | None = None) -> Source[Object]:
    return Source(Script(*answers), BOAT, keeping or Keeping(), SETTINGS, FakeClock())


def drained(queue: Queue) -> list[Key]:
    keys = []
    while (key := take(queue)) is not None:
        keys.append(key)
    return keys


@pytest.mark.asyncio
async def test_a_collection_fills_its_cache_and_wakes_controllers() -> None:
    source = source_of(listed(5, boat("a", 3)), [[added("b", 6)]])
    queue = Queue(FakeClock())
    source.wake(itself, queue)
    async with background(source.run()):
        async with asyncio.timeout(5):
            await source.cache.synced()
            await settle()
        assert drained(queue) == [B, A]


@pytest.mark.asyncio
async def test_what_changes_now_goes_before_what_was_there_already() -> None:
    source, queue = source_of(), Queue(FakeClock())
    source.wake(itself, queue)
    for output in (RESTARTED, Batch([added("a", 1), added("b", 2)]), SYNCED):
        source.take(output)
    source.take(Batch([modified("b", 3)]))
    assert drained(queue) == [B, A]


@pytest.mark.asyncio
async def test_changes_found_by_a_later_list_are_as_urgent_as_any() -> None:
    source, queue = source_of(), Queue(FakeClock())
    source.wake(itself, queue)
    for version in (1, 2):
        for output in (RESTARTED, Batch([added("a", version)]), SYNCED):
            source.take(output)
        queue.add(B, -1)
        assert drained(queue) == ([B, A] if version == 1 else [A])
        queue.done(A)


@pytest.mark.asyncio
async def test_a_fault_in_one_mapping_does_not_stop_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def faulty(change: Change[Object]) -> Iterable[Key]:
        raise KeyError("spec")

    source, first, second = source_of(), Queue(FakeClock()), Queue(FakeClock())
    source.wake(faulty, first)
    source.wake(itself, second)
    for output in (RESTARTED, Batch([added("a", 1), added("b", 2)]), SYNCED):
        source.take(output)
    assert (drained(first), drained(second)) == ([], [A, B])
    assert {one.getMessage() for one in caplog.records} == {"a change could not be mapped to keys"}


@pytest.mark.asyncio
async def test_what_is_kept_is_told_once() -> None:
    keeping: Keeping[Object] = Keeping(
        indexes={"name": lambda one: [one.key.name]}, keep=lambda meta: meta.name != "b"
    )
    source = source_of(keeping=keeping)
    for output in (RESTARTED, Batch([added("a", 1), added("b", 2)]), SYNCED):
        source.take(output)
    assert [one.key for one in source.cache.find("name", "a")] == [A]
    assert source.cache.keys() == [A]
