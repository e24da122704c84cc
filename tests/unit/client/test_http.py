import asyncio
import dataclasses
import socket
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from kedge.client import (
    BadAnswer,
    ClientError,
    ClientSettings,
    DeadlineExceeded,
    Deletion,
    Disconnected,
    Unreachable,
    patches,
    sockets,
)
from kedge.client.http import Transport
from kedge.client.requests import Request
from kedge.client.retry import Retrying
from kedge.client.where import LoginFailed
from kedge.kube import errors
from kedge.kube.kind import plain
from kedge.testing import FakeClock
from tests.unit.client.peer import (
    STEADY,
    Cut,
    Peer,
    Seen,
    Tokens,
    access,
    client,
    in_turn,
    in_virtual_time,
    reply,
    serving,
)

CONFIGS = plain("v1", "ConfigMap", "configmaps")
READ = Request("GET", "/x", repeatable=True)
WRITE = Request("POST", "/x", body=b"{}")
CONFIG = {"metadata": {"name": "a", "namespace": "ns"}}


@pytest.mark.asyncio
async def test_a_request_on_the_wire() -> None:
    async with serving(in_turn(reply())) as peer, client(peer) as kube:
        await kube.create(CONFIGS, {"metadata": {"name": "a"}, "data": {"é": "\u2028"}}, "ns")
    (seen,) = peer.seen
    assert seen.target == "/api/v1/namespaces/ns/configmaps?fieldManager=kedge"
    assert seen.headers["Authorization"] == "Bearer t"
    assert seen.headers["User-Agent"] == "kedge"
    assert seen.headers["Accept"] == "application/json"
    assert seen.headers["Content-Type"] == "application/json"
    assert '"\u2028"'.encode() in seen.body


@pytest.mark.asyncio
async def test_a_path_of_the_server_goes_before_all_others() -> None:
    async with serving(in_turn(reply())) as peer:
        way = access(f"{peer.url}/k8s/clusters/c-1%2Fx/")
        async with Transport(way, STEADY, FakeClock()) as transport:
            await transport.send(READ)
    assert peer.seen[0].target == "/k8s/clusters/c-1%2Fx/x"


@pytest.mark.asyncio
async def test_names_and_parameters_arrive_as_they_were_meant() -> None:
    odd = "a; b&c=d+e %é/?#'\"\n\\"
    async with serving(in_turn(reply())) as peer, client(peer) as kube:
        await kube.send(Request("GET", "/x/a%2Fb%3F", {"q": odd, "empty": ""}))
    assert peer.seen[0].path == "/x/a%2Fb%3F"
    assert peer.seen[0].query == [("q", odd), ("empty", "")]
    # Servers written in Go take a semicolon for a mistake.
    assert ";" not in peer.seen[0].target


@pytest.mark.asyncio
@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
async def test_a_read_is_sent_again_after_longer_and_longer_waits(code: int) -> None:
    clock = FakeClock()
    answers = in_turn(*[reply(code)] * 4, reply(200, {"a": 1}))
    async with serving(answers) as peer, client(peer, clock) as kube:
        response, slept = await in_virtual_time(clock, kube.send(READ))
    assert (response.code, slept) == (200, [1.0, 2.0, 4.0, 8.0])
    assert len(peer.seen) == 5


@pytest.mark.asyncio
async def test_the_last_failure_is_the_answer() -> None:
    clock = FakeClock()
    async with serving(in_turn(reply(503))) as peer, client(peer, clock) as kube:
        with pytest.raises(errors.ServiceUnavailable):
            await in_virtual_time(clock, kube.get(CONFIGS, "a", "ns"))
    assert len(peer.seen) == 5


@pytest.mark.asyncio
async def test_a_write_is_sent_again_where_the_server_has_not_looked_at_it() -> None:
    clock = FakeClock()
    answers = in_turn(reply(429, Retry_After="7"), reply(201, CONFIG))
    async with serving(answers) as peer, client(peer, clock) as kube:
        made, slept = await in_virtual_time(clock, kube.create(CONFIGS, CONFIG))
    assert (made, slept) == (CONFIG, [7.0])
    assert peer.seen[0].body == peer.seen[1].body


@pytest.mark.asyncio
@pytest.mark.parametrize("code", [500, 502, 503, 504])
async def test_a_write_that_may_have_been_done_is_not_sent_again(code: int) -> None:
    async with serving(in_turn(reply(code, Retry_After="1"))) as peer, client(peer) as kube:
        with pytest.raises(errors.ApiError) as raised:
            await kube.create(CONFIGS, CONFIG)
    assert raised.value.code == code
    assert len(peer.seen) == 1


@pytest.mark.asyncio
async def test_the_deadline_ends_the_attempts() -> None:
    clock = FakeClock()
    settings = ClientSettings(
        deadline_seconds=20, retrying=Retrying(attempts=99, backoff=STEADY.retrying.backoff)
    )
    async with serving(in_turn(reply(503))) as peer, client(peer, clock, settings) as kube:
        response, slept = await in_virtual_time(clock, kube.send(READ))
    assert (response.code, slept) == (503, [1.0, 2.0, 4.0, 8.0])
    assert len(peer.seen) == 5


@pytest.mark.asyncio
async def test_a_wish_beyond_the_deadline_is_not_waited_for() -> None:
    settings = dataclasses.replace(STEADY, deadline_seconds=5)
    answers = in_turn(reply(429, Retry_After="30"))
    async with serving(answers) as peer, client(peer, settings=settings) as kube:
        with pytest.raises(errors.TooManyRequests):
            await kube.get(CONFIGS, "a", "ns")
    assert len(peer.seen) == 1


@pytest.mark.asyncio
async def test_no_turn_before_the_deadline_is_no_request() -> None:
    clock = FakeClock()
    settings = dataclasses.replace(STEADY, per_second=0.1, burst=1, deadline_seconds=9)
    async with serving(in_turn(reply())) as peer, client(peer, clock, settings) as kube:
        await kube.send(READ)
        with pytest.raises(DeadlineExceeded, match="no time was left to send GET /x"):
            await in_virtual_time(clock, kube.send(READ))
    assert len(peer.seen) == 1


@pytest.mark.asyncio
async def test_each_attempt_waits_for_its_turn() -> None:
    clock = FakeClock()
    settings = dataclasses.replace(STEADY, per_second=0.1, burst=1)
    answers = in_turn(reply(503), reply())
    async with serving(answers) as peer, client(peer, clock, settings) as kube:
        _, slept = await in_virtual_time(clock, kube.send(READ))
    assert slept == [1.0, 9.0]
    assert len(peer.seen) == 2


@pytest.mark.asyncio
async def test_an_answer_before_the_body_has_come_is_read() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply(413, errors.TooLarge("too large").status, Connection="close"))
        await writer.drain()
        # The rest has not been read, so this is a reset on the wire.
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    peer = Peer(in_turn(reply()), f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    async with server, client(peer) as kube:
        for size in (1_000_000, 20_000_000):
            with pytest.raises(errors.TooLarge):
                await kube.create(CONFIGS, {"data": {"x": "x" * size}}, "ns")


def test_sending_to_a_peer_that_is_gone_does_not_hide_what_it_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        made = sockets.make((socket.AF_INET, socket.SOCK_STREAM, 0, "", address))
        with made:
            made.settimeout(10)
            made.connect(address)
            peer, _ = listener.accept()
            made.sendall(b"question")
            peer.sendall(b"answer")
            # The question was not read, so this is a reset on the wire.
            peer.close()
            assert made.send(b"more") == 4
            assert made.sendmsg([b"more", memoryview(b"and more")]) == 12
            assert made.recv(100) == b"answer"
            assert made.recv(100) == b""


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [0, 1, 65_000, 66_000, 3_000_000])
async def test_a_body_of_any_size_arrives_whole(size: int) -> None:
    async with serving(in_turn(reply())) as peer, client(peer) as kube:
        await kube.send(Request("PUT", "/x", body=b"x" * size, media="text/x"))
    (seen,) = peer.seen
    assert seen.body == b"x" * size
    assert seen.headers["Content-Length"] == str(size)
    assert seen.headers["Content-Type"] == "text/x"
    assert "Transfer-Encoding" not in seen.headers


CUTS: list[Any] = [
    pytest.param(Cut(), id="before the answer"),
    pytest.param(Cut(b"HTTP/1.1 200 OK\r\nContent-"), id="within the head"),
    pytest.param(Cut(reply(200, {"a": "b"})[:-3]), id="within the body"),
    pytest.param(
        Cut(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
        id="before the last chunk",
    ),
]


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", CUTS)
async def test_a_read_survives_a_cut(cut: Cut) -> None:
    clock = FakeClock()
    answers = in_turn(cut, reply(200, CONFIG))
    async with serving(answers) as peer, client(peer, clock) as kube:
        got, slept = await in_virtual_time(clock, kube.get(CONFIGS, "a", "ns"))
    assert (got, slept) == (CONFIG, [1.0])
    assert len(peer.seen) == 2


async def write(kube: Any, how: str) -> Any:
    if how == "create":
        return await kube.create(CONFIGS, CONFIG)
    if how == "update":
        return await kube.update(CONFIGS, CONFIG)
    if how == "json patch":
        return await kube.patch(CONFIGS, "a", patches.json([]), "ns")
    if how == "patch of a version":
        change = patches.merge({"metadata": {"resourceVersion": "1"}})
        return await kube.patch(CONFIGS, "a", change, "ns")
    if how == "delete":
        return await kube.delete(CONFIGS, "a", "ns")
    if how == "delete of a version":
        return await kube.delete(CONFIGS, "a", "ns", Deletion(resource_version="1"))
    return await kube.delete_collection(CONFIGS)


WRITES = [
    "create",
    "update",
    "json patch",
    "patch of a version",
    "delete",
    "delete of a version",
    "delete collection",
]


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("how", WRITES)
async def test_a_write_is_never_sent_twice_when_the_connection_breaks(how: str, cut: Cut) -> None:
    # Over a fresh connection, and over one that was used before.
    for used in (False, True):
        answers = in_turn(*[reply()] * used, cut)
        async with serving(answers) as peer, client(peer) as kube:
            if used:
                await kube.send(READ)
            with pytest.raises(Disconnected):
                await write(kube, how)
        assert len(peer.seen) == 1 + used


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "send",
    [
        lambda kube: kube.delete(CONFIGS, "a", "ns", Deletion(uid="u")),
        lambda kube: kube.patch(CONFIGS, "a", patches.merge({}), "ns"),
    ],
    ids=["delete of a uid", "merge patch"],
)
async def test_a_write_that_does_no_more_when_done_twice_survives_a_cut(send: Any) -> None:
    clock = FakeClock()
    async with serving(in_turn(Cut(), reply())) as peer, client(peer, clock) as kube:
        await in_virtual_time(clock, send(kube))
    assert len(peer.seen) == 2


@pytest.mark.asyncio
async def test_a_server_that_is_not_there_gets_even_writes_later() -> None:
    clock = FakeClock()
    async with serving(in_turn(reply(201, CONFIG))) as peer:
        pass
    async with client(peer, clock) as kube:
        with pytest.raises(Unreachable, match="can not be reached"):
            await in_virtual_time(clock, kube.create(CONFIGS, CONFIG))
    assert clock.monotonic() == 15.0


@pytest.mark.asyncio
async def test_a_slow_answer_is_given_up() -> None:
    never = asyncio.Event()

    async def answer(seen: Seen) -> bytes:
        if len(peer.seen) == 1:
            await never.wait()
        return reply(200, CONFIG)

    clock = FakeClock()
    settings = dataclasses.replace(STEADY, answer_seconds=0.05)
    async with serving(answer) as peer, client(peer, clock, settings) as kube:
        got, slept = await in_virtual_time(clock, kube.get(CONFIGS, "a", "ns"))
        assert (got, slept) == (CONFIG, [1.0])
        peer.seen.clear()
        with pytest.raises(DeadlineExceeded, match=r"POST /api/v1/.* within 0\.05 s"):
            await kube.create(CONFIGS, CONFIG)
    assert peer.methods == ["POST"]


@pytest.mark.asyncio
async def test_a_body_that_never_ends_is_given_up() -> None:
    async def answer(seen: Seen) -> bytes:
        return b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"

    settings = dataclasses.replace(STEADY, answer_seconds=0.05)
    async with serving(answer) as peer, client(peer, settings=settings) as kube:
        with pytest.raises(DeadlineExceeded):
            await kube.send(WRITE)


@pytest.mark.asyncio
async def test_a_refused_login_is_renewed_once() -> None:
    credentials = Tokens("old", "new")
    answers = in_turn(reply(401), reply(200, CONFIG))
    async with serving(answers) as peer, client(peer, credentials=credentials) as kube:
        await kube.update(CONFIGS, CONFIG)
    assert [seen.headers["Authorization"] for seen in peer.seen] == ["Bearer old", "Bearer new"]
    (login,) = credentials.refusals
    assert login is not None
    assert login.headers["Authorization"] == "Bearer old"


@pytest.mark.asyncio
async def test_a_login_that_is_refused_again_is_unauthorized() -> None:
    credentials = Tokens("a", "b", "c", "d")
    async with (
        serving(in_turn(reply(401))) as peer,
        client(peer, credentials=credentials) as kube,
    ):
        with pytest.raises(errors.Unauthorized):
            await kube.get(CONFIGS, "a", "ns")
        assert len(peer.seen) == 2
        with pytest.raises(errors.Unauthorized):
            async with kube.watch(CONFIGS):
                pass
    assert len(peer.seen) == 4


@pytest.mark.asyncio
async def test_a_login_that_can_not_be_renewed_is_not_tried_again() -> None:
    async with serving(in_turn(reply(401))) as peer, client(peer) as kube:
        with pytest.raises(errors.Unauthorized):
            await kube.get(CONFIGS, "a", "ns")
    assert len(peer.seen) == 1


@pytest.mark.asyncio
async def test_a_login_that_fails_may_work_later() -> None:
    class Once(Tokens):
        async def login(self) -> Any:
            if not self.refusals:
                self.refusals.append(None)
                raise LoginFailed("the provider is away")
            return await super().login()

    clock = FakeClock()
    async with serving(in_turn(reply())) as peer, client(peer, clock, STEADY, Once("t")) as kube:
        _, slept = await in_virtual_time(clock, kube.send(WRITE))
    assert slept == [1.0]


@pytest.mark.asyncio
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed_so_that_nobody_else_sees_the_credentials(
    code: int,
) -> None:
    async with serving(in_turn(reply())) as other:
        answers = in_turn(reply(code, Location=f"{other.url}/y"))
        async with serving(answers) as peer, client(peer) as kube:
            for send in (
                lambda: kube.get(CONFIGS, "a", "ns"),
                lambda: kube.delete_collection(CONFIGS),
                lambda: kube.exec("a", "ns", ["true"]),
            ):
                with pytest.raises(BadAnswer, match="which is not followed"):
                    await send()
            with pytest.raises(BadAnswer, match="which is not followed"):
                async with kube.watch(CONFIGS):
                    pass
    assert other.seen == []


@pytest.mark.asyncio
async def test_cookies_are_not_kept() -> None:
    answers = in_turn(reply(200, {}, Set_Cookie="a=b; Path=/"))
    async with serving(answers) as peer, client(peer) as kube:
        await kube.send(READ)
        await kube.send(READ)
    assert "Cookie" not in peer.seen[1].headers


@pytest.mark.asyncio
async def test_a_connection_is_used_again() -> None:
    async with serving(in_turn(reply(200, {"items": []}))) as peer, client(peer) as kube:
        for _ in range(10):
            await kube.page(CONFIGS)
        with pytest.raises(BadAnswer):
            await kube.get(CONFIGS.into(int), "a", "ns")
        await kube.page(CONFIGS)
    assert peer.connections == 1


@pytest.mark.asyncio
async def test_no_more_connections_than_are_allowed() -> None:
    settings = dataclasses.replace(STEADY, connections=2)
    async with (
        serving(in_turn(reply())) as peer,
        client(peer, settings=settings) as kube,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(20):
            group.create_task(kube.send(READ))
    assert peer.connections <= 2


@pytest.mark.asyncio
async def test_a_client_can_be_used_after_it_was_closed() -> None:
    async with serving(in_turn(reply())) as peer, client(peer) as kube:
        await kube.send(READ)
        await kube.close()
        await kube.close()
        await kube.send(READ)
    assert peer.connections == 2


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "text", [b"SSH-2.0-x\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x16", b"\0" * 99]
)
async def test_a_peer_that_speaks_something_else(text: bytes) -> None:
    async with serving(in_turn(Cut(text))) as peer, client(peer) as kube:
        with pytest.raises((BadAnswer, Disconnected)):
            await kube.send(WRITE)
    assert len(peer.seen) == 1


@pytest.mark.asyncio
async def test_every_attempt_is_observed() -> None:
    heard: list[tuple[str, int]] = []
    clock = FakeClock()
    async with serving(in_turn(reply(503), Cut(), reply())) as peer:
        transport = Transport(
            access(peer.url), STEADY, clock, lambda method, code, _: heard.append((method, code))
        )
        async with transport:
            await in_virtual_time(clock, transport.send(READ))
            async with transport.open(READ):
                pass
            peer.answer = in_turn(reply(404))
            with pytest.raises(errors.NotFound):
                async with transport.open(READ):
                    pass
            with pytest.raises(errors.NotFound):
                async with transport.upgrade(READ, ("v",)):
                    pass
    assert [code for _, code in heard] == [503, 0, 200, 200, 404, 404]
    assert {method for method, _ in heard} == {"GET"}


class Stop(Exception):
    """The guard says no."""


@pytest.mark.asyncio
async def test_the_guard_looks_at_every_attempt() -> None:
    asked: list[str] = []

    def guard(request: Request) -> AbstractContextManager[float | None]:
        asked.append(request.method)
        if len(asked) == 3:
            raise Stop
        return nullcontext()

    clock = FakeClock()
    async with serving(in_turn(reply(503))) as peer, client(peer, clock) as kube:
        kube.transport.guard = guard
        with pytest.raises(Stop):
            await in_virtual_time(clock, kube.send(READ))
    assert len(peer.seen) == 2


@pytest.mark.asyncio
async def test_the_guard_sees_commands_as_writes_and_questions_as_reads() -> None:
    def guard(request: Request) -> AbstractContextManager[float | None]:
        if request.is_write:
            raise Stop
        return nullcontext()

    answers = in_turn(reply(201, {"status": {"allowed": True}}))
    async with serving(answers) as peer, client(peer) as kube:
        kube.transport.guard = guard
        assert await kube.may("get", "pods")
        with pytest.raises(Stop):
            await kube.exec("a", "ns", ["true"])
    assert peer.methods == ["POST"]


def leaves(peer: Peer, **more: Any) -> Transport:
    proxy = peer.url.replace("http://", "http://user:hunter2@")
    way = access("http://kube.example:80", Tokens("sesame"), proxy=proxy, **more)
    return Transport(way, ClientSettings(retrying=Retrying(attempts=1)), FakeClock())


@pytest.mark.asyncio
@pytest.mark.parametrize("answer", [reply(407), reply(502), Cut(), Cut(b"x")])
async def test_no_secret_is_in_what_goes_wrong_at_a_proxy(answer: Any) -> None:
    async with serving(in_turn(answer)) as peer, leaves(peer) as transport:
        for server in ("http://kube.example:80", "https://kube.example:443"):
            transport._base = server
            try:
                got: Any = await transport.send(READ)
            except ClientError as exc:
                got = exc
            seen = got
            while seen is not None:
                assert "hunter2" not in str(seen) + repr(seen)
                assert "sesame" not in str(seen) + repr(seen)
                seen = getattr(seen, "__cause__", None)
    assert peer.seen
