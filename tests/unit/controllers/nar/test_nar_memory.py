"""What was done counts, though no cache shows it yet; but not for ever."""

from datetime import timedelta

import msgspec
import pytest

from kedge.controllers.nar.heads import VeleroRestore
from kedge.controllers.nar.memory import LAG_SECONDS, Memory, Settled
from kedge.runtime import Key
from kedge.testing import FakeClock

KEY = Key("shop", "r")


def restore(version: str, **metadata: str) -> VeleroRestore:
    meta = {"name": "x", "resourceVersion": version, **metadata}
    return msgspec.convert({"metadata": meta}, VeleroRestore)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(clock: FakeClock) -> Memory:
    return Memory(clock)


def test_an_older_version_than_the_one_written_is_behind(memory: Memory) -> None:
    memory.wrote(KEY, "10")
    assert memory.is_behind(KEY, "9")
    assert not memory.is_behind(KEY, "10")
    assert not memory.is_behind(KEY, "9")  # it has caught up once


def test_a_cache_that_never_catches_up_is_believed(memory: Memory, clock: FakeClock) -> None:
    memory.wrote(KEY, "10")
    clock.advance(timedelta(seconds=LAG_SECONDS))
    assert not memory.is_behind(KEY, "9")


def test_what_was_made_is_known_until_it_is_seen(memory: Memory) -> None:
    made = restore("5")
    memory.live(KEY, made)
    assert memory.newer(KEY, None) == (made, True)
    assert memory.newer(KEY, restore("4")) == (made, True)
    seen = restore("5")
    assert memory.newer(KEY, seen) == (seen, False)
    assert memory.newer(KEY, None) == (None, False)


def test_what_is_gone_is_gone_though_the_cache_still_shows_it(memory: Memory) -> None:
    memory.live(KEY, None)
    assert memory.newer(KEY, restore("4")) == (None, False)
    assert memory.newer(KEY, None) == (None, False)
    assert memory.newer(KEY, restore("4"))[0] is not None


def test_what_was_made_is_not_believed_in_for_ever(memory: Memory, clock: FakeClock) -> None:
    memory.live(KEY, restore("5"))
    clock.advance(timedelta(seconds=LAG_SECONDS))
    assert memory.newer(KEY, None) == (None, False)


def test_what_was_made_is_untold_until_that_is_written(memory: Memory, clock: FakeClock) -> None:
    made = restore("5")
    memory.made(KEY, made)
    assert memory.newer(KEY, None) == (made, True)
    clock.advance(timedelta(seconds=LAG_SECONDS))
    assert memory.newer(KEY, None) == (None, False)
    assert memory.untold(KEY) is made
    memory.told(KEY)
    assert memory.untold(KEY) is None


def test_nothing_is_kept_of_one_that_is_gone(memory: Memory) -> None:
    memory.wrote(KEY, "10")
    memory.made(KEY, restore("5"))
    memory.settled[KEY] = Settled("1", "x", "5", 0, 1)
    memory.due.add(KEY)
    memory.forget(KEY)
    assert not memory.is_behind(KEY, "1")
    assert memory.newer(KEY, None) == (None, False)
    assert memory.untold(KEY) is None
    assert (memory.settled, memory.due) == ({}, set())
