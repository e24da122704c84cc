import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import apsw
import pytest

from kedge.aio.turn import turn
from kedge.store import Log, Mismatch, Record, StoreError, StoreSettings
from kedge.store.database import Database
from kedge.store.writer import Write, Writer

KEY = "/apps/deployments/ns/one"


@pytest.mark.asyncio
async def test_a_row_that_cannot_be_stored_fails_alone(log: Log) -> None:
    bad = cast(bytes, "text is not bytes")
    results = await asyncio.gather(
        *(log.append(f"/a/b/{i}", lambda r, i=i: bad if i == 2 else b"x", 0) for i in range(6)),  # type: ignore[misc]
        return_exceptions=True,
    )
    assert isinstance(results[2], StoreError)
    assert all(isinstance(result, Record) for i, result in enumerate(results) if i != 2)
    assert [r.key for r in (await log.list("")).records] == [
        f"/a/b/{i}" for i in range(6) if i != 2
    ]
    assert await log.append("/a/b/2", lambda r: b"x", 0)


@pytest.mark.asyncio
async def test_a_second_successor_of_a_row_is_refused_by_the_file_itself(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path) as log:
        first = await log.append(KEY, lambda r: b"x", 0)
        stranger = apsw.Connection(str(path))
        stranger.execute(
            "INSERT INTO log (revision, key, previous, created, deleted, value) "
            "VALUES (1000, ?, ?, ?, 0, x'00')",
            (KEY, first.revision, first.revision),
        )
        stranger.close()
        refused, taken = await asyncio.gather(
            log.append(KEY, lambda r: b"y", first.revision),
            log.append("/a/b/1", lambda r: b"z", 0),
            return_exceptions=True,
        )
        assert isinstance(refused, Mismatch)
        assert isinstance(taken, Record)


@pytest.mark.asyncio
@pytest.mark.parametrize(("limit", "sizes"), [(50, [50]), (20, [20, 20, 10])])
async def test_writers_of_one_turn_share_a_transaction(limit: int, sizes: list[int]) -> None:
    batches: list[int] = []
    loop = asyncio.get_running_loop()
    writes: list[Write] = []

    def committed(batch: Sequence[Write]) -> None:
        batches.append(len(batch))
        for write in batch:
            write.settle()

    writer = Writer(Database(":memory:", StoreSettings()), limit, committed)
    for i in range(2, 52):
        writes.append(Write(Record(i, f"/a/b/{i}", b"x", i, 0), loop.create_future()))
        writer.put(writes[-1])
    await asyncio.gather(*(write.done for write in writes))
    assert batches == sizes
    await writer.close()


@pytest.mark.asyncio
async def test_a_committed_row_is_not_seen_before_all_are_told_of_it(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path) as log:
        first = await log.append(KEY, lambda r: b"first", 0)
        write = asyncio.ensure_future(log.append("/a/b/new", lambda r: b"x", 0))
        change = asyncio.ensure_future(log.append(KEY, lambda r: b"second", first.revision))
        for _ in range(2):  # the rows are given, the rows are sent to the thread
            await turn()
        stranger = apsw.Connection(str(path))
        while stranger.execute("SELECT max(revision) FROM head").get == first.revision:
            pass  # and committed, while the event loop is held up here
        stranger.close()
        assert (log.revision, log.count("")) == (first.revision, 1)
        assert (log.get(KEY), log.get("/a/b/new")) == (first, None)
        assert (await log.list("")).records == [first]
        records = [await write, await change]
        assert (await log.list("")).records == records


@pytest.mark.asyncio
async def test_the_write_ahead_log_stays_small(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path, StoreSettings(checkpoint_pages=50)) as log:
        record = await log.append(KEY, lambda r: bytes(3000), 0)
        for _ in range(300):
            record = await log.append(KEY, lambda r: bytes(3000), record.revision)
            await log.list("")
        assert (tmp_path / "kedge.db-wal").stat().st_size < 100 * 4200
