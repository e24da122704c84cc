import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from kedge.store import KeyExists, Log, Mismatch, Record, StoreClosed, StoreError

KEY = "/apps/deployments/ns/one"


def value(text: str) -> Callable[[int], bytes]:
    return lambda revision: f"{text}@{revision}".encode()


@pytest.mark.asyncio
async def test_a_new_key_gets_the_next_revision_and_its_value_may_hold_it(log: Log) -> None:
    before = log.revision
    record = await log.append(KEY, value("a"), 0)
    assert record == Record(before + 1, KEY, f"a@{before + 1}".encode(), before + 1, 0, False)
    assert log.get(KEY) == record
    assert log.revision == record.revision


@pytest.mark.asyncio
async def test_an_empty_log_is_at_revision_one_because_zero_means_none(log: Log) -> None:
    assert (log.revision, log.compacted, log.count("")) == (1, 0, 0)
    assert log.get(KEY) is None


@pytest.mark.asyncio
async def test_an_update_knows_its_birth_and_its_predecessor(log: Log) -> None:
    first = await log.append(KEY, value("a"), 0)
    second = await log.append(KEY, value("b"), first.revision)
    assert (second.created, second.previous) == (first.revision, first.revision)
    assert log.previous(second) == first
    assert log.previous(first) is None


@pytest.mark.asyncio
async def test_a_deleted_key_leaves_a_tombstone_and_can_be_born_again(log: Log) -> None:
    first = await log.append(KEY, value("a"), 0)
    tombstone = await log.delete(KEY, value("last"), first.revision)
    assert tombstone.deleted
    assert tombstone.value == f"last@{tombstone.revision}".encode()
    assert (tombstone.created, tombstone.previous) == (first.revision, first.revision)
    assert log.get(KEY) is None
    again = await log.append(KEY, value("b"), 0)
    assert again.created == again.revision
    assert log.previous(again) == tombstone
    assert log.get(KEY) == again


@pytest.mark.asyncio
async def test_a_key_that_exists_cannot_be_created(log: Log) -> None:
    first = await log.append(KEY, value("a"), 0)
    with pytest.raises(KeyExists) as refused:
        await log.append(KEY, value("b"), 0)
    assert refused.value.current == first
    assert log.get(KEY) == first


@pytest.mark.asyncio
@pytest.mark.parametrize("verb", ["append", "delete"])
async def test_a_stale_writer_is_told_the_current_record(log: Log, verb: str) -> None:
    first = await log.append(KEY, value("a"), 0)
    second = await log.append(KEY, value("b"), first.revision)
    with pytest.raises(Mismatch) as refused:
        await getattr(log, verb)(KEY, value("c"), first.revision)
    assert refused.value.current == second
    assert log.get(KEY) == second


@pytest.mark.asyncio
@pytest.mark.parametrize("verb", ["append", "delete"])
async def test_a_key_that_is_not_there_mismatches_any_revision(log: Log, verb: str) -> None:
    first = await log.append(KEY, value("a"), 0)
    gone = await log.delete(KEY, value("a"), first.revision)
    for key, expect in ((KEY, first.revision), (KEY, gone.revision), ("/a/b/other", 1)):
        with pytest.raises(Mismatch) as refused:
            await getattr(log, verb)(key, value("b"), expect)
        assert refused.value.current is None


@pytest.mark.asyncio
async def test_deleting_without_a_revision_is_refused(log: Log) -> None:
    first = await log.append(KEY, value("a"), 0)
    with pytest.raises(Mismatch):
        await log.delete(KEY, value("a"), 0)
    assert log.get(KEY) == first


@pytest.mark.asyncio
async def test_a_stale_writer_stays_stale_after_compaction(log: Log) -> None:
    first = await log.append(KEY, value("a"), 0)
    second = await log.append(KEY, value("b"), first.revision)
    third = await log.append(KEY, value("c"), second.revision)
    await log.compact(third.revision)
    with pytest.raises(Mismatch):
        await log.append(KEY, value("d"), first.revision)


@pytest.mark.asyncio
async def test_of_a_storm_of_writers_on_one_key_exactly_one_wins_each_round(log: Log) -> None:
    current = await log.append(KEY, value("start"), 0)
    for _ in range(5):
        results = await asyncio.gather(
            *(log.append(KEY, value(f"w{w}"), current.revision) for w in range(20)),
            return_exceptions=True,
        )
        winners = [r for r in results if isinstance(r, Record)]
        assert len(winners) == 1
        losers = [r for r in results if isinstance(r, Mismatch)]
        assert len(losers) == 19
        assert all(loser.current == winners[0] for loser in losers)
        current = winners[0]
    assert log.get(KEY) == current


@pytest.mark.asyncio
async def test_of_many_creators_of_one_key_exactly_one_wins(log: Log) -> None:
    results = await asyncio.gather(
        *(log.append(KEY, value(f"w{w}"), 0) for w in range(20)), return_exceptions=True
    )
    (winner,) = (r for r in results if isinstance(r, Record))
    assert all(r.current == winner for r in results if isinstance(r, KeyExists))
    assert sum(isinstance(r, KeyExists) for r in results) == 19


@pytest.mark.asyncio
async def test_concurrent_writers_get_revisions_in_the_order_of_their_calls(log: Log) -> None:
    records = await asyncio.gather(*(log.append(f"/a/b/{i}", value("x"), 0) for i in range(50)))
    revisions = [record.revision for record in records]
    assert revisions == list(range(revisions[0], revisions[0] + 50))
    assert await log.changes("", revisions[0] - 1, log.revision) == records


@pytest.mark.asyncio
async def test_a_value_that_cannot_be_made_costs_nothing(log: Log) -> None:
    def fail(revision: int) -> bytes:
        raise RuntimeError("no")

    before = log.revision
    with pytest.raises(RuntimeError, match="no"):
        await log.append(KEY, fail, 0)
    assert (await log.append(KEY, value("a"), 0)).revision == before + 1


@pytest.mark.asyncio
async def test_a_cancelled_writer_leaves_a_whole_row_or_none(log: Log) -> None:
    writer = asyncio.ensure_future(log.append(KEY, value("a"), 0))
    rival = asyncio.ensure_future(log.append(KEY, value("b"), 0))
    after = asyncio.ensure_future(log.append("/a/b/after", value("c"), 0))
    while not after.done():
        writer.cancel()
        await asyncio.wait([after], timeout=0)
    with pytest.raises(asyncio.CancelledError):
        await writer
    await asyncio.wait([rival])
    (record,) = (await log.list("/apps/")).records
    assert record.value == f"{record.value[:1].decode()}@{record.revision}".encode()
    assert log.get(KEY) == record


@pytest.mark.asyncio
async def test_any_text_is_a_key_but_only_text(log: Log) -> None:
    for key in ("", "/", "/a/b/nul\0inside", "/a/b/nul\0", "/ä/\U0010ffff", "/a/b/'; DROP"):
        record = await log.append(key, value("x"), 0)
        assert log.get(key) == record
    assert log.get("/a/b/nul") is None
    assert log.get("/a/b/\ud800") is None
    with pytest.raises(StoreError, match="not text"):
        await log.append("/a/b/\ud800", value("x"), 0)


@pytest.mark.asyncio
async def test_values_may_be_empty_or_large(log: Log) -> None:
    large = bytes(range(256)) * 12_000
    for key, content in (("/a/b/empty", b""), ("/a/b/large", large)):
        await log.append(key, lambda revision, content=content: content, 0)  # type: ignore[misc]
        found = log.get(key)
        assert found is not None
        assert found.value == content


@pytest.mark.asyncio
async def test_marks_tell_the_revision_of_a_time(log: Log) -> None:
    record = await log.append(KEY, value("a"), 0)
    log.mark(datetime(2026, 1, 1, tzinfo=UTC))
    await log.append(KEY, value("b"), record.revision)
    assert log.revision_at(datetime(2026, 1, 2, tzinfo=UTC)) == record.revision
    assert log.revision_at(datetime(2025, 1, 1, tzinfo=UTC)) == 0


@pytest.mark.asyncio
async def test_a_closed_log_takes_no_writes_and_may_be_closed_again(log: Log) -> None:
    await log.close()
    await log.close()
    with pytest.raises(StoreClosed):
        await log.append(KEY, value("a"), 0)
    with pytest.raises(StoreClosed):
        await log.compact(log.revision)
    with pytest.raises(StoreClosed):
        log.get(KEY)


@pytest.mark.asyncio
async def test_reads_while_the_log_closes_are_answered_or_refused(log: Log) -> None:
    for i in range(20):
        await log.append(f"/a/b/{i:02}", value("x"), 0)

    async def read() -> None:
        while True:
            try:
                assert len((await log.list("")).records) == 20
            except StoreClosed:
                return

    await asyncio.gather(*(read() for _ in range(5)), log.close())


@pytest.mark.asyncio
async def test_closing_waits_for_writes_under_way(log: Log) -> None:
    writes = [asyncio.ensure_future(log.append(f"/a/b/{i}", value("x"), 0)) for i in range(30)]
    await asyncio.wait(writes, timeout=0)
    await log.close()
    assert all(isinstance(write.result(), Record) for write in writes)
