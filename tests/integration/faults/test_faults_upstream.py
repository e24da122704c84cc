"""The proxy in front of servers that answer in any way that HTTP/1.1 has, or in none."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from kedge.testing import faults
from tests.integration.faults.front import CONFIGS, connected, everything, head

ASK = head("GET /x HTTP/1.1", "Connection: close", "Accept-Encoding: gzip", "X-One: two")
EVENT = b'{"type":"MODIFIED","object":{"metadata":{"name":"%d","resourceVersion":"%d"},"x":"%b"}}\n'


class Answering:
    """A server that gives the same bytes to each request, and closes the connection if told to."""

    def __init__(self, *pieces: bytes, closes: bool = True) -> None:
        self.pieces = pieces
        self.closes = closes
        self.requests: list[bytes] = []
        self.connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while True:
            try:
                self.requests.append(await reader.readuntil(b"\r\n\r\n"))
            except asyncio.IncompleteReadError:
                break
            for piece in self.pieces:
                writer.write(piece)
                await writer.drain()
            if self.closes:
                break
        writer.close()


@asynccontextmanager
async def before(answering: Answering) -> AsyncIterator[faults.Proxy]:
    listener = await asyncio.start_server(answering.serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with listener, faults.proxy(f"http://127.0.0.1:{port}/", token="t") as proxy:
        yield proxy


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
        (b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.0 200 OK\r\n\r\nold", b"old"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2;a=b\r\nhi\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
            b"2\r\nhi\r\na\r\n0123456789\r\n0\r\n\r\n",
        ),
    ],
)
async def test_every_framing_passes(answer: bytes, body: bytes) -> None:
    async with before(Answering(answer)) as proxy:
        assert body_of(await everything(proxy, ASK)) == body


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "passed"),
    [
        (b"", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Le", b""),
        (b"220 mail\r\n\r\n", b""),
        (b"\x00" * 100 + b"\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", b"hi"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhi", b"2\r\nhi\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b""),
    ],
)
async def test_what_breaks_off_breaks_off_for_the_client(answer: bytes, passed: bytes) -> None:
    async with before(Answering(answer)) as proxy:
        assert body_of(await everything(proxy, ASK)) == passed


@pytest.mark.asyncio
async def test_headers_pass_except_those_of_the_connection() -> None:
    server = Answering(b"HTTP/1.1 200 OK\r\nX-A: b\r\nKeep-Alive: x\r\nContent-Length: 0\r\n\r\n")
    async with before(server) as proxy:
        answer = await everything(proxy, ASK)
        assert answer == b"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 0\r\n\r\n"
        (request,) = server.requests
        host = proxy.server.url.removeprefix("http://")
        fields = [f"Host: {host}", "X-One: two", "Authorization: Bearer t", "", ""]
        assert request.decode() == "\r\n".join(["GET /x HTTP/1.1", *fields])


@pytest.mark.asyncio
@pytest.mark.parametrize("closes", [True, False])
async def test_connections_to_the_server_are_kept_while_they_last(closes: bool) -> None:
    server = Answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", closes=closes)
    async with before(server) as proxy, connected(proxy) as (reader, writer):
        for _ in range(3):
            writer.write(head("GET /x HTTP/1.1"))
            await reader.readuntil(b"\r\n\r\n")
        assert len(server.requests) == 3
        assert server.connections == (3 if closes else 1)


@pytest.mark.asyncio
async def test_ten_thousand_events_pass_in_order() -> None:
    lines = [EVENT % (number, number, b"y" * 2000) for number in range(10_000)]
    chunks = [b"%x\r\n%b\r\n" % (len(line), line) for line in lines]
    top = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with before(Answering(top, *chunks, b"0\r\n\r\n")) as proxy:
        proxy.inject(faults.DuplicateEvent(9_999))
        ask = head(f"GET {CONFIGS}?watch=1 HTTP/1.1", "Connection: close")
        answer = await everything(proxy, ask)
        assert answer == top + b"".join([*chunks, chunks[-1], b"0\r\n\r\n"])
        assert proxy.calls[0].position == 9_999


@pytest.mark.asyncio
async def test_events_cut_anywhere_into_chunks_are_events() -> None:
    data = b"".join(EVENT % (number, number, "\u2028".encode()) for number in range(3))
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in data) + b"0\r\n\r\n"
    top = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with before(Answering(top, chunks)) as proxy:
        ask = head(f"GET {CONFIGS}?watch=1 HTTP/1.1", "Connection: close")
        assert body_of(await everything(proxy, ask)) == chunks
        assert proxy.calls[0].position == 2
        proxy.inject(faults.EndWatch(2))
        ended = body_of(await everything(proxy, ask))
        assert ended.count(b'"MODIFIED"') == 2
        assert ended.endswith(b"}\n\r\n0\r\n\r\n")
