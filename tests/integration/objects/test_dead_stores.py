"""Stores that are down, silent, full or odd: a clear error within a bounded time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from kedge.engine.storage import store
from kedge.engine.storage.store import BackupStore
from kedge.objects import remote, web
from kedge.objects.bucket import Bucket
from kedge.objects.errors import (
    BucketNotFound,
    ObjectsError,
    PlaceError,
    Refused,
    StorageFull,
    Unreachable,
)
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place
from tests.integration.eventually import pause
from tests.integration.objects.azurite import Azurite
from tests.integration.objects.seaweed import profile

MODIFIED = "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT"
DROP_SECONDS = 0.02
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]


def s3_at(url: str) -> Bucket:
    config = {"s3Url": url, "s3ForcePathStyle": "true"}
    return open_bucket(Place("aws", "bucket", "", config, profile("k", "hush")), Surroundings())


@asynccontextmanager
async def saying(answer: bytes | None, drop: bytes = b"") -> AsyncIterator[str]:
    """Run a server that says this to every request, or nothing at all; a drop again and again."""
    writers = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        while await reader.read(65536):
            if answer is not None:
                writer.write(answer)
                while drop and not writer.is_closing():
                    writer.write(drop)
                    await pause(DROP_SECONDS)
                writer.close()
                return

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await server.wait_closed()
        # Somebody may be coming in at this moment, and what nobody reads would keep one open.
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for writer in writers:
                writer.transport.abort()
            await asyncio.wait(others, timeout=DROP_SECONDS)
        for writer in writers:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()


def reply(status: str, body: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return (head + body).encode()


def xml(code: str, message: str) -> str:
    return f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"


@pytest.mark.asyncio
async def test_a_store_that_is_down_is_unreachable() -> None:
    with pytest.raises(Unreachable, match="connection refused"):
        await s3_at("http://127.0.0.1:1").put("a", b"x")


@pytest.mark.asyncio
async def test_a_host_that_does_not_exist_is_told() -> None:
    with pytest.raises(Unreachable, match="no such host"):
        await s3_at("http://kedge.invalid").folders()


@pytest.mark.asyncio
async def test_a_silent_store_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "SILENCE", timedelta(milliseconds=200))
    monkeypatch.setattr(web, "RETRY_FOR", timedelta(milliseconds=300))
    async with saying(None) as url:
        bucket = s3_at(url)
        for use in (bucket.put("a", b"x"), bucket.get("a"), bucket.folders()):
            with pytest.raises(Unreachable, match="no answer in time"):
                await use


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        pytest.param(reply("507 Full", "x"), StorageFull, "507", id="507"),
        pytest.param(
            reply("403 No", xml("QuotaExceeded", "enough")), StorageFull, "enough", id="quota"
        ),
        pytest.param(
            reply("400 No", xml("XMinioStorageFull", "full")), StorageFull, "full", id="minio"
        ),
        pytest.param(reply("401 Who", ""), Refused, "401", id="401"),
        pytest.param(
            reply("400 No", xml("ExpiredToken", "too old")), Refused, "too old", id="expired token"
        ),
        pytest.param(
            reply("400 No", xml("AuthorizationHeaderMalformed", "expecting eu-west-1")),
            PlaceError,
            "eu-west-1; is config.region right",
            id="region",
        ),
        pytest.param(
            reply("404 No", xml("NoSuchBucket", "no bucket")), BucketNotFound, "bucket", id="bucket"
        ),
        pytest.param(reply("418 Teapot", "<html>"), ObjectsError, "418", id="teapot"),
    ],
)
async def test_what_a_store_says_is_understood(
    answer: bytes, kind: type[ObjectsError], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "RETRIES", 1)
    async with saying(answer) as url:
        with pytest.raises(kind, match=text) as caught:
            await s3_at(url).put("a", b"x")
        assert type(caught.value) is kind
        assert "hush" not in str(caught.value)


@pytest.mark.asyncio
async def test_an_answer_that_ends_early_is_no_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "RETRIES", 1)
    head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\nETag: "x"\r\n'
    early = head + f"{MODIFIED}\r\n\r\nabc"
    async with saying(early.encode()) as url:
        with pytest.raises(ObjectsError):
            await s3_at(url).get("a")


@pytest.mark.asyncio
async def test_a_list_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store may be a tenant's own work, and others wait while it is looked at."""
    monkeypatch.setattr(remote, "LISTING_SECONDS", 0.3)
    more = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
    page = f"<ListBucketResult>{more}</ListBucketResult>"
    async with saying(reply("200 OK", page)) as url:
        with pytest.raises(Unreachable, match=r"listing '/' .*: no end after 0.3 seconds"):
            await s3_at(url).folders()


@pytest.mark.asyncio
async def test_a_file_that_comes_letter_by_letter_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store, "WHOLE_SECONDS", 0.3)
    head = 'HTTP/1.1 200 OK\r\nContent-Length: 9000\r\nETag: "x"\r\n'
    async with saying((head + f"{MODIFIED}\r\n\r\n").encode(), drop=b" ") as url:
        with pytest.raises(Unreachable, match=r"velero-backup.json': no end after 0.3 seconds"):
            await BackupStore(s3_at(url)).metadata("nightly")


@pytest.mark.asyncio
async def test_a_cancelled_request_to_a_silent_store_ends() -> None:
    async with saying(None) as url:
        task = asyncio.ensure_future(s3_at(url).get("a"))
        await asyncio.wait((task,), timeout=0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.asyncio
async def test_a_wrong_key_of_azure_is_refused(azure: Azurite) -> None:
    azure.make("refused")
    right = azure.place("refused")
    await open_bucket(right, Surroundings()).put("object", b"x")
    bucket = open_bucket(replace(right, credentials=b"THE_KEY=d3Jvbmc="), Surroundings())
    for use in (
        bucket.put("a", b"x"),
        bucket.get("object"),
        bucket.exists("object"),
        bucket.folders(),
        bucket.delete(["object"]),
    ):
        with pytest.raises(Refused):
            await use


@pytest.mark.asyncio
async def test_a_container_that_is_missing_is_not_an_empty_one(azure: Azurite) -> None:
    bucket = open_bucket(azure.place("no-such-container"), Surroundings())
    for use in (bucket.put("a", b"x"), bucket.get("a"), bucket.folders()):
        with pytest.raises(BucketNotFound, match="no-such-container"):
            await use
