"""Requests that go out one behind the other: each gets its own answer, whatever happens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kedge.client import Disconnected
from kedge.client.http import Transport
from kedge.client.requests import Request
from kedge.testing import FakeClock
from tests.unit.client.peer import (
    STEADY,
    Cut,
    Seen,
    Tokens,
    access,
    in_turn,
    in_virtual_time,
    reply,
    serving,
)

PATHS = ("/a", "/b", "/c")
THREE = [Request("PATCH", path, body=b"{}", repeatable=True) for path in PATHS]
BODIES = [b'{"path":"%s"}' % path.encode() for path in PATHS]
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nD\r\n%s\r\n0\r\n\r\n"


async def echo(seen: Seen) -> bytes:
    return reply(200, {"path": seen.path})


def sender(url: str, clock: FakeClock | None = None, **more: Any) -> Transport:
    return Transport(access(url, **more), STEADY, clock or FakeClock())


@asynccontextmanager
async def patient(pieces: list[bytes]) -> AsyncIterator[str]:
    """Answer nothing before all three have come; then in these pieces."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in PATHS:
            await reader.readuntil(b"\r\n\r\n{}")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@settings(max_examples=20, deadline=None)
@given(st.booleans(), st.sets(st.integers(1, 200), max_size=8))
def test_nobody_waits_for_an_answer_before_the_next_is_sent(
    is_chunked: bool, cuts: set[int]
) -> None:
    each = [CHUNKED % body if is_chunked else reply(200, body) for body in BODIES]
    whole = b"".join(each)
    ends = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]

    async def run() -> list[bytes]:
        async with patient([whole[a:b] for a, b in pairwise(ends)]) as url, sender(url) as wire:
            return [one.body for one in await wire.send_all(THREE)]

    assert asyncio.run(run()) == BODIES


@pytest.mark.asyncio
async def test_they_share_one_connection_that_is_used_again() -> None:
    async with serving(echo) as peer, sender(peer.url) as wire:
        for _ in range(2):
            assert [one.body for one in await wire.send_all(THREE)] == BODIES
        await wire.send(THREE[0])
        assert peer.connections == 1
    assert [seen.path for seen in peer.seen] == [*PATHS, *PATHS, "/a"]


@pytest.mark.asyncio
async def test_those_without_an_answer_are_sent_again_by_themselves() -> None:
    clock = FakeClock()
    answers = in_turn(reply(200, BODIES[0]), Cut(b"HTTP/1.1 200"), *map(reply, (200,) * 3))
    async with serving(answers) as peer, sender(peer.url, clock) as wire:
        found, _ = await in_virtual_time(clock, wire.send_all(THREE))
    assert [one.code for one in found] == [200, 200, 200]
    assert [seen.path for seen in peer.seen] == ["/a", "/b", *PATHS]


@pytest.mark.asyncio
async def test_a_server_that_wants_to_end_after_each_gets_them_one_by_one() -> None:
    clock = FakeClock()
    answers = in_turn(Cut(reply(200, Connection="close")), reply(200))
    async with serving(answers) as peer, sender(peer.url, clock) as wire:
        found, _ = await in_virtual_time(clock, wire.send_all(THREE))
    assert [one.code for one in found] == [200, 200, 200]
    assert [seen.path for seen in peer.seen] == ["/a", *PATHS]


@pytest.mark.asyncio
async def test_what_must_not_be_done_twice_is_sent_alone_and_once() -> None:
    bound = Request("PATCH", "/bound", body=b"{}")
    async with serving(in_turn(reply(), Cut())) as peer, sender(peer.url) as wire:
        with pytest.raises(Disconnected):
            await wire.send_all([THREE[0], bound])
    assert [seen.path for seen in peer.seen] == ["/a", "/bound"]


@pytest.mark.asyncio
@pytest.mark.parametrize("code", [429, 503])
async def test_a_refusal_that_may_pass_is_sent_again_after_a_while(code: int) -> None:
    clock = FakeClock()
    answers = in_turn(reply(), reply(code), reply(404), reply(201))
    async with serving(answers) as peer, sender(peer.url, clock) as wire:
        found, _ = await in_virtual_time(clock, wire.send_all(THREE))
    assert [one.code for one in found] == [200, 201, 404]
    assert [seen.path for seen in peer.seen] == [*PATHS, "/b"]


@pytest.mark.asyncio
async def test_a_login_that_is_refused_is_renewed() -> None:
    async def answer(seen: Seen) -> bytes:
        return reply(401 if seen.headers["Authorization"] == "Bearer old" else 200)

    tokens = Tokens("old", "new")
    async with serving(answer) as peer, sender(peer.url, credentials=tokens) as wire:
        assert [one.code for one in await wire.send_all(THREE)] == [200, 200, 200]


@pytest.mark.asyncio
async def test_nothing_is_sent_that_the_guard_refuses() -> None:
    class Stop(Exception):
        pass

    def guard(request: Request) -> AbstractContextManager[float | None]:
        raise Stop

    async with serving(echo) as peer, sender(peer.url) as wire:
        wire.guard = guard
        with pytest.raises(Stop):
            await wire.send_all(THREE)
    assert peer.seen == []


@pytest.mark.asyncio
async def test_each_is_observed() -> None:
    heard: list[tuple[str, int]] = []

    def hear(method: str, code: int, seconds: float) -> None:
        heard.append((method, code))

    clock = FakeClock()
    answers = in_turn(Cut(), reply(200))
    async with (
        serving(answers) as peer,
        Transport(access(peer.url), STEADY, clock, hear) as wire,
    ):
        await in_virtual_time(clock, wire.send_all(THREE))
    assert heard == [("PATCH", 0)] * 3 + [("PATCH", 200)] * 3
