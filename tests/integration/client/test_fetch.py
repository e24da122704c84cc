"""Files of foreign servers: what comes, what is not sent, and what goes wrong."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from kedge.client.errors import BadAnswer, ClientError, Disconnected, Unreachable
from kedge.client.fetch import FileMissing, Untrusted, Way, fetch, server_of
from tests.integration.objects.certificate import make_certificate

DATA = bytes(range(256)) * 4096


class Store:
    """A server that answers as a test wants it."""

    def __init__(self) -> None:
        self.asked: list[web.Request] = []
        self.hang = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        match request.path:
            case "/file":
                return web.Response(body=DATA, headers={"Content-Encoding": "gzip"})
            case "/moved":
                raise web.HTTPFound("/file")
            case "/denied":
                text = "<Error><Code>AccessDenied</Code><Message>no</Message><S>sig</S></Error>"
                return web.Response(status=403, text=text)
            case "/odd":
                return web.Response(status=400, text="<html>" + "x" * 5000)
            case "/plain":
                return web.Response(status=500, text="broken " + "x" * 5000)
            case "/short":
                response = web.StreamResponse(headers={"Content-Length": "100"})
                await response.prepare(request)
                await response.write(b"abc")
                assert request.transport is not None
                request.transport.abort()
                return response
            case "/silent":
                await self.hang.wait()
            case "/stalled":
                response = web.StreamResponse()
                await response.prepare(request)
                await response.write(b"abc")
                await self.hang.wait()
                return response
        raise web.HTTPNotFound


@asynccontextmanager
async def serving(tls: ssl.SSLContext | None = None) -> AsyncIterator[tuple[Store, str]]:
    store = Store()
    app = web.Application()
    app.router.add_get("/{path:.*}", store.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    scheme = "https" if tls else "http"
    try:
        yield store, f"{scheme}://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        store.hang.set()
        await runner.cleanup()


async def read(url: str, way: Way = Way()) -> bytes:  # noqa: B008 - it never changes
    async with aclosing(fetch(url, way)) as pieces:
        return b"".join([piece async for piece in pieces])


@pytest.mark.asyncio
async def test_a_file_comes_as_it_is_stored() -> None:
    async with serving() as (store, url):
        assert await read(f"{url}/file?sign=a%2Fb%20c&x=%7E") == DATA
        (asked,) = store.asked
        assert asked.raw_path == "/file?sign=a%2Fb%20c&x=%7E"
        assert asked.headers["Accept-Encoding"] == "identity"
        assert "Authorization" not in asked.headers


@pytest.mark.asyncio
async def test_a_file_that_has_moved_is_followed() -> None:
    async with serving() as (_, url):
        assert await read(f"{url}/moved") == DATA


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("denied", "request failed: 403 AccessDenied: no"),
        ("odd", "request failed: 400"),
        ("plain", "request failed: 500 broken " + "x" * 249 + "…"),
    ],
)
async def test_a_refusal_is_told_in_few_words(path: str, told: str) -> None:
    async with serving() as (_, url):
        with pytest.raises(BadAnswer) as failed:
            await read(f"{url}/{path}")
        assert str(failed.value) == told


@pytest.mark.asyncio
async def test_a_file_that_is_not_there_is_an_error_of_its_own() -> None:
    async with serving() as (_, url):
        with pytest.raises(FileMissing, match="file not found"):
            await read(f"{url}/none")


@pytest.mark.asyncio
async def test_a_file_that_breaks_off_is_not_taken_for_whole() -> None:
    async with serving() as (_, url):
        with pytest.raises(Disconnected, match=r"the file of http://127\.0\.0\.1:\d+ broke off"):
            await read(f"{url}/short?secret=1")


@pytest.mark.asyncio
async def test_a_server_that_says_nothing_is_not_waited_for_for_ever() -> None:
    way = Way(seconds=0.2)
    async with serving() as (_, url):
        with pytest.raises(Unreachable, match=r"no answer of http://127\.0\.0\.1:\d+ within 0.2 s"):
            await read(f"{url}/silent", way)
        with pytest.raises(Disconnected, match=r"sent nothing for 0\.2 s"):
            await read(f"{url}/stalled", way)


@pytest.mark.asyncio
async def test_where_nobody_listens_the_url_is_not_told() -> None:
    async with serving() as (_, url):
        pass
    with pytest.raises(Unreachable) as failed:
        await read(f"{url}/file?signature=secret")
    assert "secret" not in str(failed.value)
    assert "can not be reached" in str(failed.value)


@pytest.mark.asyncio
async def test_certificates_are_checked(tmp_path: Path) -> None:
    cert, key = tmp_path / "crt", tmp_path / "key"
    authority = make_certificate(cert, key)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cert, key)
    async with serving(tls) as (_, url):
        with pytest.raises(Untrusted, match="its certificate is not trusted"):
            await read(f"{url}/file")
        assert await read(f"{url}/file", Way(ca=authority)) == DATA
        assert await read(f"{url}/file", Way(insecure=True)) == DATA
        with pytest.raises(ClientError, match="are not PEM"):
            await read(f"{url}/file", Way(ca=b"nonsense"))


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "ftp://x/y", "http://", "//x/y", "http://[x/", "http://a:b/"]
)
def test_only_urls_of_the_web_are_good(url: str) -> None:
    with pytest.raises(BadAnswer, match="no URL of http or https"):
        server_of(url)


def test_of_a_url_only_the_server_is_told() -> None:
    assert server_of("https://user:pass@[::1]:9000/b/k?sign=x") == "https://[::1]:9000"
