"""What a bucket does, whoever keeps it."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from kedge.objects.bucket import Bucket
from kedge.objects.errors import ObjectNotFound, PlaceError
from tests.integration.objects.conftest import Home

MIB = 1024 * 1024
AWKWARD = [
    "with blank",
    "ümläut/😀",
    "a#b",
    "a%b",
    "a%2fb",
    "a?b=c&d",
    "a+b",
    "a*b",
    "~tilde",
    "quote'and\"quote",
    "{braces}[brackets]<angles>",
    "semi;colon:at@comma,dollar$",
    "pipe|caret^tick`",
    ".hidden",
    "ends.",
    "...",
]


async def keys(bucket: Bucket, folder: str = "") -> list[str]:
    return sorted([key async for key in bucket.keys(folder)])


async def stream(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "data", [b"", b"x", b"\x00\xff" * 1000], ids=["empty", "one byte", "bytes"]
)
async def test_what_is_put_can_be_read(home: Home, data: bytes) -> None:
    bucket = home.open()
    await bucket.put("a/object", data)
    assert await bucket.get("a/object") == data
    assert b"".join([piece async for piece in bucket.read("a/object")]) == data
    assert await bucket.exists("a/object")


@pytest.mark.asyncio
async def test_a_stream_larger_than_a_part_arrives_whole(home: Home) -> None:
    bucket = home.open("some/prefix")
    pieces = [bytes([number]) * 777_777 for number in range(16)]
    await bucket.put("large", stream(*pieces, b""))
    read = [piece async for piece in bucket.read("large")]
    assert b"".join(read) == b"".join(pieces)
    assert max(map(len, read)) <= 4 * MIB


@pytest.mark.asyncio
async def test_bytes_larger_than_a_part_arrive_whole(home: Home) -> None:
    bucket = home.open()
    data = bytes(range(256)) * 4096 * 13
    await bucket.put("large", data)
    assert await bucket.get("large") == data


@pytest.mark.asyncio
async def test_an_empty_stream_is_an_empty_object(home: Home) -> None:
    bucket = home.open()
    await bucket.put("empty", stream())
    assert await bucket.get("empty") == b""


@pytest.mark.asyncio
async def test_a_second_put_replaces_the_first(home: Home) -> None:
    bucket = home.open()
    await bucket.put("object", b"a long first text")
    await bucket.put("object", b"second")
    assert await bucket.get("object") == b"second"
    assert await keys(bucket) == ["object"]


@pytest.mark.asyncio
async def test_what_is_not_there_is_told(home: Home) -> None:
    bucket = home.open()
    await bucket.put("there/is", b"something")
    for key in ("missing", "there", "there/is/not", "there/was"):
        with pytest.raises(ObjectNotFound, match=key):
            await bucket.get(key)
        with pytest.raises(ObjectNotFound, match=key):
            await anext(bucket.read(key))
        assert not await bucket.exists(key)


@pytest.mark.asyncio
async def test_folders_are_told_apart_by_whole_names(home: Home) -> None:
    bucket = home.open("p")
    for key in ("backups/a/1", "backups/a/2", "backups/ab/1", "backups/file", "restores/r/1"):
        await bucket.put(key, b"x")
    assert await bucket.folders() == ["backups", "restores"]
    assert await bucket.folders("backups") == await bucket.folders("backups/") == ["a", "ab"]
    assert await keys(bucket, "backups/a/") == ["backups/a/1", "backups/a/2"]
    assert await keys(bucket, "backups/a") == ["backups/a/1", "backups/a/2"]
    assert await keys(bucket, "backups/missing/") == []
    assert await bucket.folders("missing") == []
    assert len(await keys(bucket)) == 5


@pytest.mark.asyncio
async def test_a_prefix_sees_nothing_of_another(home: Home) -> None:
    one, other = home.open("one"), home.open("one/more/")
    await one.put("key", b"one")
    await other.put("key", b"other")
    assert await keys(one) == ["key", "more/key"]
    assert await keys(other) == ["key"]
    assert await other.get("key") == b"other"
    await other.delete(["key"])
    assert await one.get("key") == b"one"
    assert await keys(one) == ["key"]


@pytest.mark.asyncio
async def test_deleting_takes_what_is_there_and_minds_not_what_is_missing(home: Home) -> None:
    bucket = home.open()
    await bucket.put("backups/a/1", b"x")
    await bucket.put("backups/a/2", b"x")
    await bucket.delete(["backups/a/1", "backups/a/missing", "missing/too", "backups/a/2"])
    assert await keys(bucket) == []
    if home.provider != "s3":  # SeaweedFS shows empty folders for a while
        assert await bucket.folders() == []
    await bucket.delete([])


@pytest.mark.asyncio
@pytest.mark.parametrize("before", [10, 12 * MIB], ids=["before a part", "after two parts"])
async def test_data_that_fails_leaves_what_was_there(home: Home, before: int) -> None:
    bucket = home.open()
    await bucket.put("object", b"old")

    async def failing() -> AsyncIterator[bytes]:
        yield b"n" * before
        raise RuntimeError("the source broke")

    for key in ("object", "new"):
        with pytest.raises(RuntimeError, match="the source broke"):
            await bucket.put(key, failing())
    assert await bucket.get("object") == b"old"
    assert await keys(bucket) == ["object"]


@pytest.mark.asyncio
async def test_a_cancelled_put_leaves_what_was_there(home: Home) -> None:
    bucket = home.open()
    await bucket.put("object", b"old")
    sent = asyncio.Event()

    async def stuck() -> AsyncIterator[bytes]:
        yield b"n" * 12 * MIB
        sent.set()
        await asyncio.Event().wait()

    for key in ("object", "new"):
        sent.clear()
        task = asyncio.ensure_future(bucket.put(key, stuck()))
        await asyncio.wait_for(sent.wait(), 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await bucket.get("object") == b"old"
    assert await keys(bucket) == ["object"]


@pytest.mark.asyncio
async def test_awkward_keys_are_kept_as_they_are(home: Home) -> None:
    bucket = home.open("p")
    for key in AWKWARD:
        await bucket.put(f"f/{key}", key.encode())
    assert await keys(bucket, "f") == sorted(f"f/{key}" for key in AWKWARD)
    for key in AWKWARD:
        assert await bucket.get(f"f/{key}") == key.encode()
    await bucket.delete([f"f/{key}" for key in AWKWARD])
    assert await keys(bucket) == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "key",
    [
        "",
        "/a",
        "a/",
        "a//b",
        "../a",
        "a/../../b",
        "a/.",
        ".",
        "..",
        "a\x00",
        "a\nb",
        "a\\b",
        "\ud800",
    ],
)
async def test_keys_that_are_no_plain_paths_are_refused(home: Home, key: str) -> None:
    bucket = home.open("p")
    for use in (bucket.put(key, b""), bucket.get(key), bucket.exists(key), bucket.delete([key])):
        with pytest.raises(PlaceError):
            await use


@pytest.mark.asyncio
async def test_many_puts_at_once_do_not_meet(home: Home) -> None:
    bucket = home.open()
    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(bucket.put(f"f{number % 3}/{number}", f"{number}".encode()))
    assert len(await keys(bucket)) == 20
    assert [await bucket.get(f"f{number % 3}/{number}") for number in range(20)] == [
        f"{number}".encode() for number in range(20)
    ]
