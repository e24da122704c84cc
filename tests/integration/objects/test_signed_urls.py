"""URLs that anybody can GET for a while, on every provider, over real HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from kedge.aio.background import background
from kedge.aio.clock import SystemClock
from kedge.controllers.download.serving import DownloadServing, DownloadServingSettings
from kedge.objects.errors import Refused
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place
from tests.integration.objects.conftest import Home

MINUTES = timedelta(minutes=10)
LARGE = bytes(range(256)) * 4096 * 3
KEYS = ["backups/a/a-logs.gz", "backups/ümläut/a b+c%20&d?#e.gz"]


def now() -> datetime:
    return SystemClock().now()


@asynccontextmanager
async def server(roots: list[Path]) -> AsyncIterator[str]:
    """Serve signed URLs of folders, and give the address."""
    serving = DownloadServing(DownloadServingSettings(), lambda: roots, SystemClock())
    async with background(serving.run()):
        await serving.started.wait()
        yield f"http://127.0.0.1:{serving.port}"


async def fetch(url: str) -> tuple[int, bytes]:
    exactly = URL(url, encoded=True)
    async with aiohttp.ClientSession() as session, session.get(exactly) as response:
        return response.status, await response.read()


@asynccontextmanager
async def served(home: Home) -> AsyncIterator[Home]:
    """Let a home have a server for its URLs, where it brings none of its own."""
    if home.provider != "filesystem":
        yield home
        return
    assert home.surroundings.folder is not None
    async with server([home.surroundings.folder]) as url:
        yield replace(home, surroundings=replace(home.surroundings, url=url))


@pytest.mark.asyncio
@pytest.mark.parametrize("key", KEYS)
async def test_whoever_has_the_url_gets_the_object(home: Home, key: str) -> None:
    async with served(home) as with_url:
        bucket = with_url.open("some/prefix")
        await bucket.put(key, LARGE)
        if home.provider == "azure" and key == KEYS[1]:
            with pytest.raises(Refused, match="can not be signed for Azure"):
                await bucket.sign(key, MINUTES, now())
            return
        assert await fetch(await bucket.sign(key, MINUTES, now())) == (200, LARGE)


@pytest.mark.asyncio
async def test_a_url_is_good_for_its_object_only(home: Home) -> None:
    async with served(home) as with_url:
        bucket = with_url.open("p")
        await bucket.put("one", b"1")
        await bucket.put("two", b"2")
        url = await bucket.sign("one", MINUTES, now())
        assert (await fetch(url))[0] == 200
        assert (await fetch(url.replace("/one?", "/two?")))[0] == 403


@pytest.mark.asyncio
async def test_a_url_of_what_is_gone_is_not_found(home: Home) -> None:
    async with served(home) as with_url:
        bucket = with_url.open("p")
        await bucket.put("other", b"1")
        assert (await fetch(await bucket.sign("gone", MINUTES, now())))[0] == 404


@pytest.mark.asyncio
async def test_a_url_of_a_folder_ends_and_each_root_has_a_key_of_its_own(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "two"]
    async with server(roots) as url:
        for root in roots:
            bucket = open_bucket(Place("kedge.dev/filesystem", "same"), Surroundings(root, url))
            await bucket.put("key", root.name.encode())
            for ago, expected in ((timedelta(0), 200), (MINUTES, 403)):
                status, body = await fetch(await bucket.sign("key", MINUTES, now() - ago))
                assert status == expected
                assert body == root.name.encode() or b"expired" in body
