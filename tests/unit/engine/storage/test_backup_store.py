"""Backups and restores in a bucket: found, checked, read, and deleted in the right order."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kedge.archive import layout
from kedge.engine.storage import store as module
from kedge.engine.storage.errors import ContentError, LocationError
from kedge.engine.storage.store import BackupStore
from kedge.objects.errors import ObjectNotFound, PlaceError, Unreachable
from kedge.objects.open import Surroundings
from kedge.objects.place import Place
from kedge.testing import FakeClock
from kedge.testing.faults import Side
from kedge.testing.objects import FaultyStorage


@pytest.fixture
def storage() -> FaultyStorage:
    """Give storage that can fail."""
    return FaultyStorage()


@pytest.fixture
def store(storage: FaultyStorage, tmp_path: Path) -> BackupStore:
    """Give a store in a folder."""
    place = Place("kedge.dev/filesystem", "b", "pre")
    return BackupStore(storage.open(place, Surroundings(tmp_path, "http://kedge")))


async def put_backup(store: BackupStore, name: str) -> None:
    for key in (layout.backup_contents(name), layout.backup_log(name), f"backups/{name}/deep/er"):
        await store.put_file(key, b"x")
    await store.put_file(
        layout.backup_metadata(name), b'{"metadata": {"name": "%s"}}' % name.encode()
    )


async def keys(store: BackupStore) -> list[str]:
    return sorted([key async for key in store.bucket.keys("")])


@pytest.mark.asyncio
async def test_an_empty_bucket_is_one_for_backups(store: BackupStore) -> None:
    await store.check()
    assert await store.backups() == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("folders", "message"),
    [
        (sorted(layout.TOP_LEVEL), ""),
        (["backups", "other"], "Backup store contains invalid top-level directories: [other]"),
        (["a", "b", "c"], "Backup store contains invalid top-level directories: [a b c]"),
        (
            ["a", "b", "c", "d", "restores"],
            "Backup store contains 4 invalid top-level directories: [a b c ...]",
        ),
    ],
)
async def test_folders_that_are_not_veleros_are_told(
    store: BackupStore, folders: list[str], message: str
) -> None:
    await store.put_file("a-file", b"")
    for folder in folders:
        await store.put_file(f"{folder}/x", b"")
    if not message:
        await store.check()
        return
    with pytest.raises(LocationError) as caught:
        await store.check()
    assert str(caught.value) == message


@pytest.mark.asyncio
async def test_a_backup_is_there_when_its_metadata_is(store: BackupStore) -> None:
    await store.put_file(layout.backup_contents("half"), b"x")
    await put_backup(store, "whole")
    assert await store.backups() == ["half", "whole"]
    assert not await store.has_backup("half")
    assert await store.has_backup("whole")
    assert await store.metadata("whole") == {"metadata": {"name": "whole"}}
    with pytest.raises(ObjectNotFound):
        await store.metadata("half")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "not JSON"),
        (b"[]", "no JSON object"),
        (b"\xff", "not JSON"),
        (b"[" * 9999, "not JSON"),
    ],
)
async def test_metadata_that_is_none_is_told(store: BackupStore, text: bytes, message: str) -> None:
    await store.put_file(layout.backup_metadata("b"), text)
    with pytest.raises(ContentError, match=f"backups/b/velero-backup.json.*{message}"):
        await store.metadata("b")


@pytest.mark.asyncio
async def test_metadata_is_not_read_without_end(
    store: BackupStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST_METADATA", 1000)
    await store.put_file(layout.backup_metadata("b"), b" " * 1001)
    with pytest.raises(ContentError, match="larger than 1000 bytes"):
        await store.metadata("b")


@pytest.mark.asyncio
async def test_files_are_stored_streamed_and_read(store: BackupStore) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"one"
        yield b"two"

    await store.put_file("backups/b/f", pieces())
    assert b"".join([piece async for piece in store.read_file("backups/b/f")]) == b"onetwo"
    url = await store.sign("backups/b/f", FakeClock().now())
    assert "/objects/b/pre/backups/b/f?expires=1893456600&" in url


@pytest.mark.asyncio
async def test_a_backup_is_deleted_whole_and_alone(
    store: BackupStore, storage: FaultyStorage
) -> None:
    for name in ("b", "b2", "other"):
        await put_backup(store, name)
    storage.requests.clear()
    await store.delete_backup("b")
    assert await store.backups() == ["b2", "other"]
    assert storage.requests[0] == "delete backups/b/velero-backup.json"
    await store.delete_backup("b")
    assert await store.backups() == ["b2", "other"]


@pytest.mark.asyncio
async def test_whenever_deleting_stops_there_is_no_backup_and_it_can_go_on(
    store: BackupStore, storage: FaultyStorage
) -> None:
    for side in Side:
        for nth in range(1, 6):
            await put_backup(store, "b")
            storage.fail(nth, side)
            with pytest.raises(Unreachable):
                await store.delete_backup("b")
            if (nth, side) != (1, Side.BEFORE):
                assert not await store.has_backup("b")
            await store.delete_backup("b")
            assert await keys(store) == []


@pytest.mark.asyncio
async def test_a_restore_is_deleted_whole_and_alone(store: BackupStore) -> None:
    await store.put_file(layout.restore_log("r"), b"")
    await store.put_file(layout.restore_results("r"), b"")
    await store.put_file(layout.restore_log("r2"), b"")
    await store.delete_restore("r")
    assert await keys(store) == [layout.restore_log("r2")]


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["", "/", "a/b", ".", "..", "../restores"])
async def test_a_name_that_is_none_deletes_nothing(store: BackupStore, name: str) -> None:
    await put_backup(store, "b")
    before = await keys(store)
    for use in (store.delete_backup(name), store.delete_restore(name), store.has_backup(name)):
        with pytest.raises(PlaceError):
            await use
    assert await keys(store) == before
