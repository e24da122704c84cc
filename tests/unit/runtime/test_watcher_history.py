"""Whatever happens on the way, the cache ends as the truth, and everybody has been told."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from kedge.aio.background import background
from kedge.kube.kind import Object
from kedge.runtime.entry import Change
from kedge.runtime.key import Key
from kedge.runtime.queue import Queue
from kedge.runtime.source import Keeping, Source
from tests.unit.runtime.peers import BOAT, SETTINGS, QuickClock
from tests.unit.runtime.world import World


async def follow(world: World, *, streaming: bool) -> None:
    """Follow a collection until all is quiet, and compare."""
    clock = QuickClock()
    follow_it = replace(SETTINGS, streaming=streaming, silence_seconds=1e9)
    source: Source[Object] = Source(world, BOAT, Keeping(), follow_it, clock)
    last: dict[str, str | None] = {}

    def note(change: Change[Object]) -> Iterable[Key]:
        """See what a reconcile would see that begins now."""
        for key in {one.key for one in (change.old, change.new) if one is not None}:
            entry = source.cache.entry(key)
            last[key.name] = entry.meta.resource_version if entry else None
        return ()

    source.wake(note, Queue(clock))
    async with background(source._watcher.run(source.take)):
        async with asyncio.timeout(10):
            await world.quiet.wait()
    truth = world.truth()
    assert {one.key.name: one.meta.resource_version for one in source.cache.entries()} == truth
    assert {name: version for name, version in last.items() if version is not None} == truth


@settings(max_examples=120, deadline=None)
@given(st.data(), st.integers(0, 40), st.booleans())
def test_the_cache_ends_as_the_truth_and_no_change_is_missed(
    data: st.DataObject, troubles: int, streaming: bool
) -> None:
    world = World(lambda choices: data.draw(st.sampled_from(choices)), troubles)
    asyncio.run(follow(world, streaming=streaming))
