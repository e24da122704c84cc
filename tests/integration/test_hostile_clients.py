"""Clients that hang, trickle, vanish or never read: each costs little, and not for long."""

import asyncio
import logging
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import msgspec
import pytest

from kedge.apiserver.app import ApiServer
from kedge.apiserver.http.connection import Limits
from kedge.apiserver.settings import MEMORY, ServerSettings
from kedge.testing import Client
from tests.integration.eventually import eventually, pause

SHORT, LONG = 0.3, 20.0
CONFIGS = "/api/v1/namespaces/default/configmaps"
QUICK = Limits(idle_seconds=SHORT, head_seconds=SHORT, body_seconds=SHORT, write_seconds=SHORT)
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Kube:
    """A server in this process, and ways to it."""

    server: ApiServer
    client: Client
    tls: ssl.SSLContext

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server.address.url.rpartition(":")[2])

    @property
    def watches(self) -> int:
        """How many watches go on."""
        return len(self.server.parts.server.watch.live)

    def head(self, line: str, *headers: str) -> bytes:
        """Write the head of a request."""
        token = f"Authorization: Bearer {self.server.address.token}"
        return "\r\n".join([line, "Host: a", token, *headers, "", ""]).encode()

    @asynccontextmanager
    async def connected(self, data: bytes = b"") -> AsyncIterator[Streams]:
        """Open a connection and send something."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.tls)
        try:
            writer.write(data)
            yield reader, writer
        finally:
            writer.transport.abort()


@asynccontextmanager
async def serving(limits: Limits | None = None) -> AsyncIterator[Kube]:
    """Run a server; whatever clients do, it logs no failure."""
    async with ApiServer(ServerSettings(MEMORY), limits=limits) as server:
        tls = ssl.create_default_context(cafile=str(server.address.pki.path("ca.crt")))
        async with Client(server.address.url, server.address.token, tls) as client:
            yield Kube(server, client, tls)


@pytest.fixture(autouse=True)
def _nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


async def closed(reader: asyncio.StreamReader) -> bytes:
    """Read until the server closes the connection."""
    pieces = []
    with suppress(ConnectionResetError):
        async with asyncio.timeout(LONG):
            while piece := await reader.read(65536):
                pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.asyncio
async def test_a_handshake_that_never_ends_is_ended() -> None:
    async with serving(QUICK) as kube:
        for hello in (b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", kube.port)
            writer.write(hello)
            await closed(reader)
            writer.transport.abort()


@pytest.mark.asyncio
@pytest.mark.parametrize("data", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: a\r\n"])
async def test_a_request_that_never_ends_is_ended(data: bytes) -> None:
    async with serving(QUICK) as kube, kube.connected(data) as (reader, _):
        assert await closed(reader) == b""


@pytest.mark.asyncio
async def test_a_trickle_of_headers_is_not_waited_for() -> None:
    async with serving(QUICK) as kube, kube.connected() as (reader, writer):
        async with asyncio.timeout(LONG):
            with suppress(ConnectionError):
                while not reader.at_eof():
                    writer.write(b"X")
                    await writer.drain()
                    await pause(SHORT / 10)


@pytest.mark.asyncio
async def test_an_idle_connection_is_closed_after_its_last_request() -> None:
    async with serving(QUICK) as kube, kube.connected() as (reader, writer):
        for _ in range(2):
            writer.write(kube.head("GET /healthz HTTP/1.1"))
        answers = await closed(reader)
        assert answers.count(b"200 OK") == 2


@pytest.mark.asyncio
@pytest.mark.parametrize("trickle", [False, True])
async def test_a_body_that_does_not_come_in_time_is_refused(trickle: bool) -> None:
    async with serving(QUICK) as kube:
        fields = ("Content-Type: application/json", "Content-Length: 1000")
        head = kube.head(f"POST {CONFIGS} HTTP/1.1", *fields)
        async with kube.connected(head) as (reader, writer), asyncio.timeout(LONG):
            answer = b""
            while b"}" not in answer:
                if trickle:
                    writer.write(b" ")
                with suppress(TimeoutError):
                    async with asyncio.timeout(SHORT / 10):
                        answer += await reader.read(4096)
        assert answer.startswith(b"HTTP/1.1 504 ")
        assert b"request did not complete within the requested timeout" in answer


@pytest.mark.asyncio
async def test_a_watch_outlives_the_bounds_of_other_requests() -> None:
    async with serving(QUICK) as kube:
        head = kube.head(f"GET {CONFIGS}?watch=1 HTTP/1.1")
        async with kube.connected(head) as (reader, _):
            await reader.readuntil(b"\r\n\r\n")
            await pause(3 * SHORT)
            await kube.client.create(CONFIGS, {"metadata": {"name": "late"}})
            async with asyncio.timeout(LONG):
                await reader.readuntil(b'{"type":"ADDED"')


@pytest.mark.asyncio
async def test_watches_that_are_dropped_leave_nothing_behind() -> None:
    async with serving() as kube:
        head = kube.head(f"GET {CONFIGS}?watch=1 HTTP/1.1")
        for _ in range(3):
            async with asyncio.timeout(LONG):
                open_ = [kube.connected(head) for _ in range(50)]
                pairs = [await one.__aenter__() for one in open_]
                await eventually(lambda: kube.watches == 50)
                await kube.client.create(CONFIGS, {"metadata": {"generateName": "a-"}})
                for reader, _ in pairs[::2]:
                    await reader.readuntil(b"\n")
                for one in open_:
                    await one.__aexit__(None, None, None)
            await eventually(lambda: kube.watches == 0)


@pytest.mark.asyncio
async def test_watches_that_are_dropped_before_their_answer_leave_nothing_behind() -> None:
    async with serving() as kube:
        head = kube.head(f"GET {CONFIGS}?watch=1 HTTP/1.1")
        for _ in range(100):
            async with kube.connected(head):
                pass
        await kube.client.create(CONFIGS, {"metadata": {"name": "after"}})
        await eventually(lambda: kube.watches == 0)


@pytest.mark.asyncio
async def test_a_watcher_that_does_not_read_is_dropped() -> None:
    async with serving(QUICK) as kube:
        head = kube.head(f"GET {CONFIGS}?watch=1 HTTP/1.1")
        async with kube.connected(head) as (_, writer):
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            await eventually(lambda: kube.watches == 1)
            fat = {"data": {"fat": "x" * 500_000}}
            async with asyncio.timeout(LONG):
                while kube.watches:
                    meta = {"generateName": "fat-"}
                    made = await kube.client.create(CONFIGS, {"metadata": meta, **fat})
                    await kube.client.delete(f"{CONFIGS}/{made['metadata']['name']}")


@pytest.mark.asyncio
async def test_a_watcher_that_reads_late_gets_everything() -> None:
    async with serving() as kube:
        head = kube.head(f"GET {CONFIGS}?watch=1 HTTP/1.1")
        async with kube.connected(head) as (reader, _), asyncio.timeout(LONG):
            await eventually(lambda: kube.watches == 1)
            # More than the buffers between the two hold, and less than makes a watcher too slow.
            for number in range(300):
                meta = {"name": f"n{number:04}"}
                fat = {"metadata": meta, "data": {"fat": "x" * 20_000}}
                await kube.client.create(CONFIGS, fat)
            seen = b""
            while b'"name":"n0299"' not in seen:
                seen += await reader.read(1_000_000)
        found = re.findall(rb'"metadata":{"name":"n(\d+)"', seen)
        assert [int(number) for number in found] == list(range(300))


@pytest.mark.asyncio
async def test_writes_whose_client_vanishes_are_done_or_not_done() -> None:
    async with serving() as kube:
        for number in range(60):
            body = msgspec.json.encode({"metadata": {"name": f"m{number}"}, "data": {"a": "b"}})
            fields = ("Content-Type: application/json", f"Content-Length: {len(body)}")
            head = kube.head(f"POST {CONFIGS} HTTP/1.1", *fields)
            async with kube.connected(head + body) as (_, writer):
                await writer.drain()
                for _ in range(number % 6):
                    await pause(0)
        listed = await kube.client.get(CONFIGS)
        assert all(item["data"] == {"a": "b"} for item in listed["items"])
        names = {item["metadata"]["name"] for item in listed["items"]}
        for number in range(60):
            name = f"m{number}"
            if name not in names:
                await kube.client.create(CONFIGS, {"metadata": {"name": name}})
