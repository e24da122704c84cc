import asyncio
from collections.abc import Iterable

import pytest

from kedge.store import Compacted, FutureRevision, Log, Page, Record

PODS, OTHERS = "/core/pods/", "/core/podtemplates/"


async def create(log: Log, keys: Iterable[str]) -> dict[str, Record]:
    records = await asyncio.gather(*(log.append(key, lambda r: b"%d" % r, 0) for key in keys))
    return {record.key: record for record in records}


@pytest.mark.asyncio
async def test_a_list_holds_the_keys_of_its_prefix_sorted(log: Log) -> None:
    made = await create(
        log, [f"{PODS}b/2", f"{PODS}a/1", f"{OTHERS}a/1", f"{PODS}b/1", "/core/pod"]
    )
    page = await log.list(PODS)
    assert page.records == [made[PODS + name] for name in ("a/1", "b/1", "b/2")]
    assert (page.revision, page.more, page.remaining) == (log.revision, False, 0)
    assert [r.key for r in (await log.list(f"{PODS}b/")).records] == [f"{PODS}b/1", f"{PODS}b/2"]
    assert log.count(PODS) == 3
    assert log.count("") == 5


@pytest.mark.asyncio
async def test_keys_sort_by_code_point_and_a_prefix_ends_where_it_ends(log: Log) -> None:
    names = ["", "\0", "a", "a\0", "a/b", "b", "ä", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"]
    keys = [f"/x/{first}{second}" for first in names for second in names]
    await create(log, set(keys))
    for prefix in ["", *("/x/" + name for name in names), "/x/\U0010ffff\U0010ffff"]:
        wanted = sorted({key for key in keys if key.startswith(prefix)})
        assert [r.key for r in (await log.list(prefix)).records] == wanted, repr(prefix)
        assert log.count(prefix) == len(wanted)


@pytest.mark.asyncio
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 7, 8])
async def test_pages_are_consistent_while_the_log_moves_on(log: Log, limit: int) -> None:
    made = await create(log, [f"{PODS}a/{i}" for i in range(7)])
    wanted = [made[key] for key in sorted(made)]
    at: int | None = None
    after: str | None = None
    found: list[Record] = []
    while True:
        page = await log.list(PODS, at=at, after=after, limit=limit)
        found += page.records
        assert page.remaining == len(wanted) - len(found)
        assert page.more == (page.remaining > 0)
        if not page.more:
            break
        at, after = page.revision, page.records[-1].key
        victim = log.get(f"{PODS}a/6") or await log.append(f"{PODS}a/6", lambda r: b"back", 0)
        await log.delete(victim.key, lambda r: b"gone", victim.revision)
        current = log.get(f"{PODS}a/5")
        assert current is not None
        await log.append(current.key, lambda r: b"changed", current.revision)
        await create(log, [f"{PODS}a/new-{log.revision}"])
    assert found == wanted


@pytest.mark.asyncio
async def test_a_limit_of_nothing_counts(log: Log) -> None:
    await create(log, [f"{PODS}a/{i}" for i in range(3)])
    page = await log.list(PODS, limit=0)
    assert (page.records, page.more, page.remaining) == ([], True, 3)


@pytest.mark.asyncio
async def test_a_page_never_leaves_its_prefix_whatever_it_shall_follow(log: Log) -> None:
    await create(log, ["/a/1", "/b/1", "/b/2", "/c/1"])
    assert [r.key for r in (await log.list("/b/", after="/a/0")).records] == ["/b/1", "/b/2"]
    assert [r.key for r in (await log.list("/b/", after="/b/1")).records] == ["/b/2"]
    assert (await log.list("/b/", after="/c/0")).records == []


@pytest.mark.asyncio
async def test_a_list_is_of_one_revision_even_when_writers_come_between_its_parts(log: Log) -> None:
    made = await create(log, [f"{PODS}a/{i}" for i in range(9)])

    async def disturb() -> None:
        for record in made.values():
            changed = await log.append(record.key, lambda r: b"changed", record.revision)
            await log.delete(record.key, lambda r: b"gone", changed.revision)

    page, _ = await asyncio.gather(log.list(PODS), disturb())
    assert page.records == [made[key] for key in sorted(made)]


@pytest.mark.asyncio
async def test_a_list_lets_others_run_between_its_parts(log: Log) -> None:
    await create(log, [f"{PODS}a/{i}" for i in range(9)])
    turns = 0

    async def count_turns(until: "asyncio.Task[Page]") -> None:
        nonlocal turns
        while not until.done():
            turns += 1
            await asyncio.wait([until], timeout=0)

    listing = asyncio.ensure_future(log.list(PODS))
    await count_turns(listing)
    assert turns >= 3


@pytest.mark.asyncio
async def test_states_of_the_past_are_known_until_compaction(log: Log) -> None:
    key = f"{PODS}a/1"
    first = await log.append(key, lambda r: b"1", 0)
    second = await log.append(key, lambda r: b"2", first.revision)
    gone = await log.delete(key, lambda r: b"3", second.revision)
    again = await log.append(key, lambda r: b"4", 0)
    states = {first.revision - 1: None, first.revision: first, second.revision: second}
    states |= {gone.revision: None, again.revision: again}
    for at, wanted in states.items():
        assert (await log.list(PODS, at=at)).records == ([wanted] if wanted else [])
        assert log.get_at(key, at) == wanted
    await log.compact(second.revision)
    assert (await log.list(PODS, at=second.revision)).records == [second]
    for at in (0, first.revision):
        with pytest.raises(Compacted):
            await log.list(PODS, at=at)
        with pytest.raises(Compacted):
            log.get_at(key, at)


@pytest.mark.asyncio
async def test_the_future_is_not_known(log: Log) -> None:
    await create(log, [f"{PODS}a/1"])
    with pytest.raises(FutureRevision) as refused:
        await log.list(PODS, at=log.revision + 1)
    assert refused.value.latest == log.revision
    with pytest.raises(FutureRevision):
        await log.changes(PODS, 0, log.revision + 1)
    with pytest.raises(FutureRevision):
        await log.compact(log.revision + 1)


@pytest.mark.asyncio
async def test_changes_are_all_rows_of_a_prefix_in_order_tombstones_too(log: Log) -> None:
    start = log.revision
    one = await log.append(f"{PODS}a/1", lambda r: b"1", 0)
    await log.append(f"{OTHERS}a/1", lambda r: b"1", 0)
    two = await log.append(f"{PODS}b/1", lambda r: b"1", 0)
    gone = await log.delete(one.key, lambda r: b"last", one.revision)
    assert await log.changes(PODS, start, log.revision) == [one, two, gone]
    assert await log.changes(PODS, one.revision, two.revision) == [two]
    assert await log.changes(f"{PODS}a/", one.revision, log.revision) == [gone]
    assert await log.changes(PODS, log.revision, log.revision) == []
    assert len(await log.changes("", 0, log.revision)) == 4
    await log.compact(two.revision)
    assert await log.changes(PODS, two.revision, log.revision) == [gone]
    with pytest.raises(Compacted):
        await log.changes(PODS, one.revision, log.revision)
