import asyncio
import socket
import sys

import aiohttp
import pytest

from kedge.client import sockets

ADDRESS: aiohttp.AddrInfoType = (
    socket.AF_INET,
    socket.SOCK_STREAM,
    socket.IPPROTO_TCP,
    "",
    ("127.0.0.1", 0),
)


def test_a_socket_watches_over_its_peer() -> None:
    with sockets.make(ADDRESS) as made:
        assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


@pytest.mark.skipif(sys.platform != "linux", reason="TCP_USER_TIMEOUT is of Linux")
@pytest.mark.parametrize(("seconds", "milliseconds"), [(30.0, 30_000), (0.7, 700), (0.0, 1)])
def test_unacknowledged_bytes_are_given_up_by_the_system(seconds: float, milliseconds: int) -> None:
    with sockets.make(ADDRESS, unacknowledged_seconds=seconds) as made:
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == milliseconds


@pytest.mark.asyncio
async def test_a_blown_fuse_lets_no_byte_through() -> None:
    whole = True
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            heard.append(data)
            writer.write(b"heard")
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    async with server:
        made = sockets.make(ADDRESS, lambda: whole)
        made.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(made, server.sockets[0].getsockname())
        reader, writer = await asyncio.open_connection(sock=made)
        writer.write(b"first")
        assert await reader.read(100) == b"heard"
        whole = False
        writer.write(b"second")
        with pytest.raises(ConnectionError, match="nothing may be sent any more"):
            await writer.wait_closed()
    assert heard == [b"first"]


@pytest.mark.parametrize("verb", ["send", "sendmsg"])
def test_every_way_of_sending_asks(verb: str) -> None:
    with sockets.make(ADDRESS, lambda: False) as made, pytest.raises(ConnectionAbortedError):
        getattr(made, verb)(b"x" if verb == "send" else [b"x"])
