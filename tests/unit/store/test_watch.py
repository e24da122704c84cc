import asyncio
import random

import pytest

from kedge.store import KeyExists, Log, Mismatch, Record, SlowSubscriber, StoreClosed, Subscription

PODS = "/core/pods/"


async def create(log: Log, key: str) -> Record:
    return await log.append(key, lambda r: b"x", 0)


async def take(subscription: Subscription, count: int) -> list[Record]:
    taken: list[Record] = []
    while len(taken) < count:
        taken += await subscription.next_batch()
    return taken


@pytest.mark.asyncio
async def test_a_subscriber_gets_what_is_committed_after_it_came(log: Log) -> None:
    before = await create(log, f"{PODS}a/0")
    with log.subscribe(PODS) as subscription:
        assert subscription.start == before.revision
        one = await create(log, f"{PODS}a/1")
        await create(log, "/core/podtemplates/a/1")
        two = await log.delete(before.key, lambda r: b"last", before.revision)
        assert await take(subscription, 2) == [one, two]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("prefix", "wanted"),
    [
        ("", "abcdef"),
        ("/", "abcdef"),
        ("/core/", "abcde"),
        ("/core/pods/", "abcd"),
        ("/core/pod", "abcde"),
        ("/core/pods/ns1/", "abc"),
        ("/core/pods/ns1/x", "ab"),
        ("/core/pods/ns1/xy", "b"),
        ("/core/pods/ns3/", ""),
    ],
)
async def test_a_prefix_may_be_of_any_length(log: Log, prefix: str, wanted: str) -> None:
    keys = {
        "/core/pods/ns1/x": "a",
        "/core/pods/ns1/xy": "b",
        "/core/pods/ns1/z": "c",
        "/core/pods/ns2/x": "d",
        "/core/podtemplates/ns1/x": "e",
        "/apps/deployments/ns1/x": "f",
    }
    with log.subscribe(prefix) as subscription, log.subscribe("") as everything:
        for key in keys:
            await create(log, key)
        assert len(await everything.next_batch()) == len(keys)
        taken = await take(subscription, len(wanted))
    assert [keys[record.key] for record in taken] == list(wanted)


@pytest.mark.asyncio
async def test_a_record_is_published_and_readable_when_its_writer_is_told(log: Log) -> None:
    with log.subscribe(PODS) as subscription:
        record = await create(log, f"{PODS}a/1")
        assert log.revision == record.revision
        assert await subscription.next_batch() == [record]


@pytest.mark.asyncio
async def test_what_a_subscriber_was_told_can_be_read(log: Log) -> None:
    async def follow(subscription: Subscription) -> None:
        for _ in range(30):
            (*_, last) = await subscription.next_batch()
            assert log.revision >= last.revision
            found = log.get_at(last.key, last.revision)
            assert found == last
            if last.revision == subscription.start + 30:
                return

    with log.subscribe(PODS) as subscription:
        await asyncio.gather(
            follow(subscription), *(create(log, f"{PODS}a/{i}") for i in range(30))
        )


@pytest.mark.asyncio
async def test_progress_moves_with_the_log_but_not_past_unread_records(log: Log) -> None:
    with log.subscribe(PODS) as subscription:
        assert subscription.revision == subscription.start
        other = await create(log, "/apps/deployments/a/1")
        assert subscription.revision == other.revision
        mine = await create(log, f"{PODS}a/1")
        await create(log, "/apps/deployments/a/2")
        assert subscription.revision == mine.revision - 1
        await subscription.next_batch()
        assert subscription.revision == log.revision


async def scribble(log: Log, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        key = f"{PODS}ns{chance.randrange(2)}/{chance.randrange(4)}"
        current = log.get(key)
        verb = log.delete if current and chance.random() < 0.3 else log.append
        try:
            await verb(key, lambda r: b"%d" % r, current.revision if current else 0)
        except (KeyExists, Mismatch):
            continue


@pytest.mark.asyncio
async def test_nothing_is_missed_or_repeated_under_concurrent_writers() -> None:
    async with Log.open(":memory:") as log:
        start = log.revision
        seen: dict[str, list[Record]] = {}

        async def follow(name: str, prefix: str, after: int) -> None:
            # The order of the three is the law: subscribe, read the backlog, then the tail.
            with log.subscribe(prefix) as subscription:
                seen[name] = await log.changes(prefix, after, subscription.start)
                while not (seen[name] and seen[name][-1].key == f"{PODS}ns0/end"):
                    seen[name] += await subscription.next_batch()

        async def come_late(name: str, prefix: str, seed: int) -> None:
            await scribble(log, seed)
            await follow(name, prefix, start)

        followers = [asyncio.ensure_future(follow(f"early {i}", PODS, start)) for i in range(3)]
        followers += [
            asyncio.ensure_future(come_late(f"late {i}", f"{PODS}ns0/", 100 + i)) for i in range(5)
        ]
        await asyncio.gather(*(scribble(log, seed) for seed in range(10)))
        while len(seen) < len(followers):
            await scribble(log, len(seen))
        await create(log, f"{PODS}ns0/end")
        await asyncio.gather(*followers)
        for name, records in seen.items():
            prefix = PODS if name.startswith("early") else f"{PODS}ns0/"
            assert records == await log.changes(prefix, start, records[-1].revision), name


@pytest.mark.asyncio
async def test_a_slow_subscriber_is_dropped_and_told_and_holds_nobody_up(log: Log) -> None:
    with log.subscribe(PODS) as slow, log.subscribe(PODS) as quick:
        for i in range(21):  # one more than the limit
            await create(log, f"{PODS}a/{i}")
            assert len(await quick.next_batch()) == 1
        with pytest.raises(SlowSubscriber):
            await slow.next_batch()
        with pytest.raises(SlowSubscriber):
            _ = slow.revision


@pytest.mark.asyncio
async def test_closing_wakes_those_who_wait(log: Log) -> None:
    subscription, other = log.subscribe(PODS), log.subscribe(PODS)
    waiting = [asyncio.ensure_future(s.next_batch()) for s in (subscription, other)]
    await asyncio.wait(waiting, timeout=0)
    subscription.close()
    await log.close()
    for waiter in waiting:
        with pytest.raises(StoreClosed):
            await waiter
