import asyncio
from pathlib import Path

import apsw
import pytest

from kedge.store import Compacted, Log, StoreSettings

KEY = "/apps/deployments/ns/one"


async def history(log: Log, key: str, length: int) -> list[int]:
    record = await log.append(key, lambda r: b"x", 0)
    revisions = [record.revision]
    for _ in range(length - 1):
        record = await log.append(key, lambda r: b"x", record.revision)
        revisions.append(record.revision)
    return revisions


def rows(path: Path) -> dict[str, int]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    counts = {t: connection.execute(f"SELECT count(*) FROM {t}").get for t in ("log", "head")}
    connection.close()
    return counts


@pytest.mark.asyncio
async def test_compaction_keeps_what_exists_and_drops_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path, StoreSettings(compact_revisions=3)) as log:
        revisions = await history(log, KEY, 10)
        for name in ("dead", "reborn"):
            await history(log, f"/a/b/{name}", 3)
            current = log.get(f"/a/b/{name}")
            assert current is not None
            await log.delete(current.key, lambda r: b"last", current.revision)
        await history(log, "/a/b/reborn", 2)
        assert rows(path) == {"log": 20, "head": 3}
        await log.compact(revisions[4])
        assert rows(path) == {"log": 16, "head": 3}
        await log.compact(log.revision)
        assert rows(path) == {"log": 2, "head": 2}
        assert [r.key for r in (await log.list("")).records] == ["/a/b/reborn", KEY]
        assert log.previous((await log.list(KEY)).records[0]) is None


@pytest.mark.asyncio
async def test_compaction_never_goes_back(log: Log) -> None:
    revisions = await history(log, KEY, 5)
    await log.compact(revisions[3])
    await log.compact(revisions[1])
    assert log.compacted == revisions[3]
    with pytest.raises(Compacted):
        await log.changes("", revisions[1], log.revision)


@pytest.mark.asyncio
async def test_revisions_are_not_used_twice_when_the_newest_row_was_compacted(
    tmp_path: Path,
) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path) as log:
        born = await log.append(KEY, lambda r: b"x", 0)
        gone = await log.delete(KEY, lambda r: b"x", born.revision)
        await log.compact(gone.revision)
    async with Log.open(path) as log:
        assert log.revision == log.compacted == gone.revision
        again = await log.append(KEY, lambda r: b"x", 0)
        assert again.revision > gone.revision
        assert again.previous == 0


@pytest.mark.asyncio
async def test_a_list_under_way_is_finished_before_its_rows_are_removed(log: Log) -> None:
    for i in range(100):
        await history(log, f"/a/b/{i:02}", 1)
    at = log.revision
    await log.compact(at)
    wanted = (await log.list("")).records
    for record in reversed(wanted):  # what the list reads last shall be in danger first
        await log.delete(record.key, lambda r: b"last", record.revision)
    page, changed, _ = await asyncio.gather(
        log.list("", at=at), log.changes("", at, log.revision), log.compact(log.revision)
    )
    assert page.records == wanted
    assert len(changed) == 100
    with pytest.raises(Compacted):
        await log.list("", at=at)


@pytest.mark.asyncio
async def test_writers_and_compaction_do_not_disturb_each_other(log: Log) -> None:
    await history(log, "/a/b/0", 30)

    async def write(name: str) -> None:
        await history(log, f"/a/b/{name}", 20)

    until = log.revision
    await asyncio.gather(
        log.compact(until), log.compact(until - 10), *(write(f"w{i}") for i in range(5))
    )
    assert log.compacted == until
    assert log.count("") == 6
    assert len(await log.changes("", until, log.revision)) == 100


@pytest.mark.asyncio
async def test_compaction_continues_where_a_failed_one_stopped(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path, StoreSettings(compact_revisions=2)) as log:
        await history(log, KEY, 20)
        compaction = asyncio.ensure_future(log.compact(log.revision))
        await asyncio.wait([compaction], timeout=0)
        compaction.cancel()
        await asyncio.wait([compaction])
        assert rows(path)["log"] > 1
        await log.compact(log.revision)
        assert rows(path)["log"] == 1
