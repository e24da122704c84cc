"""Settings and credentials of S3, against a server that checks them."""

import asyncio
import itertools
import json
import urllib.request
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kedge.aio.clock import SystemClock
from kedge.objects.bucket import Bucket
from kedge.objects.errors import BucketNotFound, ObjectsError, Refused, Unreachable
from kedge.objects.open import Surroundings, open_bucket
from tests.integration.objects.seaweed import (
    KEY,
    READER,
    READER_SECRET,
    SECRET,
    Seaweed,
    profile,
)

MIB = 1024 * 1024
_NUMBERS = itertools.count(1)


@pytest.fixture
def name() -> str:
    """Name a bucket that nobody else uses."""
    return f"settings-{next(_NUMBERS)}"


def opened(
    server: Seaweed, name: str, config: Mapping[str, str] | None = None, creds: bytes | None = None
) -> Bucket:
    return open_bucket(server.place(name, "p", config, creds), Surroundings())


async def every_verb(bucket: Bucket) -> list[ObjectsError | None]:
    """Try all verbs, and give what each raised."""
    now = SystemClock().now()
    raised: list[ObjectsError | None] = []
    for use in (
        bucket.put("new", b"x"),
        bucket.get("object"),
        bucket.exists("object"),
        bucket.folders(),
        bucket.delete(["object"]),
    ):
        try:
            await use
            raised.append(None)
        except ObjectsError as exc:
            raised.append(exc)
    assert await bucket.sign("object", timedelta(minutes=1), now)
    return raised


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "credentials",
    [profile(KEY, "not the secret"), profile("nobody", SECRET)],
    ids=["wrong secret", "unknown key"],
)
async def test_wrong_credentials_are_refused_by_every_verb(
    s3: Seaweed, name: str, credentials: bytes
) -> None:
    await opened(s3, name).put("object", b"x")
    for error in await every_verb(opened(s3, name, creds=credentials)):
        assert isinstance(error, Refused)
        assert "not the secret" not in str(error)
        assert name in str(error)


@pytest.mark.asyncio
async def test_who_may_only_read_is_refused_to_write(s3: Seaweed, name: str) -> None:
    await opened(s3, name).put("object", b"x")
    reader = opened(s3, name, creds=profile(READER, READER_SECRET))
    kinds = [type(error) for error in await every_verb(reader)]
    assert kinds == [Refused, type(None), type(None), type(None), Refused]
    assert await reader.get("object") == b"x"


@pytest.mark.asyncio
async def test_a_bucket_that_is_missing_is_not_an_empty_one(s3: Seaweed) -> None:
    bucket = opened(s3, "no-such-bucket")
    for use in (bucket.get("a"), bucket.folders(), bucket.delete(["a"])):
        with pytest.raises(BucketNotFound, match="no-such-bucket"):
            await use
    with pytest.raises(BucketNotFound, match="no-such-bucket"):
        await anext(aiter(bucket.keys()))


@pytest.mark.asyncio
async def test_another_profile_is_used_if_it_is_named(s3: Seaweed, name: str) -> None:
    both = profile("nobody", "nothing") + profile(KEY, SECRET, "backups")
    bucket = opened(s3, name, {"profile": "backups"}, both)
    await bucket.put("a", b"x")
    assert await bucket.get("a") == b"x"


@pytest.mark.asyncio
async def test_credentials_come_from_the_surroundings_if_there_are_none(
    s3: Seaweed, name: str, tmp_path: Path
) -> None:
    place = replace(s3.place(name), credentials=None)
    file = tmp_path / "credentials"
    file.write_bytes(profile(KEY, SECRET))
    for environment in (
        {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET},
        {"AWS_SHARED_CREDENTIALS_FILE": str(file)},
    ):
        bucket = open_bucket(place, Surroundings(environment=environment))
        await bucket.put("a", b"x")
        assert await bucket.exists("a")


@pytest.mark.asyncio
async def test_tls_needs_a_certificate_that_is_trusted(s3: Seaweed, name: str) -> None:
    place = s3.place(name, config={"s3Url": s3.tls_url})
    with pytest.raises(Unreachable, match="certificate is not trusted"):
        await open_bucket(place, Surroundings()).put("a", b"x")
    trusting = open_bucket(replace(place, ca=s3.ca), Surroundings())
    await trusting.put("a", b"x" * 12 * MIB)
    careless = replace(place, config={**place.config, "insecureSkipTLSVerify": "true"})
    assert await open_bucket(careless, Surroundings()).get("a") == b"x" * 12 * MIB


@pytest.mark.asyncio
async def test_http_where_tls_is_spoken_is_told(s3: Seaweed, name: str) -> None:
    url = s3.url.replace("http://", "https://")
    with pytest.raises(Unreachable, match="does not speak TLS"):
        await opened(s3, name, {"s3Url": url}).folders()


@pytest.mark.asyncio
async def test_tags_are_put_on_small_and_large_objects(s3: Seaweed, name: str) -> None:
    bucket = opened(s3, name, {"tagging": "team=backup&cost=a%20b"})
    await bucket.put("small", b"x")
    await bucket.put("large", b"x" * 12 * MIB)
    for key in ("small", "large"):
        url = await bucket.sign(key, timedelta(minutes=1), SystemClock().now())
        assert await asyncio.to_thread(header, url, "x-amz-tagging-count") == "2"


@pytest.mark.asyncio
@pytest.mark.parametrize("algorithm", ["", "SHA256", "CRC32", "CRC64NVME"])
async def test_checksums_are_sent_in_a_way_that_the_store_takes(
    s3: Seaweed, name: str, algorithm: str
) -> None:
    bucket = opened(s3, name, {"checksumAlgorithm": algorithm})
    for key, data in (("small", b"x"), ("large", b"x" * 12 * MIB)):
        await bucket.put(key, data)
        assert await bucket.get(key) == data


@pytest.mark.asyncio
async def test_what_is_encrypted_with_a_customers_key_needs_it(
    s3: Seaweed, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_bytes(b"k" * 32)
    config = {"s3Url": s3.tls_url, "customerKeyEncryptionFile": str(file)}
    place = replace(s3.place(name, "p", config), ca=s3.ca)
    bucket = open_bucket(place, Surroundings())
    await bucket.put("secret", b"text")
    assert await bucket.get("secret") == b"text"
    with pytest.raises(ObjectsError):
        await opened(s3, name).get("secret")
    with pytest.raises(Refused, match="customer's key"):
        await bucket.sign("secret", timedelta(minutes=1), SystemClock().now())


@pytest.mark.asyncio
async def test_urls_are_made_for_the_public_address(s3: Seaweed, name: str) -> None:
    bucket = opened(s3, name, {"publicUrl": "https://backups.example.com:8443"})
    url = await bucket.sign("a/b", timedelta(minutes=1), SystemClock().now())
    assert urlsplit(url).netloc == "backups.example.com:8443"
    assert urlsplit(url).path == f"/{name}/p/a/b"


@pytest.mark.asyncio
async def test_no_parts_are_left_of_an_upload_that_failed(s3: Seaweed, name: str) -> None:
    bucket = opened(s3, name)

    async def failing() -> AsyncIterator[bytes]:
        for _ in range(13):
            yield b"x" * MIB
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        await bucket.put("large", failing())
    await bucket.put("large", b"x" * 12 * MIB)
    assert left_uploads(s3, name) == []


def header(url: str, name: str) -> str | None:
    with urllib.request.urlopen(url) as answer:
        found: str | None = answer.headers.get(name)
        return found


def left_uploads(server: Seaweed, name: str) -> list[str]:
    request = urllib.request.Request(
        f"{server.filer}/buckets/{name}/.uploads/", headers={"Accept": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return [entry["FullPath"] for entry in json.load(answer)["Entries"] or []]
