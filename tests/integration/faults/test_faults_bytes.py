"""Answers whose bytes drip, come one by one, are garbage, or are not as many as promised."""

import asyncio
import re
from datetime import timedelta

import msgspec
import pytest

from kedge.client import ClientError, Disconnected
from kedge.kube.errors import ApiError
from kedge.testing import FakeClock, faults
from tests.integration.faults.front import (
    CONFIGS,
    LISTS,
    PATIENCE,
    WATCHES,
    WRITES,
    connected,
    everything,
    front,
    head,
    make,
    names,
    take,
)

LIST = head(f"GET {CONFIGS} HTTP/1.1", "Connection: close")


class Recorder(asyncio.Protocol):
    """Notes the pieces in which bytes come."""

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.pieces: list[bytes] = []
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.pieces.append(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set_result(None)


async def pieces(proxy: faults.Proxy) -> list[bytes]:
    host, _, port = proxy.url.removeprefix("http://").partition(":")
    loop = asyncio.get_running_loop()
    _, recorder = await loop.create_connection(lambda: Recorder(LIST), host, int(port))
    async with asyncio.timeout(PATIENCE):
        await recorder.ended
    return recorder.pieces


def undated(answer: bytes) -> bytes:
    """Take out the time of an answer: two may come in two seconds."""
    return re.sub(rb"\r\nDate: [^\r]*", b"", answer)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [1, 7])
async def test_each_byte_comes_alone(size: int) -> None:
    async with front() as (proxy, client, direct):
        await make(direct, "a")
        whole = b"".join(await pieces(proxy))
        proxy.inject(faults.Split(size))
        found = await pieces(proxy)
        assert undated(b"".join(found)) == undated(whole)
        assert max(map(len, found)) == size
        await make(client, "b", "c")
        assert await names(client) == ["a", "b", "c"]
        assert await take(client, 3) == [("ADDED", name) for name in "abc"]


@pytest.mark.asyncio
async def test_slow_bytes_come_by_the_clock() -> None:
    async with front() as (proxy, _, _direct), connected(proxy) as (reader, writer):
        clock = FakeClock()
        proxy.inject(faults.Slow(5, 3.0, clock))
        writer.write(LIST)
        assert await reader.readexactly(5) == b"HTTP/"
        assert await clock.slept() == [3.0]
        clock.advance(timedelta(seconds=2.9))
        clock.advance(timedelta(seconds=0.1))
        assert await reader.readexactly(5) == b"1.1 2"
        await clock.slept()


@pytest.mark.asyncio
async def test_slow_bytes_are_all_there() -> None:
    async with front() as (proxy, client, direct):
        await make(direct, "a")
        proxy.inject(faults.Slow(50, 0.0001))
        assert await names(client) == ["a"]
        assert await take(client, 1) == [("ADDED", "a")]


@pytest.mark.asyncio
async def test_a_body_is_garbage() -> None:
    async with front() as (proxy, client, direct):
        proxy.inject(faults.GarbageBody())
        with pytest.raises(msgspec.DecodeError):
            await client.get(CONFIGS)
        with pytest.raises(msgspec.DecodeError):
            await anext(client.watch(CONFIGS))
        with pytest.raises(msgspec.DecodeError):
            await make(client, "a")
        assert await names(direct) == ["a"]
        answer = await everything(proxy, LIST)
        assert answer.endswith(b"\r\n\r\n" + bytes(range(256)))


@pytest.mark.asyncio
@pytest.mark.parametrize("data", [b"\x15\x03\x01\x00\x02\x02\x50", b"", b"HTTP/1.1 2x0 OK\r\n\r\n"])
async def test_an_answer_is_garbage(data: bytes) -> None:
    async with front() as (proxy, client, direct):
        proxy.inject(faults.GarbageAnswer(data), times=2)
        assert await everything(proxy, head(f"GET {CONFIGS} HTTP/1.1")) == data
        with pytest.raises(ClientError):
            await make(client, "a")
        assert await names(direct) == ["a"]
        assert await names(client) == ["a"]


@pytest.mark.asyncio
@pytest.mark.parametrize("keep", [None, 0, 1, 60])
async def test_a_body_is_only_its_beginning(keep: int | None) -> None:
    async with front() as (proxy, client, _):
        whole = (await everything(proxy, LIST)).partition(b"\r\n\r\n")[2]
        proxy.inject(faults.TruncateBody(keep), LISTS)
        top, _, body = (await everything(proxy, LIST)).partition(b"\r\n\r\n")
        assert body == whole[: len(whole) // 2 if keep is None else keep]
        assert f"Content-Length: {len(body)}".encode() in top
        if body:
            with pytest.raises(msgspec.DecodeError):
                await client.get(CONFIGS)


@pytest.mark.asyncio
async def test_a_length_promises_too_much() -> None:
    async with front() as (proxy, client, direct):
        proxy.inject(faults.WrongLength(5), WRITES)
        with pytest.raises(Disconnected):
            await make(client, "a")
        assert await names(direct) == ["a"]


@pytest.mark.asyncio
async def test_a_length_promises_too_little() -> None:
    async with front() as (proxy, client, _), connected(proxy) as (reader, writer):
        proxy.inject(faults.WrongLength(-5), LISTS, times=2)
        with pytest.raises((msgspec.DecodeError, ClientError)):
            await client.get(CONFIGS)
        writer.write(head(f"GET {CONFIGS} HTTP/1.1"))
        top = await reader.readuntil(b"\r\n\r\n")
        (length,) = (int(one[15:]) for one in top.split(b"\r\n") if b"Content-Length" in one)
        await reader.readexactly(length)
        assert len(await reader.readexactly(5)) == 5
        writer.write(head("GET /version HTTP/1.1"))
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")


@pytest.mark.asyncio
async def test_faults_of_bytes_go_together() -> None:
    async with front() as (proxy, client, direct):
        await make(direct, "a", "b")
        proxy.inject(faults.DuplicateEvent(), WATCHES)
        proxy.inject(faults.ErrorEvent(3), WATCHES)
        proxy.inject(faults.Split())
        events = [event async for event in client.watch(CONFIGS)]
        assert [event.type for event in events] == ["ADDED", "ADDED", "ADDED", "ERROR"]
        proxy.inject(faults.Refuse(faults.failure(500)), WRITES)
        with pytest.raises(ApiError, match="Internal error"):
            await make(client, "c")
