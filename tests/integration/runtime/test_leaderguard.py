"""The guard on a client, down to the bytes: what is under way ends in time, and none follows."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import pytest

from kedge.aio.clock import SystemClock
from kedge.client import Client, ClientSettings, DeadlineExceeded, Disconnected, Request
from kedge.client.retry import Retrying
from kedge.client.where import explicit
from kedge.kube.kind import plain
from kedge.runtime.leaderguard import LeaderGuard, NotLeader
from kedge.runtime.leadersettings import LeaderSettings

CONFIGS = plain("v1", "ConfigMap", "configmaps")
BOAT = {"metadata": {"name": "boat", "namespace": "sea"}}
ANSWER = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@dataclass
class Listener:
    """Reads all that comes; answers when told to."""

    url: str = ""
    heard: bytes = b""
    answers: bool = True
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                self.heard += data
                if self.answers and self.heard.endswith(b"}"):
                    writer.write(ANSWER)
        except ConnectionError:
            pass
        self.ended.set()
        writer.close()


@asynccontextmanager
async def guarded(
    lease: int, renew: float
) -> AsyncIterator[tuple[Listener, LeaderGuard, Client, SystemClock]]:
    listener, clock = Listener(), SystemClock()
    server = await asyncio.start_server(listener.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    settings = LeaderSettings("boat", "sea", "me", lease, renew, renew / 10)
    guard = LeaderGuard(settings, clock)
    once = ClientSettings(retrying=Retrying(attempts=1))
    access = explicit(f"http://127.0.0.1:{port}")
    async with server, Client(access, once, clock) as client:
        guard.protect(client)
        yield listener, guard, client, clock


@pytest.mark.asyncio
async def test_a_write_without_an_answer_is_given_up_before_the_lease_ends() -> None:
    async with guarded(1, 0.2) as (listener, guard, client, clock):
        listener.answers = False
        renewed = clock.monotonic()
        guard.renew(renewed)
        with pytest.raises(DeadlineExceeded):
            await client.create(CONFIGS, BOAT)
        assert not guard.is_settled or clock.monotonic() >= renewed + 0.8
        await listener.ended.wait()
        assert b"POST /api/v1/namespaces/sea/configmaps?" in listener.heard


@pytest.mark.asyncio
async def test_the_server_is_told_how_long_it_may_take() -> None:
    async with guarded(100, 60.0) as (listener, guard, client, clock):
        guard.renew(clock.monotonic())
        await client.create(CONFIGS, BOAT)
        line = listener.heard.split(b"\r\n")[0].decode()
        query = dict(pair.split("=") for pair in line.split("?")[1].split()[0].split("&"))
        assert 80 < float(query["timeout"].removesuffix("s")) <= 90
        assert guard.is_settled


@pytest.mark.asyncio
async def test_bytes_that_are_late_are_not_sent_though_the_write_had_begun() -> None:
    async with guarded(100, 60.0) as (listener, guard, client, clock):
        guard.renew(clock.monotonic())
        await client.create(CONFIGS, BOAT)
        before = listener.heard

        @contextmanager
        def frozen(request: Request) -> Iterator[float | None]:
            """Lose the lease between the look at the clock and the first byte."""
            with guard(request) as seconds:
                guard.close()
                yield seconds

        client.transport.guard = frozen
        with pytest.raises(Disconnected):
            await client.create(CONFIGS, BOAT)
        assert listener.heard == before


@pytest.mark.asyncio
async def test_a_follower_sends_nothing_that_writes() -> None:
    async with guarded(100, 60.0) as (listener, _, client, _):
        with pytest.raises(NotLeader):
            await client.create(CONFIGS, BOAT)
        assert listener.heard == b""
