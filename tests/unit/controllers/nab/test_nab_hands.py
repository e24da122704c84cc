"""One hand at a time, none on an older version; and volumes, counted."""

import asyncio
from datetime import timedelta

import msgspec
import pytest

from kedge.aio.turn import turn
from kedge.client.decoders import Event
from kedge.controllers.nab.counts import FIELDS, UPLOADS, VOLUMES, tally
from kedge.controllers.nab.hands import MOST_MADE, Hands
from kedge.controllers.nab.heads import NABS, Nab
from kedge.kube.meta import ObjectMeta
from kedge.runtime import Cache, Key
from kedge.runtime.cache import CacheWriter
from kedge.runtime.outputs import Batch, Restarted, Synced
from kedge.testing import FakeClock

KEY = Key("shop", "nightly")


def nab(version: str) -> Nab:
    return Nab(ObjectMeta(name=KEY.name, namespace=KEY.namespace, resource_version=version))


def cache_with(version: str) -> Cache[Nab]:
    cache: Cache[Nab] = Cache(NABS)
    writer = CacheWriter(cache)
    writer.take(Restarted())
    writer.take(Batch([Event("ADDED", msgspec.Raw(msgspec.json.encode(nab(version))))]))
    writer.take(Synced())
    return cache


def test_what_was_written_counts_until_the_cache_has_it() -> None:
    hands = Hands(cache_with("5"), FakeClock())
    hands.wrote(KEY, "7", nab("7"))
    assert hands.is_behind(KEY, "5")
    assert hands.written(KEY) == nab("7")
    hands.saw(KEY, "6")
    assert hands.is_behind(KEY, "6")
    hands.saw(KEY, "7")
    assert not hands.is_behind(KEY, "5")
    assert hands.written(KEY) is None


def test_a_backup_as_it_was_made_is_news_to_nobody_and_any_other_version_is() -> None:
    hands = Hands(cache_with("5"), FakeClock())
    hands.made(KEY, "7")
    assert hands.is_old_news(KEY, "7")
    assert not hands.is_old_news(KEY, "7")
    hands.made(KEY, "8")
    assert not hands.is_old_news(KEY, "9")
    for number in range(MOST_MADE + 1):
        hands.made(Key("velero", f"n{number}"), "1")
    assert hands.is_old_news(Key("velero", f"n{MOST_MADE}"), "1")
    assert not hands.is_old_news(Key("velero", "n0"), "1")


def test_what_the_cache_has_already_is_not_kept() -> None:
    hands = Hands(cache_with("9"), FakeClock())
    hands.wrote(KEY, "7", nab("7"))
    assert not hands.is_behind(KEY, "5")
    assert hands.written(KEY) is None


def test_a_write_that_never_shows_up_is_forgotten_in_time() -> None:
    clock = FakeClock()
    hands = Hands(cache_with("5"), clock)
    hands.wrote(KEY, "7")
    assert (hands.is_behind(KEY, "5"), hands.written(KEY)) == (True, None)
    clock.advance(timedelta(seconds=6))
    assert not hands.is_behind(KEY, "5")


def test_what_is_asked_of_the_server_is_forgotten() -> None:
    hands = Hands(cache_with("5"), FakeClock())
    hands.wrote(KEY, "7", nab("7"))
    hands.forget(KEY)
    assert not hands.is_behind(KEY, "5")


@pytest.mark.asyncio
async def test_one_object_is_in_one_hand_at_a_time_and_nothing_is_left_over() -> None:
    hands, order = Hands(cache_with("5"), FakeClock()), []

    async def work(name: str, gate: asyncio.Event) -> None:
        async with hands.on(KEY):
            order.append(f"{name} begins")
            await gate.wait()
            order.append(f"{name} ends")

    gates = [asyncio.Event() for _ in range(3)]
    async with asyncio.TaskGroup() as group:
        for number, gate in enumerate(gates):
            group.create_task(work(str(number), gate))
        for gate in reversed(gates):
            gate.set()
    assert order == [f"{n} {what}" for n in range(3) for what in ("begins", "ends")]
    assert hands._turns == {}


@pytest.mark.asyncio
async def test_who_wants_several_waits_for_each_and_lets_go_of_all() -> None:
    hands, other = Hands(cache_with("5"), FakeClock()), Key("ns", "other")
    gate, has_both = asyncio.Event(), asyncio.Event()

    async def both() -> None:
        async with hands.on(KEY, other):
            has_both.set()

    async with asyncio.TaskGroup() as group:
        async with hands.on(other):
            waiting = group.create_task(both())
            group.create_task(gate.wait())
            await asyncio.wait({waiting}, timeout=0)
            assert hands.is_busy(KEY)
            assert not has_both.is_set()
            gate.set()
        await has_both.wait()
    assert hands._turns == {}


@pytest.mark.asyncio
async def test_two_who_want_the_same_objects_do_not_wait_for_each_other() -> None:
    hands = Hands(cache_with("5"), FakeClock())
    one, two, three = (Key("shop", name) for name in ("a", "b", "c"))
    done: list[str] = []

    async def have(who: str, *keys: Key) -> None:
        async with hands.on(*keys):
            done.append(who)

    async with asyncio.timeout(10), asyncio.TaskGroup() as group, hands.on(three):
        group.create_task(have("first", two, three, one))
        await turn()
        group.create_task(have("second", one, two))
        await turn()
    assert sorted(done) == ["first", "second"]
    assert not any(map(hands.is_busy, (one, two, three)))


@pytest.mark.asyncio
async def test_a_hand_that_lets_go_in_trouble_leaves_the_object_free() -> None:
    hands = Hands(cache_with("5"), FakeClock())
    with pytest.raises(ValueError, match="trouble"):
        async with hands.on(KEY):
            raise ValueError("trouble")
    async with asyncio.timeout(5), hands.on(KEY):
        pass


def test_volumes_are_counted_by_phase() -> None:
    phases = ["", "New", "InProgress", "Completed", "Completed", "Failed", "Tomorrow"]
    assert tally(VOLUMES, phases) == {
        "total": 7,
        "new": 2,
        "inProgress": 1,
        "completed": 2,
        "failed": 1,
    }
    assert tally(VOLUMES, []) == {}


@pytest.mark.parametrize("phase", FIELDS[UPLOADS])
def test_every_phase_of_an_upload_is_counted(phase: str) -> None:
    assert tally(UPLOADS, [phase]) == {"total": 1, FIELDS[UPLOADS][phase]: 1}


def test_what_the_cache_shows_while_it_is_made_is_told_of_by_who_makes_it() -> None:
    hands = Hands(Cache(NABS), FakeClock())
    with hands.making(KEY):
        assert hands.is_old_news(KEY, "7")
        hands.made(KEY, "7")
    assert not hands.is_old_news(KEY, "7"), "its event has been"
    with hands.making(KEY):
        hands.made(KEY, "8")
    assert hands.is_old_news(KEY, "8"), "its event comes later"
    with hands.making(KEY):
        pass
    assert not hands.is_old_news(KEY, "9"), "nobody makes it any more"
