"""TLS over our own sockets, against the TLS server of asyncio."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kedge.aio.turn import turn
from kedge.client.sockets import FusedSocket
from kedge.client.tls import Transport, connect
from tests.integration.eventually import eventually
from tests.real_cluster.certificates import Authority

pytestmark = pytest.mark.asyncio

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
MUCH = bytes(range(256)) * 2**14
"""Four megabytes: more than the kernel takes at once."""


class Ear(asyncio.Protocol):
    """Hears what comes."""

    def __init__(self) -> None:
        self.transport: Transport | None = None
        self.heard = bytearray()
        self.is_lost = False
        self.why: Exception | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        assert data
        self.heard += data

    def connection_lost(self, exc: Exception | None) -> None:
        assert not self.is_lost
        self.is_lost, self.why = True, exc

    def say(self, data: bytes) -> None:
        assert self.transport is not None
        self.transport.write(data)

    async def until_lost(self) -> None:
        await eventually(lambda: self.is_lost)


class Server:
    """A TLS server, and what a client needs to trust it."""

    def __init__(self, folder: Path) -> None:
        authority = Authority(folder)
        pair = authority.server()
        self.theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.theirs.load_cert_chain(pair.certificate, pair.key)
        self.ours = ssl.create_default_context(cafile=str(authority.file))
        self.port = 0

    @asynccontextmanager
    async def running(self, talk: Talk) -> AsyncIterator[None]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await talk(reader, writer)
            except (OSError, EOFError):
                pass
            finally:
                writer.close()

        made = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=self.theirs)
        self.port = made.sockets[0].getsockname()[1]
        async with made:
            yield

    async def plug(self, *, fuse: Callable[[], bool] = lambda: True) -> socket.socket:
        made = FusedSocket(socket.AF_INET, socket.SOCK_STREAM)
        made.fuse = fuse
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", self.port))
        return made

    async def call(self, name: str = "localhost", plug: socket.socket | None = None) -> Ear:
        ear = Ear()
        plug = plug or await self.plug()
        try:
            await connect(plug, self.ours, name, ear)
        except BaseException:
            plug.close()
            raise
        return ear


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    return Server(tmp_path_factory.mktemp("tls"))


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(2**16):
        writer.write(data)
        await writer.drain()


async def test_what_is_said_is_heard_and_answered(server: Server) -> None:
    async with server.running(echo):
        ear = await server.call()
        for text in (b"one", b"two", b"x" * 2**14, b"y" * (2**14 + 1)):
            ear.say(text)
            await eventually(lambda text=text: ear.heard == text)  # type: ignore[misc]
            ear.heard.clear()
        assert ear.transport is not None
        ear.transport.abort()
        await ear.until_lost()
        assert ear.why is None


async def test_more_than_the_kernel_takes_arrives_whole(server: Server) -> None:
    async with server.running(echo):
        ear = await server.call()
        ear.say(MUCH)
        ear.say(b"end")
        await eventually(lambda: len(ear.heard) == len(MUCH) + 3, 60)
        assert bytes(ear.heard) == MUCH + b"end"
        ear.say(b"and on")
        await eventually(lambda: ear.heard.endswith(b"endand on"))


async def test_what_comes_while_it_is_paused_is_heard_later(server: Server) -> None:
    async with server.running(echo):
        ear = await server.call()
        assert ear.transport is not None
        ear.transport.pause_reading()
        ear.transport.pause_reading()
        ear.say(b"one")
        for _ in range(100):
            await turn()
        assert not ear.heard
        ear.transport.resume_reading()
        ear.transport.resume_reading()
        await eventually(lambda: ear.heard == b"one")
        ear.transport.pause_reading()
        ear.transport.abort()
        ear.transport.resume_reading()
        await ear.until_lost()


async def test_what_comes_while_it_is_paused_can_be_looked_at(server: Server) -> None:
    async with server.running(echo):
        ear = await server.call()
        transport = ear.transport
        assert transport is not None
        transport.pause_reading()
        transport.look()
        assert not ear.heard  # there was nothing
        ear.say(b"one")

        def is_heard() -> bool:
            transport.look()
            return ear.heard == b"one"

        await eventually(is_heard)
        ear.say(b"two")
        for _ in range(100):
            await turn()
        assert ear.heard == b"one"  # it is still paused
        transport.abort()
        transport.look()
        await ear.until_lost()


async def test_what_the_server_says_first_is_heard(server: Server) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        await reader.read()

    async with server.running(greet):
        ear = await server.call()
        await eventually(lambda: ear.heard == b"hello")


async def test_an_end_in_good_order_has_no_reason(server: Server) -> None:
    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"bye")

    async with server.running(leave):
        ear = await server.call()
        await ear.until_lost()
        assert ear.heard == b"bye"
        assert ear.why is None
        ear.say(b"too late")
        assert ear.transport is not None
        assert ear.transport.is_closing()


async def test_a_connection_that_breaks_is_told_after_what_came_before(server: Server) -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"half")
        await writer.drain()
        await reader.readexactly(2)
        plug = writer.get_extra_info("socket")
        plug.shutdown(socket.SHUT_RDWR)
        await reader.read()

    async with server.running(cut):
        ear = await server.call()
        await eventually(lambda: ear.heard == b"half")
        ear.say(b"go")
        await ear.until_lost()
        assert isinstance(ear.why, OSError)


@pytest.mark.parametrize("name", ["elsewhere.example.org", "10.0.0.1"])
async def test_a_server_of_another_name_is_refused(server: Server, name: str) -> None:
    async with server.running(echo):
        with pytest.raises(ssl.SSLCertVerificationError):
            await server.call(name)


async def test_a_server_that_nobody_vouches_for_is_refused(server: Server, tmp_path: Path) -> None:
    other = Server(tmp_path)
    async with server.running(echo):
        other.port = server.port
        with pytest.raises(ssl.SSLCertVerificationError):
            await other.call()


async def test_a_server_that_does_not_greet_is_no_server(server: Server) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)

    made = await asyncio.start_server(hang_up_after(hang_up), "127.0.0.1", 0)
    async with made:
        server.port = made.sockets[0].getsockname()[1]
        with pytest.raises(OSError, match=r"ended the connection|EOF|reset"):
            await server.call()


def hang_up_after(talk: Talk) -> Talk:
    async def both(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await talk(reader, writer)
        writer.close()

    return both


async def test_a_client_that_must_show_a_certificate_hears_why_it_is_sent_away(
    tmp_path: Path,
) -> None:
    strict = Server(tmp_path)
    strict.theirs.verify_mode = ssl.CERT_REQUIRED
    strict.theirs.load_verify_locations(tmp_path / "ca.crt")
    with socket.create_server(("127.0.0.1", 0)) as door:
        strict.port = door.getsockname()[1]
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(refuse, door, strict.theirs))
            ear = await strict.call()
            await ear.until_lost()
        assert "certificate required" in str(ear.why).lower()


def refuse(door: socket.socket, context: ssl.SSLContext) -> None:
    """Greet one client as OpenSSL does: asyncio does not say what it dislikes."""
    plug, _ = door.accept()
    with plug, pytest.raises(ssl.SSLError):
        context.wrap_socket(plug, server_side=True)


async def test_nothing_is_sent_once_the_fuse_is_blown(server: Server) -> None:
    heard, is_whole = bytearray(), True

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            heard.extend(data)

    async with server.running(listen):
        ear = await server.call(plug=await server.plug(fuse=lambda: is_whole))
        ear.say(b"before")
        await eventually(lambda: heard == b"before")
        is_whole = False
        ear.say(b"after")
        await ear.until_lost()
        assert isinstance(ear.why, ConnectionAbortedError)
        assert heard == b"before"
