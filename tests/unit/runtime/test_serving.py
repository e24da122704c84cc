import asyncio
import gzip
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from kedge.aio.background import background
from kedge.runtime.metrics import Metrics
from kedge.runtime.serving import Serving, ServingError, ServingSettings

LOOPBACK = "127.0.0.1"


class Kit:
    def __init__(self) -> None:
        self.metrics = Metrics()
        self.serving = Serving(ServingSettings(LOOPBACK, 0), self.metrics.registry)
        self.session: aiohttp.ClientSession

    async def ask(self, path: str, method: str = "GET", **headers: str) -> aiohttp.ClientResponse:
        url = f"http://{LOOPBACK}:{self.serving.port}{path}"
        response = await self.session.request(method, url, headers=headers)
        await response.read()
        return response

    async def text(self, path: str) -> tuple[int, str]:
        response = await self.ask(path)
        return response.status, await response.text()


@asynccontextmanager
async def serving() -> AsyncIterator[Kit]:
    kit = Kit()
    session = aiohttp.ClientSession(auto_decompress=False, headers={"Accept-Encoding": "identity"})
    async with background(kit.serving.run()), session as kit.session:
        await kit.serving.started.wait()
        yield kit


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/healthz/", "/livez/ping"])
async def test_without_checks_all_is_well(path: str) -> None:
    async with serving() as kit:
        response = await kit.ask(path)
        assert (response.status, await response.text()) == (200, "ok")
        assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.asyncio
async def test_not_ready_is_not_dead() -> None:
    async with serving() as kit:
        waiting = ["boats"]
        kit.serving.check_ready("caches", lambda: f"not filled: {waiting}" if waiting else "")
        kit.serving.check_ready("ping", lambda: "")
        assert await kit.text("/livez") == (200, "ok")
        assert await kit.text("/healthz") == (200, "ok")
        told = "[-]caches failed: reason withheld\n[+]ping ok\nreadyz check failed\n"
        assert await kit.text("/readyz") == (500, told)
        reason = "internal server error: not filled: ['boats']\n"
        assert await kit.text("/readyz/caches") == (500, reason)
        assert await kit.text("/readyz?exclude=caches") == (200, "ok")
        waiting.clear()
        assert await kit.text("/readyz") == (200, "ok")
        told = "[+]caches ok\n[+]ping ok\nreadyz check passed\n"
        assert await kit.text("/readyz?verbose") == (200, told)
        assert await kit.text("/readyz?verbose=1") == (200, told)


@pytest.mark.asyncio
async def test_a_live_check_is_asked_under_both_names() -> None:
    async with serving() as kit:
        kit.serving.check_live("loop", lambda: "stuck")
        assert (await kit.ask("/livez")).status == 500
        assert (await kit.ask("/healthz/loop")).status == 500
        assert (await kit.ask("/readyz")).status == 200


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path", ["/", "/metric", "/metrics/x", "/readyz/nothing", "/healthzz", "/%2e%2e/x", "//"]
)
async def test_unknown_paths_are_not_found(path: str) -> None:
    async with serving() as kit:
        response = await kit.ask(path)
        assert (response.status, await response.text()) == (404, "404 page not found\n")


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_nothing_can_be_written(method: str) -> None:
    async with serving() as kit:
        response = await kit.ask("/metrics", method)
        assert response.status == 405
        assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/metrics", "/readyz", "/nothing"])
async def test_head_is_get_without_a_body(path: str) -> None:
    async with serving() as kit:
        got, head = await kit.ask(path), await kit.ask(path, "HEAD")
        assert head.status == got.status
        assert head.headers["Content-Type"] == got.headers["Content-Type"]
        assert await head.read() == b""


PLAIN = "text/plain; version=0.0.4; charset=utf-8"
OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("*/*", PLAIN),
        ("application/openmetrics-text;version=1.0.0,text/plain;q=0.5", OPEN),
        ("nonsense;;;q=q,,=", PLAIN),
        ("image/png", PLAIN),
    ],
)
async def test_metrics_come_in_the_form_that_is_accepted(accept: str, media: str) -> None:
    async with serving() as kit:
        kit.metrics.queue("boats").added(1)
        response = await kit.ask("/metrics", Accept=accept)
        text = await response.text()
        assert response.headers["Content-Type"] == media
        assert 'workqueue_adds_total{controller="boats",name="boats"} 1.0' in text
        assert text.endswith("# EOF\n") is (media == OPEN)


@pytest.mark.asyncio
async def test_metrics_are_compressed_for_those_who_can_read_that() -> None:
    async with serving() as kit:
        response = await kit.ask("/metrics", **{"Accept-Encoding": "gzip"})
        assert response.headers["Content-Encoding"] == "gzip"
        assert b"process_cpu_seconds_total" in gzip.decompress(await response.read())
        response = await kit.ask("/metrics", **{"Accept-Encoding": "gzip;q=0"})
        assert "Content-Encoding" not in response.headers
        assert b"process_cpu_seconds_total" in await response.read()


@pytest.mark.asyncio
async def test_a_port_that_is_taken_is_told_by_its_number() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        serving = Serving(ServingSettings(LOOPBACK, port), Metrics().registry)
        with pytest.raises(ServingError, match=f"{LOOPBACK}:{port}"):
            await serving.run()


@pytest.mark.asyncio
async def test_without_a_port_nothing_is_served() -> None:
    serving = Serving(ServingSettings(LOOPBACK, None), Metrics().registry)
    await serving.run()
    assert serving.started.is_set()
    assert serving.port is None


@pytest.mark.asyncio
async def test_the_port_is_free_again_at_the_end_though_a_client_lingers() -> None:
    kit = Kit()
    async with background(kit.serving.run()):
        await kit.serving.started.wait()
        _, writer = await asyncio.open_connection(LOOPBACK, kit.serving.port)
        writer.write(b"GET /metrics HTTP/1.1\r\n")
    writer.close()
    again = Serving(ServingSettings(LOOPBACK, kit.serving.port), Metrics().registry)
    async with background(again.run()):
        await again.started.wait()


@pytest.mark.parametrize("port", [-1, 65536])
def test_what_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(ValueError, match=f"port must be 0 to 65535, or none, and is {port}"):
        ServingSettings(LOOPBACK, port)
