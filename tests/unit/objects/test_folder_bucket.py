"""What is special about a bucket that is a folder: disks, links, leftovers, rights."""

import asyncio
import errno
import fcntl
import os
import stat
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kedge.objects.bucket import Bucket
from kedge.objects.errors import (
    BucketNotFound,
    ObjectNotFound,
    ObjectsError,
    PlaceError,
    Refused,
    StorageFull,
    Unreachable,
)
from kedge.objects.filesystem import FolderBucket
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place
from kedge.objects.signkey import NAME, make_key, read_key
from kedge.objects.spool import DRAFT, SPOOL, SpooledFile, sweep

NOW = datetime(2030, 1, 1, tzinfo=UTC)
MINUTES = timedelta(minutes=10)
NAMES = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/\\"),
    min_size=1,
    max_size=20,
).filter(lambda name: name not in (".", ".."))


def opened(root: Path, prefix: str = "", url: str = "http://kedge") -> Bucket:
    return open_bucket(Place("kedge.dev/filesystem", "b", prefix), Surroundings(root, url))


async def keys(bucket: Bucket) -> list[str]:
    return [key async for key in bucket.keys("")]


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@given(key=st.lists(NAMES, min_size=1, max_size=3).map("/".join), data=st.binary())
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_plain_key_is_kept_as_it_is(key: str, data: bytes, tmp_path: Path) -> None:
    async def run() -> None:
        bucket = opened(tmp_path, "p")
        await bucket.put(key, data)
        assert await keys(bucket) == [key]
        assert await bucket.get(key) == data
        await bucket.delete([key])
        assert await keys(bucket) == []

    asyncio.run(run())


@pytest.mark.asyncio
async def test_files_and_folders_are_nobody_elses(tmp_path: Path) -> None:
    root = tmp_path / "root"
    bucket = opened(root)
    await bucket.put("a/b", b"x")
    await bucket.sign("a/b", MINUTES, NOW)
    for path in [root, *root.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.asyncio
async def test_an_object_is_on_the_disk_before_it_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, rename = os.fsync, os.rename

    def seen(name: str, call: Callable[..., None]) -> Callable[..., None]:
        def wrapped(*args: object, **kwargs: object) -> None:
            done.append(name)
            call(*args, **kwargs)

        return wrapped

    bucket = opened(tmp_path)
    await bucket.put("a/first", b"x")
    monkeypatch.setattr(os, "fsync", seen("fsync", fsync))
    monkeypatch.setattr(os, "rename", seen("rename", rename))
    await bucket.put("a/b", b"x")
    assert done == ["fsync", "rename", "fsync"]


@pytest.mark.asyncio
@pytest.mark.parametrize("where", ["folder", "file"])
async def test_links_are_not_followed(tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    bucket = opened(tmp_path / "root")
    await bucket.put("inside/x", b"x")
    home = tmp_path / "root" / "b"
    if where == "folder":
        (home / "link").symlink_to(outside)
        key = "link/secret"
    else:
        (home / "inside" / "link").symlink_to(outside / "secret")
        key = "inside/link"
    with pytest.raises(Refused, match="link"):
        await bucket.get(key)
    if where == "folder":
        for use in (bucket.put("link/new", b"x"), bucket.delete([key])):
            with pytest.raises(Refused, match="link"):
                await use
        with pytest.raises(Refused, match="link"):
            await bucket.exists(key)
    else:
        assert not await bucket.exists(key)
        await bucket.delete([key])
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert await keys(bucket) == ["inside/x"]
    assert await bucket.folders() == ["inside"]


@pytest.mark.asyncio
async def test_a_put_replaces_a_link_and_not_what_it_leads_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"outside")
    bucket = opened(tmp_path / "root")
    await bucket.put("a/other", b"x")
    (tmp_path / "root" / "b" / "a" / "key").symlink_to(outside)
    await bucket.put("a/key", b"new")
    assert outside.read_bytes() == b"outside"
    assert await bucket.get("a/key") == b"new"


@pytest.mark.asyncio
async def test_a_bucket_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "b").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="link"):
        await opened(tmp_path / "root").put("k", b"x")


@pytest.mark.asyncio
async def test_a_pipe_is_no_object_and_holds_nobody_up(tmp_path: Path) -> None:
    bucket = opened(tmp_path)
    await bucket.put("a/x", b"x")
    os.mkfifo(tmp_path / "b" / "a" / "pipe")
    with pytest.raises(ObjectNotFound):
        await bucket.get("a/pipe")
    assert await keys(bucket) == ["a/x"]


@pytest.mark.asyncio
async def test_a_folder_of_the_users_must_be_there(tmp_path: Path) -> None:
    place = Place("kedge.dev/filesystem", "b", "", {"path": str(tmp_path / "disk")})
    bucket = open_bucket(place, Surroundings(tmp_path / "own"))
    for use in (bucket.put("k", b"x"), bucket.folders(), bucket.exists("k"), bucket.get("k")):
        with pytest.raises(BucketNotFound, match="mount the disk"):
            await use
    assert not (tmp_path / "disk").exists()
    (tmp_path / "disk" / "b").mkdir(parents=True)
    await bucket.put("k", b"x")
    assert (tmp_path / "disk" / "b" / "k").read_bytes() == b"x"


@pytest.mark.asyncio
async def test_empty_folders_are_not_seen(tmp_path: Path) -> None:
    bucket = opened(tmp_path)
    await bucket.put("backups/a/x", b"x")
    (tmp_path / "b" / "lost" / "deep").mkdir(parents=True)
    assert await bucket.folders() == ["backups"]


@pytest.mark.asyncio
async def test_the_place_of_unfinished_files_is_hidden_and_taken(tmp_path: Path) -> None:
    bucket = opened(tmp_path)
    await bucket.put("k", b"x")
    (tmp_path / "b" / SPOOL / "left").write_bytes(b"half")
    assert await keys(bucket) == ["k"]
    assert await bucket.folders() == []
    with pytest.raises(Refused):
        await bucket.get(f"{SPOOL}/left")
    with pytest.raises(PlaceError):
        opened(tmp_path, f"/{SPOOL}/x")


@pytest.mark.asyncio
async def test_what_a_killed_process_left_is_swept_and_what_lives_is_not(tmp_path: Path) -> None:
    await opened(tmp_path).put("k", b"x")
    spool = tmp_path / "b" / SPOOL
    (spool / f"{DRAFT}dead").write_bytes(b"half")
    with (spool / f"{DRAFT}alive").open("wb") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        await opened(tmp_path).put("k2", b"x")
        assert [path.name for path in spool.iterdir()] == [f"{DRAFT}alive"]
    assert sweep(tmp_path / "b") == 1
    assert sweep(tmp_path / "missing") == 0


@pytest.mark.asyncio
async def test_nothing_is_left_of_a_put_that_fails(tmp_path: Path) -> None:
    bucket = opened(tmp_path)

    async def failing() -> AsyncIterator[bytes]:
        yield b"x" * 3_000_000
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError):
        await bucket.put("a/k", failing())
    assert files_of(tmp_path) == []


@pytest.mark.asyncio
async def test_a_folder_that_is_pruned_while_a_file_is_moved_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    file = SpooledFile(tmp_path)
    (tmp_path / "f").rmdir()
    file.move(["f"], "name")
    file.drop()
    assert (tmp_path / "f" / "name").read_bytes() == b""


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, StorageFull),
        (errno.EDQUOT, StorageFull),
        (errno.EACCES, Refused),
        (errno.EROFS, Refused),
        (errno.EIO, Unreachable),
        (errno.ESTALE, Unreachable),
        (errno.EMFILE, ObjectsError),
    ],
)
async def test_what_the_system_says_is_understood(
    number: int, kind: type[ObjectsError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = opened(tmp_path)
    await bucket.put("old", b"x")

    def failing(*args: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", failing)
    with pytest.raises(kind, match=f"'new'.*{os.strerror(number)}") as caught:
        await bucket.put("new", b"x")
    assert type(caught.value) is kind
    monkeypatch.undo()
    assert await keys(bucket) == ["old"]
    assert list((tmp_path / "b" / SPOOL).iterdir()) == []


@pytest.mark.asyncio
async def test_an_object_where_a_folder_is_says_so(tmp_path: Path) -> None:
    bucket = opened(tmp_path)
    await bucket.put("a/b", b"x")
    with pytest.raises(ObjectsError, match="'a'"):
        await bucket.put("a", b"x")
    with pytest.raises(ObjectsError, match="a/b/c"):
        await bucket.put("a/b/c", b"x")
    assert await keys(bucket) == ["a/b"]


@pytest.mark.asyncio
async def test_without_an_address_there_is_no_url(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="address"):
        await opened(tmp_path, url="").sign("k", MINUTES, NOW)


def test_the_key_is_made_once_and_kept(tmp_path: Path) -> None:
    assert read_key(tmp_path) is None
    key = make_key(tmp_path)
    assert len(key) == 32
    assert make_key(tmp_path) == read_key(tmp_path) == key
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_key_that_was_cut_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"short")
    assert len(make_key(tmp_path)) == 32


def test_a_bucket_names_its_folder(tmp_path: Path) -> None:
    assert str(FolderBucket(tmp_path, "b", "p", "", make=True)) == str(tmp_path / "b" / "p")


@pytest.mark.parametrize(
    ("bucket", "config", "text"),
    [
        ("a/b", {}, "no name of a folder"),
        ("..", {}, "no name of a folder"),
        (".kedge", {}, "no name of a folder"),
        ("b", {"path": "relative"}, "must start with a slash"),
        ("b", {"pth": "/x"}, "unknown key 'pth'; kedge.dev/filesystem takes: path"),
        ("", {}, "bucket is missing"),
    ],
)
def test_a_folder_that_makes_no_sense_is_refused(
    bucket: str, config: dict[str, str], text: str, tmp_path: Path
) -> None:
    with pytest.raises(PlaceError, match=text):
        open_bucket(Place("kedge.dev/filesystem", bucket, "", config), Surroundings(tmp_path))


def test_a_server_without_a_folder_needs_a_path() -> None:
    with pytest.raises(PlaceError, match=r"config\.path is missing"):
        open_bucket(Place("kedge.dev/filesystem", "b"), Surroundings())


def test_an_unknown_provider_is_told_with_the_known_ones() -> None:
    with pytest.raises(PlaceError, match=r"'ftp'; known are: aws, velero.io/aws, .*filesystem"):
        open_bucket(Place("ftp", "b"), Surroundings())


@pytest.mark.asyncio
async def test_a_name_that_no_file_can_have_names_nothing(tmp_path: Path) -> None:
    bucket = opened(tmp_path)
    await bucket.put("backups/a/kept", b"kept")
    for key in (f"backups/a/{'n' * 256}", f"backups/{'n' * 256}/a"):
        assert not await bucket.exists(key)
        with pytest.raises(ObjectNotFound):
            await bucket.get(key)
        await bucket.delete([key])
        assert [one async for one in bucket.keys(key)] == []
        assert await bucket.folders(key) == []
        with pytest.raises(PlaceError, match="bytes are too many for the name of a file, which"):
            await bucket.put(key, b"x")
    assert await keys(bucket) == ["backups/a/kept"]


@pytest.mark.asyncio
async def test_names_of_all_bytes_that_a_file_system_takes_are_kept(tmp_path: Path) -> None:
    longest = "\u00e9" * 127 + "x"
    assert len(longest.encode()) == os.pathconf(tmp_path, "PC_NAME_MAX")
    bucket = opened(tmp_path)
    await bucket.put(longest, b"whole")
    assert await bucket.get(longest) == b"whole"
    assert await keys(bucket) == [longest]


@pytest.mark.asyncio
async def test_a_name_that_is_too_long_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    asked: list[str] = []

    async def data() -> AsyncIterator[bytes]:
        asked.append("for data")
        yield b""

    name = "n" * 256
    with pytest.raises(PlaceError) as refused:
        await opened(tmp_path).put(f"backups/x/{name}", data())
    assert str(refused.value).endswith(
        "256 bytes are too many for the name of a file, which can have 255 here; use a shorter name"
    )
    assert not asked
    assert not files_of(tmp_path)
