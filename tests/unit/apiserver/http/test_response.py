"""What we send ourselves must be what the library would have sent."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import web

from kedge.apiserver.http.reply import Reply
from kedge.apiserver.http.response import SMALL, Response, usual

REPLIES = {
    "small": Reply(200, b'{"kind":"Pod"}\n'),
    "created": Reply(201, b"{}\n"),
    "failed": Reply(409, b'{"kind":"Status"}\n'),
    "empty": Reply(200, b""),
    "text": Reply(404, b"404 page not found\n", "text/plain; charset=utf-8"),
    "headed": Reply(429, b"{}", headers={"Retry-After": "1"}),
    "large": Reply(200, b"x" * SMALL),
}
WARNINGS = ["v1 is old"]
REQUESTS = {
    "usual": "GET {} HTTP/1.1\r\nHost: a\r\n\r\n",
    "last": "GET {} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "head": "HEAD {} HTTP/1.1\r\nHost: a\r\n\r\n",
    "old": "GET {} HTTP/1.0\r\n\r\n",
    "old and kept": "GET {} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
}


async def _answer(request: web.BaseRequest) -> web.StreamResponse:
    _, who, name, warned = request.path.split("/")
    given, warnings = REPLIES[name], WARNINGS if warned == "warned" else []
    reply = Reply(given.code, given.body, given.media, dict(given.headers))
    return Response(reply, warnings) if who == "ours" else usual(reply, warnings)


@pytest_asyncio.fixture
async def port() -> AsyncIterator[int]:
    server = web.Server(_answer)
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        await server.shutdown()


async def _read(port: int, text: str, path: str) -> tuple[list[str], bytes]:
    """Ask twice on one connection, and give what came: but for the time, the lines and the rest."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    last = "GET /usual/empty/- HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    writer.write((text.format(path) + last).encode())
    head, _, rest = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    body, _, _ = rest.partition(b"HTTP/1.1 200 OK")
    lines = [line for line in head.decode().split("\r\n") if not line.startswith("Date: ")]
    assert len(head.decode().split("\r\n")) == len(lines) + 1
    return lines, body


@pytest.mark.asyncio
@pytest.mark.parametrize("warned", ["warned", "quiet"])
@pytest.mark.parametrize("text", REQUESTS.values(), ids=REQUESTS)
async def test_an_answer_is_the_same_byte_for_byte(port: int, text: str, warned: str) -> None:
    for name in REPLIES:
        ours = await _read(port, text, f"/ours/{name}/{warned}")
        assert ours == await _read(port, text, f"/usual/{name}/{warned}"), name


@pytest.mark.asyncio
async def test_a_connection_goes_on_after_an_answer(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(3):
        writer.write(REQUESTS["usual"].format("/ours/created/quiet").encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 201 Created\r\n")
        assert await reader.readexactly(3) == b"{}\n"
    writer.close()
