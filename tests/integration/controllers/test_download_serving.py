"""Files of a folder are served to whoever has a signed URL, until it expires; to nobody else."""

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import aiohttp
import pytest
from yarl import URL

from kedge.aio.background import background
from kedge.controllers.download.serving import DownloadServing, DownloadServingSettings
from kedge.objects.filesystem import FolderBucket
from kedge.objects.signing import sign
from kedge.objects.signkey import make_key
from kedge.runtime.serving import ServingError
from kedge.testing import FakeClock

pytestmark = pytest.mark.asyncio

KEY = "backups/nightly/nightly.tar.gz"
DATA = os.urandom(3_000_001)
VALID = timedelta(minutes=10)


@dataclass
class Answer:
    """What came back."""

    status: int
    body: bytes
    headers: dict[str, str]


@dataclass
class Site:
    """A folder with a bucket, and its server."""

    root: Path
    clock: FakeClock
    base: str
    session: aiohttp.ClientSession

    def bucket(self, name: str = "boats", prefix: str = "") -> FolderBucket:
        """Open a bucket of the folder."""
        return FolderBucket(self.root, name, prefix, self.base, make=True)

    async def url(self, key: str = KEY) -> str:
        """Sign a URL."""
        return await self.bucket().sign(key, VALID, self.clock.now())

    async def get(self, url: str, method: str = "GET") -> Answer:
        """Ask for a URL, as it is written."""
        wanted = URL(url, encoded=True)
        async with self.session.request(method, wanted, allow_redirects=False) as response:
            return Answer(response.status, await response.read(), dict(response.headers))


@asynccontextmanager
async def site(root: Path, *roots: Path) -> AsyncIterator[Site]:
    """Serve the files of a folder."""
    clock = FakeClock()

    def all_roots() -> Iterable[Path]:
        return (root, *roots)

    serving = DownloadServing(DownloadServingSettings(), all_roots, clock)
    async with background(serving.run()):
        await serving.started.wait()
        async with aiohttp.ClientSession() as session:
            port = Site(root, clock, f"http://127.0.0.1:{serving.port}", session)
            await port.bucket().put(KEY, DATA)
            yield port


async def test_a_signed_url_gives_the_whole_file(tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        answer = await port.get(await port.url())
        assert answer.status == 200
        assert answer.body == DATA
        assert answer.headers["Content-Type"] == "application/gzip"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Content-Encoding" not in answer.headers


async def test_head_gives_all_but_the_file(tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        answer = await port.get(await port.url(), "HEAD")
        assert (answer.status, answer.body) == (200, b"")
        assert answer.headers["Content-Type"] == "application/gzip"


async def test_an_empty_file_is_a_file(tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        await port.bucket().put("backups/empty.gz", b"")
        answer = await port.get(await port.url("backups/empty.gz"))
        assert (answer.status, answer.body) == (200, b"")


@pytest.mark.parametrize("key", ["a b/c+d.gz", "ä/%2e.gz", "q?x#y&z=1", "%41.gz", "a;b"])
async def test_names_with_odd_letters_are_served(key: str, tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        await port.bucket().put(key, b"odd")
        answer = await port.get(await port.url(key))
        assert (answer.status, answer.body) == (200, b"odd")


async def test_a_url_is_good_until_its_last_second(tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        url = await port.url()
        port.clock.advance(VALID - timedelta(seconds=1))
        assert (await port.get(url)).status == 200
        port.clock.advance(timedelta(seconds=1))
        answer = await port.get(url)
        assert answer.status == 403
        assert b"expired" in answer.body
        assert answer.headers["Content-Type"].startswith("text/plain")


async def test_whatever_was_changed_in_a_url_is_refused(tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        await port.bucket().put("backups/other.gz", b"other")
        await port.bucket("else").put(KEY, b"other")
        url = await port.url()
        path, _, query = url.partition("?")
        expires, signature = (part.split("=")[1] for part in query.split("&"))
        changed = [
            path,
            f"{path}?expires={expires}",
            f"{path}?signature={signature}",
            f"{path}?expires={int(expires) + 60}&signature={signature}",
            f"{path}?expires={expires}&signature={'0' * 64}",
            f"{path}?expires={expires}&signature={signature.upper()}x",
            f"{path}?expires={expires}0&signature={signature}",
            f"{path}?expires=%D9%A1&signature={signature}",
            f"{path}?expires=-1&signature={signature}",
            f"{path}?expires={'9' * 500}&signature={signature}",
            url.replace(KEY, "backups/other.gz"),
            url.replace("/boats/", "/else/"),
            url.replace(KEY, f"{KEY}/"),
            url.replace(KEY, f"/{KEY}"),
            url.replace(KEY, f"x/../{KEY}"),
            url.replace(KEY, f"x/%2e%2e/{KEY}"),
            url.replace(KEY, KEY.replace("nightly", "nightl%FF")),
            url.replace(KEY, ""),
        ]
        for one in changed:
            answer = await port.get(one)
            assert answer.status == 403, one
            assert b"signature" in answer.body or b"expires" in answer.body


async def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        assert (await port.get(await port.url("backups/none.gz"))).status == 404
        assert (await port.get(await port.url("backups/nightly"))).status == 404
        for path in ("/", "/objects", "/metrics", "/favicon.ico", "/backups/nightly"):
            assert (await port.get(port.base + path)).status == 404


async def test_even_a_right_signature_leads_nowhere_else(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("secret")
    root = tmp_path / "root"
    root.mkdir()
    async with site(root) as port:
        (root / "boats" / "link.gz").symlink_to(outside)
        (root / "boats" / "links").symlink_to(tmp_path)
        secret = make_key(root)
        until = port.clock.now() + VALID
        for path in (
            "boats/../../outside",
            "../outside",
            "/etc/passwd",
            "boats//etc/passwd",
            "boats/./x",
            ".kedge-signing-key",
            "./.kedge-signing-key",
            "boats",
            "boats/",
            "",
            "boats/.kedge/x",
            "boats/\0",
            "boats/link.gz",
            "boats/links/outside",
        ):
            answer = await port.get(sign(secret, port.base, path, until))
            assert answer.status in (403, 404), path
            assert b"secret" not in answer.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_nothing_can_be_written(method: str, tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        answer = await port.get(await port.url(), method)
        assert answer.status == 405
        assert answer.headers["Allow"] == "GET, HEAD"
        assert await port.bucket().exists(KEY)


async def test_each_folder_has_a_key_of_its_own(tmp_path: Path) -> None:
    one, two, none = tmp_path / "one", tmp_path / "two", tmp_path / "none"
    one.mkdir()
    two.mkdir()
    async with site(one, two, none) as port:
        other = FolderBucket(two, "boats", "deep", port.base, make=True)
        await other.put(KEY, b"other")
        url = await other.sign(KEY, VALID, port.clock.now())
        assert (await port.get(url)).body == b"other"
        wrong = sign(make_key(two), port.base, f"boats/{quote(KEY)}", port.clock.now() + VALID)
        assert (await port.get(wrong)).status == 404


async def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    async with site(tmp_path) as port:
        taken = int(port.base.rpartition(":")[2])
        settings = DownloadServingSettings(port=taken)
        with pytest.raises(ServingError, match=f"127.0.0.1:{taken}"):
            await DownloadServing(settings, lambda: (), FakeClock()).run()


async def test_without_a_port_nothing_is_served() -> None:
    serving = DownloadServing(DownloadServingSettings(port=None), lambda: (), FakeClock())
    await serving.run()
    assert serving.started.is_set()
    assert serving.port is None
