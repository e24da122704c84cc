"""A server as a process, under a thousand idle clients, slow watchers, and at its end."""

import asyncio
import signal
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter

import pytest

from kedge.testing import Client
from tests.integration.apiserver_process import Running, running
from tests.integration.eventually import pause
from tests.integration.hostile import wire_to

CONFIGS = "/api/v1/namespaces/default/configmaps"
IDLE = 1000
LONG = 30.0
MIB = 1024 * 1024
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Loaded:
    """A running server, and many connections to it."""

    def __init__(self, server: Running, token: str, tls: ssl.SSLContext) -> None:
        self.server = server
        self.token = token
        self.tls = tls
        self.port = int(server.url.rpartition(":")[2])

    def memory(self) -> int:
        """Give the bytes of memory that the process has now."""
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) * 1024

    @asynccontextmanager
    async def connected(self, path: str = "") -> AsyncIterator[Streams]:
        """Open a connection, and ask for something."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.tls)
        if path:
            head = [f"GET {path} HTTP/1.1", "Host: a", f"Authorization: Bearer {self.token}"]
            writer.write("\r\n".join([*head, "", ""]).encode())
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


@pytest.fixture
def loaded(tmp_path: Path) -> AsyncIterator[Loaded]:  # type: ignore[misc]
    if not Path("/proc/self/status").exists():
        pytest.skip("the memory of a process is read from /proc")
    with running(tmp_path / "data") as server:
        way = wire_to(server, tmp_path / "data")
        yield Loaded(server, way.token, way.tls)
        assert server.errors() == ""


async def took(client: Client) -> float:
    """Give the seconds of the slowest of some requests."""
    slowest = 0.0
    for _ in range(20):
        start = perf_counter()
        await client.create(CONFIGS, {"metadata": {"generateName": "quick-"}})
        slowest = max(slowest, perf_counter() - start)
    return slowest


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_thousand_idle_connections_cost_little(loaded: Loaded) -> None:
    async with AsyncExitStack() as stack, asyncio.timeout(4 * LONG):
        client = await stack.enter_async_context(
            Client(loaded.server.url, loaded.token, loaded.tls)
        )
        await took(client)
        before = loaded.memory()
        for number in range(IDLE):
            path = ("", "/healthz", f"{CONFIGS}?watch=1&labelSelector=none")[number % 3]
            await stack.enter_async_context(loaded.connected(path))
        assert await took(client) < 1.0
        assert loaded.memory() - before < 200 * MIB


@pytest.mark.slow
@pytest.mark.asyncio
async def test_watchers_that_do_not_read_cost_little(loaded: Loaded) -> None:
    async with AsyncExitStack() as stack, asyncio.timeout(4 * LONG):
        client = await stack.enter_async_context(
            Client(loaded.server.url, loaded.token, loaded.tls)
        )
        await took(client)
        before = loaded.memory()
        for _ in range(20):
            _, writer = await stack.enter_async_context(loaded.connected(f"{CONFIGS}?watch=1"))
            writer.transport.pause_reading()  # type: ignore[attr-defined]
        made = await client.create(CONFIGS, {"metadata": {"name": "busy"}})
        version = int(made["metadata"]["resourceVersion"])

        async def write(worker: int) -> None:
            for number in range(120):
                body = {"data": {f"{worker}": f"{number:010}" * 1000}}
                await client.patch(f"{CONFIGS}/busy", body)

        async with asyncio.TaskGroup() as tasks:
            for worker in range(10):
                tasks.create_task(write(worker))
        busy = await client.get(f"{CONFIGS}/busy")
        assert int(busy["metadata"]["resourceVersion"]) >= version + 1200
        assert loaded.memory() - before < 300 * MIB
        assert await took(client) < 1.0


@pytest.mark.asyncio
async def test_open_watches_do_not_keep_the_server_from_ending(loaded: Loaded) -> None:
    async with AsyncExitStack() as stack, asyncio.timeout(LONG):
        path = f"{CONFIGS}?watch=1"
        pairs = [await stack.enter_async_context(loaded.connected(path)) for _ in range(20)]
        deaf = await stack.enter_async_context(loaded.connected(path))
        deaf[1].transport.pause_reading()  # type: ignore[attr-defined]
        await stack.enter_async_context(loaded.connected())
        for reader, _ in pairs:
            await reader.readuntil(b"\r\n\r\n")
        start = perf_counter()
        loaded.server.process.send_signal(signal.SIGTERM)
        for reader, _ in pairs:
            assert (await reader.read()).endswith(b"0\r\n\r\n")
        while loaded.server.process.poll() is None:
            await pause(0.01)
        assert loaded.server.process.returncode == 0
        assert perf_counter() - start < 5.0
