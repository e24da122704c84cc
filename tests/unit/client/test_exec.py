import asyncio
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec
import pytest
from aiohttp import web

from kedge.aio.turn import turn
from kedge.client import (
    BadAnswer,
    Client,
    Command,
    DeadlineExceeded,
    Disconnected,
    Result,
)
from kedge.client.channels import PIECE, V4, V5
from kedge.kube import errors
from tests.unit.client.peer import STEADY, Tokens, access, client, in_turn, reply, serving

SUCCESS = b'\x03{"status":"Success"}'
FAILED = b"\x03" + msgspec.json.encode(
    {
        "status": "Failure",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": "3"}]},
    }
)

Script = Callable[[web.WebSocketResponse], Awaitable[None]]


@dataclass
class Node:
    """A server that runs scripts of ours in place of commands."""

    script: Script
    protocols: tuple[str, ...] = (V5, V4)
    url: str = ""
    refused: str = ""
    requests: list[web.Request] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        if request.headers["Authorization"] == self.refused:
            return web.json_response(errors.Unauthorized("who").status, status=401)
        socket = web.WebSocketResponse(protocols=self.protocols, timeout=0.1, autoping=False)
        await socket.prepare(request)
        await self.script(socket)
        return socket


@asynccontextmanager
async def node(script: Script, protocols: tuple[str, ...] = (V5, V4)) -> AsyncIterator[Node]:
    made = Node(script, protocols)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield made
    finally:
        await runner.cleanup()


def saying(*messages: bytes) -> Script:
    async def script(socket: web.WebSocketResponse) -> None:
        for message in messages:
            await socket.send_bytes(message)

    return script


def transport_of(socket: web.WebSocketResponse) -> asyncio.WriteTransport:
    assert socket._req is not None
    transport = socket._req.transport
    assert isinstance(transport, asyncio.WriteTransport)
    return transport


async def echo(socket: web.WebSocketResponse) -> None:
    """Do what `cat` does."""
    async for message in socket:
        if message.data == b"\xff\x00":
            break
        await socket.send_bytes(b"\x01" + message.data[1:])
    await socket.send_bytes(SUCCESS)


def of(server: Node, **settings: Any) -> Client:
    return Client(access(server.url), dataclasses.replace(STEADY, **settings))


@pytest.mark.asyncio
async def test_outputs_are_told_apart_and_put_together() -> None:
    script = saying(b"\x01", b"\x01a", b"\x02x", b"\x01b\n", b"", b"\x09?", b"\x02y", FAILED)
    async with node(script) as server, of(server) as kube:
        result = await kube.exec("pod", "ns", ["sh", "-c", "a; b & c=+%"], container="main")
    assert result == Result(3, b"ab\n", b"xy")
    (request,) = server.requests
    assert request.path == "/api/v1/namespaces/ns/pods/pod/exec"
    assert list(request.query.items()) == [
        ("command", "sh"),
        ("command", "-c"),
        ("command", "a; b & c=+%"),
        ("container", "main"),
        ("stdout", "true"),
        ("stderr", "true"),
    ]
    assert request.headers["Authorization"] == "Bearer t"
    assert request.headers["Sec-WebSocket-Protocol"].replace(" ", "") == f"{V5},{V4}"


@pytest.mark.asyncio
async def test_a_terminal_has_one_output() -> None:
    async with node(saying(SUCCESS)) as server, of(server) as kube:
        await kube.exec("pod", "ns", ["top"], tty=True)
    assert dict(server.requests[0].query) == {"command": "top", "stdout": "true", "tty": "true"}


@pytest.mark.asyncio
@pytest.mark.parametrize("protocols", [(V5,), (V4,), (V4, V5), (V5, V4)])
async def test_the_server_picks_the_protocol(protocols: tuple[str, ...]) -> None:
    async with node(saying(b"\x01a", SUCCESS), protocols) as server, of(server) as kube:
        assert await kube.exec("pod", "ns", ["true"]) == Result(0, b"a", b"")
        async with kube.exec_session("pod", "ns", Command(["true"])) as session:
            assert session.protocol in protocols


@pytest.mark.asyncio
async def test_a_server_that_picks_none_is_not_understood() -> None:
    async with node(saying(SUCCESS), ()) as server, of(server) as kube:
        with pytest.raises(BadAnswer, match=r"v5\.channel\.k8s\.io, v4"):
            await kube.exec("pod", "ns", ["true"])


async def pieces(*data: bytes) -> AsyncIterator[bytes]:
    for one in data:
        yield one


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("stdin", "expected"),
    [
        (b"", b""),
        (b"abc", b"abc"),
        (b"x" * 300_000, b"x" * 300_000),
        (pieces(), b""),
        (pieces(b"a", b"", b"b" * 100_000), b"a" + b"b" * 100_000),
    ],
    ids=["empty", "short", "long", "no pieces", "pieces"],
)
async def test_input_is_sent_whole_and_ended(stdin: Any, expected: bytes) -> None:
    async with node(echo) as server, of(server) as kube:
        assert await kube.exec("pod", "ns", ["cat"], stdin=stdin) == Result(0, expected, b"")
    assert server.requests[0].query["stdin"] == "true"


@pytest.mark.asyncio
async def test_v4_can_not_tell_the_end_of_the_input_and_the_error_says_so() -> None:
    async with node(echo, (V4,)) as server, of(server) as kube:
        with pytest.raises(DeadlineExceeded, match=r"over v4\.channel\.k8s\.io it is not told"):
            await kube.exec("pod", "ns", ["cat"], stdin=b"x", timeout_seconds=0.2)


@pytest.mark.asyncio
async def test_a_command_that_ends_leaves_the_rest_of_its_input() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 100_000

    async def closing(socket: web.WebSocketResponse) -> None:
        await socket.receive()
        await socket.send_bytes(SUCCESS)
        await socket.close()

    async def resetting(socket: web.WebSocketResponse) -> None:
        await socket.receive()
        await socket.send_bytes(SUCCESS)
        # What has come and was not read makes this a reset on the wire.
        transport_of(socket).close()

    for script in (closing, resetting):
        async with node(script) as server, of(server) as kube:
            result = await kube.exec("pod", "ns", ["true"], stdin=endless(), timeout_seconds=10)
        assert result.code == 0


@pytest.mark.asyncio
async def test_an_input_that_waits_for_ever_does_not_hold_up_the_end() -> None:
    async def silent() -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""

    async with node(saying(FAILED)) as server, of(server) as kube:
        assert (await kube.exec("pod", "ns", ["false"], stdin=silent())).code == 3


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [KeyError("mine"), Disconnected("mine"), TimeoutError("mine")])
async def test_an_input_that_fails_is_told_as_it_is(error: Exception) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"a"
        raise error

    async with node(echo) as server, of(server) as kube:
        with pytest.raises(type(error), match="mine"):
            await kube.exec("pod", "ns", ["cat"], stdin=broken())


@pytest.mark.asyncio
async def test_output_beyond_the_limit_is_cut_and_counted() -> None:
    script = saying(b"\x01abc", b"\x01def", b"\x02" + b"x" * 7, b"\x01ghi", SUCCESS)
    async with node(script) as server, of(server, output_bytes=5) as kube:
        assert await kube.exec("pod", "ns", ["x"]) == Result(0, b"abcde", b"xxxxx", 6)
    async with node(script) as server, of(server, output_bytes=9) as kube:
        assert await kube.exec("pod", "ns", ["x"]) == Result(0, b"abcdefghi", b"x" * 7, 0)


@pytest.mark.asyncio
async def test_a_command_that_could_not_be_run_is_an_error_of_the_server() -> None:
    status = msgspec.json.encode(errors.internal_error("no such program").status)
    async with node(saying(b"\x01x", b"\x03" + status)) as server, of(server) as kube:
        with pytest.raises(errors.InternalError, match="no such program"):
            await kube.exec("pod", "ns", ["nosuch"], stdin=b"x")


@pytest.mark.asyncio
async def test_a_connection_that_is_closed_before_the_end_is_lost() -> None:
    async def closing(socket: web.WebSocketResponse) -> None:
        await socket.send_bytes(b"\x01x")
        await socket.close(code=1011, message=b"the node is gone")

    async def cutting(socket: web.WebSocketResponse) -> None:
        await socket.send_bytes(b"\x01x")
        transport_of(socket).abort()

    for script in (closing, cutting, saying(), saying(b"\x01x", b"\x03")):
        async with node(script) as server, of(server) as kube:
            with pytest.raises(Disconnected, match="the connection was closed"):
                await kube.exec("pod", "ns", ["true"], stdin=b"x")


@pytest.mark.asyncio
async def test_a_command_that_takes_too_long() -> None:
    ended = asyncio.Event()

    async def script(socket: web.WebSocketResponse) -> None:
        async for _ in socket:
            pass
        ended.set()

    async with node(script) as server, of(server, exec_seconds=0.1) as kube:
        with pytest.raises(DeadlineExceeded, match=r"pod 'pod' did not end within 0\.1 s$"):
            await kube.exec("pod", "ns", ["sleep"])
        await asyncio.wait_for(ended.wait(), 10)
        with pytest.raises(DeadlineExceeded, match=r"within 0\.05 s"):
            await kube.exec("pod", "ns", ["sleep"], timeout_seconds=0.05)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.BadRequest("container x is not valid for pod a"), 400),
        (errors.forbidden("", "pods", "a", "no exec for you"), 403),
        (errors.not_found("", "pods", "a"), 404),
        (errors.InternalError("dial tcp: refused"), 500),
    ],
)
async def test_a_refusal_is_raised_as_the_error_it_is(error: errors.ApiError, code: int) -> None:
    async with serving(in_turn(reply(code, error.status))) as peer, client(peer) as kube:
        with pytest.raises(type(error)) as raised:
            await kube.exec("a", "ns", ["true"])
        assert raised.value.status == error.status
        assert len(peer.seen) == 1
        # The connection was not upgraded, and serves the next request.
        with pytest.raises(type(error)):
            await kube.exec("a", "ns", ["true"])
    assert peer.connections == 1


@pytest.mark.asyncio
async def test_a_server_that_does_not_upgrade_is_not_understood() -> None:
    async with serving(in_turn(reply(200, {}))) as peer, client(peer) as kube:
        with pytest.raises(BadAnswer):
            await kube.exec("a", "ns", ["true"])
        peer.answer = in_turn(b"HTTP/1.1 101 X\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\n\r\n")
        with pytest.raises((BadAnswer, Disconnected)):
            await kube.exec("a", "ns", ["true"])


@pytest.mark.asyncio
async def test_a_refused_login_is_renewed_once() -> None:
    credentials = Tokens("old", "new")

    async with node(saying(SUCCESS)) as server:
        server.refused = "Bearer old"
        async with Client(access(server.url, credentials), STEADY) as kube:
            assert (await kube.exec("a", "ns", ["true"])).code == 0
    assert len(server.requests) == 2
    assert len(credentials.refusals) == 1


@pytest.mark.parametrize("words", [[], (), "ls -l", b"ls"])
@pytest.mark.asyncio
async def test_a_command_is_a_list_of_words(words: Any) -> None:
    async with Client(access("http://127.0.0.1:9"), STEADY) as kube:
        with pytest.raises(ValueError, match="a list of words"):
            await kube.exec("a", "ns", words)


@pytest.mark.asyncio
async def test_a_session_is_a_talk() -> None:
    async def script(socket: web.WebSocketResponse) -> None:
        for _ in range(3):
            message = await socket.receive()
            await socket.send_bytes(b"\x01" + message.data)
        await socket.send_bytes(FAILED)

    async with (
        node(script) as server,
        of(server) as kube,
        kube.exec_session("pod", "ns", Command(["sh"], has_input=True, tty=True)) as session,
    ):
        await session.resize(80, 24)
        assert await session.read() == (1, b'\x04{"Width":80,"Height":24}')
        await session.write(b"hello")
        assert await session.read() == (1, b"\x00hello")
        assert await session.end_input()
        assert await session.read() == (1, b"\xff\x00")
        assert session.code is None
        assert await session.read() is None
        assert await session.read() is None
        assert session.code == 3


@pytest.mark.asyncio
async def test_a_session_of_v4_admits_that_it_can_not_end_the_input() -> None:
    async with (
        node(saying(SUCCESS), (V4,)) as server,
        of(server) as kube,
        kube.exec_session("pod", "ns", Command(["cat"], has_input=True)) as session,
    ):
        assert not await session.end_input()


@pytest.mark.asyncio
async def test_text_messages_are_bytes_too() -> None:
    async def script(socket: web.WebSocketResponse) -> None:
        await socket.send_str("\x01é")
        await socket.send_bytes(SUCCESS)

    async with node(script) as server, of(server) as kube:
        assert (await kube.exec("pod", "ns", ["x"])).stdout == "é".encode()


@pytest.mark.asyncio
async def test_a_quiet_connection_is_kept_alive() -> None:
    async def script(socket: web.WebSocketResponse) -> None:
        for _ in range(3):
            assert (await socket.receive()).type is aiohttp.WSMsgType.PING
        await socket.send_bytes(SUCCESS)

    async with node(script) as server, of(server, quiet_seconds=0.02) as kube:
        assert (await kube.exec("pod", "ns", ["sleep"])).code == 0


@pytest.mark.asyncio
async def test_whoever_writes_lets_others_run_between_the_pieces() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await turn()

    async with (
        node(echo) as server,
        of(server) as kube,
        kube.exec_session("pod", "ns", Command(["cat"], has_input=True)) as session,
        asyncio.TaskGroup() as group,
    ):
        counting = group.create_task(count())
        await session.write(b"x" * PIECE * 3)
        counting.cancel()
    assert turns >= 3
