import os
import stat
from pathlib import Path

import apsw
import pytest

from kedge.store import Log, StoreCorrupt, StoreError, StoreForeign, StoreLocked, schema
from kedge.store.schema import APPLICATION_ID, VERSION

KEY = "/apps/deployments/ns/one"


@pytest.mark.asyncio
async def test_what_was_written_is_there_after_closing_and_opening(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path) as log:
        record = await log.append(KEY, lambda r: b"x", 0)
        newer = await log.append(KEY, lambda r: b"y", record.revision)
        await log.compact(record.revision)
    async with Log.open(str(path)) as log:
        assert log.get(KEY) == newer
        assert (log.revision, log.compacted) == (newer.revision, record.revision)


@pytest.mark.asyncio
async def test_closing_leaves_nothing_but_the_file_and_its_lock(tmp_path: Path) -> None:
    async with Log.open(tmp_path / "kedge.db") as log:
        await log.append(KEY, lambda r: b"x", 0)
    assert sorted(os.listdir(tmp_path)) == ["kedge.db", "kedge.db.lock"]


@pytest.mark.asyncio
async def test_only_the_owner_may_read_the_files(tmp_path: Path) -> None:
    async with Log.open(tmp_path / "kedge.db") as log:
        await log.append(KEY, lambda r: b"x", 0)
        names = sorted(os.listdir(tmp_path))
        modes = {stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in names}
    assert names == ["kedge.db", "kedge.db-shm", "kedge.db-wal", "kedge.db.lock"]
    assert modes == {0o600}


@pytest.mark.asyncio
async def test_memory_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with Log.open(":memory:") as log, Log.open(":memory:") as other:
        await log.append(KEY, lambda r: b"x", 0)
        assert other.get(KEY) is None
        assert len(os.listdir(tmp_path)) == 2
    assert os.listdir(tmp_path) == []


@pytest.mark.asyncio
async def test_a_file_in_use_is_refused_and_its_user_not_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    async with Log.open(path) as log:
        for _ in range(2):
            with pytest.raises(StoreLocked, match=r"kedge\.db is in use by another process"):
                Log.open(path)
        await log.append(KEY, lambda r: b"x", 0)
    await Log.open(path).close()


@pytest.mark.asyncio
async def test_the_file_says_whose_it_is(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    await Log.open(path).close()
    header = path.read_bytes()[:100]
    assert header[68:72] == b"KEDG"
    assert int.from_bytes(header[60:64], "big") == VERSION


async def write_one(path: Path) -> None:
    async with Log.open(path) as log:
        await log.append(KEY, lambda r: b"x", 0)


def scribble(path: Path, sql: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


@pytest.mark.asyncio
async def test_an_older_file_is_brought_up_to_date_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    await write_one(path)
    connection = apsw.Connection(str(path))
    newer = (*schema.STEPS, "CREATE TABLE added (x ANY) STRICT")
    newest = (*schema.STEPS, "not done again", "ALTER TABLE log ADD COLUMN added INTEGER")

    for steps in (newer, newer, newest, newest):
        schema.prepare(connection, str(path), steps)

    assert connection.pragma("user_version") == VERSION + 2
    assert connection.execute("SELECT key, added FROM log").fetchall() == [(KEY, None)]
    connection.close()


@pytest.mark.asyncio
async def test_an_update_that_fails_leaves_the_older_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    await write_one(path)
    connection = apsw.Connection(str(path))

    with pytest.raises(apsw.SQLError):
        schema.prepare(connection, str(path), (*schema.STEPS, "DROP TABLE head; nonsense"))

    assert connection.pragma("user_version") == VERSION
    connection.close()
    async with Log.open(path) as log:
        assert log.get(KEY) is not None


@pytest.mark.asyncio
async def test_a_file_of_a_newer_kedge_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    await Log.open(path).close()
    scribble(path, f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreForeign, match=f"schema version {VERSION + 1}.*use the version"):
        Log.open(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    scribble(path, "CREATE TABLE theirs (x)")
    with pytest.raises(StoreForeign, match="another program"):
        Log.open(path)
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("theirs",)]
    assert connection.pragma("application_id") != APPLICATION_ID
    connection.close()


@pytest.mark.asyncio
async def test_a_creation_that_was_cut_short_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    scribble(path, "PRAGMA journal_mode = wal")
    async with Log.open(path) as log:
        await log.append(KEY, lambda r: b"x", 0)


def test_a_file_that_is_no_database_is_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    path.write_bytes(b"not a database, but long enough for a header" * 100)
    with pytest.raises(StoreCorrupt, match=r"kedge\.db is damaged .*keep a copy.*\.recover"):
        Log.open(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot open .*missing/kedge\.db"):
        Log.open(tmp_path / "missing" / "kedge.db")


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=f"cannot open {tmp_path}"):
        Log.open(tmp_path)


@pytest.mark.asyncio
async def test_an_opening_that_failed_lets_go_of_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    path.write_bytes(b"not a database, but long enough for a header" * 100)
    with pytest.raises(StoreCorrupt):
        Log.open(path)
    path.unlink()
    await Log.open(path).close()
