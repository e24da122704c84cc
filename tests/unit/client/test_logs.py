import asyncio
import dataclasses
from contextlib import aclosing
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from kedge.client import DeadlineExceeded, Disconnected
from kedge.client.logs import Log
from kedge.kube import errors
from tests.unit.client.peer import STEADY, Cut, Peer, Seen, client, in_turn, reply, serving

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
WHEN = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def read(peer: Peer, **wanted: Any) -> list[bytes]:
    async with client(peer) as kube:
        return [line async for line in kube.logs("pod", "ns", **wanted)]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\n\nb\n", [b"a", b"", b"b"]),
        (b"a\r\nb\r", [b"a\r", b"b\r"]),
        ("x\u2028y\u0085z\x0b\x0c\n".encode(), ["x\u2028y\u0085z\x0b\x0c".encode()]),
        (b"\xff\xfe\x00\n", [b"\xff\xfe\x00"]),
    ],
)
async def test_lines_end_at_newlines_and_nowhere_else(text: bytes, lines: list[bytes]) -> None:
    async with serving(in_turn(reply(200, text))) as peer:
        assert await read(peer) == lines
        for at in range(1, len(text)):
            peer.answer = in_turn(HEAD + chunk(text[:at]) + chunk(text[at:]) + END)
            assert await read(peer) == lines


@pytest.mark.asyncio
async def test_a_line_of_megabytes() -> None:
    long = b"x" * 3_000_000
    async with serving(in_turn(reply(200, b"a\n" + long + b"\nb"))) as peer:
        assert await read(peer) == [b"a", long, b"b"]


@pytest.mark.asyncio
async def test_what_is_wanted_becomes_parameters() -> None:
    async with serving(in_turn(reply(200, b""))) as peer:
        await read(peer)
        await read(
            peer,
            container="main",
            follow=True,
            previous=True,
            since_seconds=5,
            tail_lines=0,
            timestamps=True,
            limit_bytes=10,
        )
        await read(peer, since_time=WHEN)
        await read(peer, since_time=WHEN.astimezone(timezone(timedelta(hours=2))))
    assert peer.seen[0].target == "/api/v1/namespaces/ns/pods/pod/log"
    assert dict(peer.seen[1].query) == {
        "container": "main",
        "follow": "true",
        "previous": "true",
        "sinceSeconds": "5",
        "tailLines": "0",
        "timestamps": "true",
        "limitBytes": "10",
    }
    assert peer.seen[2].query == [("sinceTime", "2030-01-02T03:04:05+00:00")]
    assert peer.seen[3].query == [("sinceTime", "2030-01-02T05:04:05+02:00")]


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (Log(since_seconds=1, since_time=WHEN), "exclude each other"),
        (Log(since_time=WHEN.replace(tzinfo=None)), "since_time needs a time zone"),
        (Log(since_seconds=0), "since_seconds is 0; it must be at least 1"),
        (Log(tail_lines=-1), "tail_lines is -1; it must be at least 0"),
        (Log(limit_bytes=0), "limit_bytes is 0; it must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(wanted: Log, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        wanted.request("pod", "ns")


@pytest.mark.asyncio
async def test_lines_come_while_the_container_runs() -> None:
    more = asyncio.Event()

    async def answer(seen: Seen) -> bytes:
        if len(peer.seen) == 1:
            return HEAD + chunk(b"one\ntw")
        await more.wait()
        return b""

    async with serving(answer) as peer, client(peer) as kube:
        lines = kube.logs("pod", "ns", follow=True)
        assert await anext(lines) == b"one"
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(_next(lines))
            await asyncio.wait({waiting}, timeout=0.05)
            assert not waiting.done()
            waiting.cancel()
        await lines.aclose()


async def _next(lines: Any) -> bytes:
    line: bytes = await anext(lines)
    return line


@pytest.mark.asyncio
async def test_a_cut_is_no_end() -> None:
    got = []
    async with serving(in_turn(Cut(HEAD + chunk(b"a\nb")))) as peer, client(peer) as kube:
        lines = kube.logs("pod", "ns")
        got.append(await anext(lines))
        with pytest.raises(Disconnected):
            got.append(await anext(lines))
    assert got == [b"a"]


@pytest.mark.asyncio
async def test_a_refusal_is_the_error_it_is() -> None:
    status = errors.BadRequest("a container name must be specified").status
    async with serving(in_turn(reply(400, status))) as peer:
        with pytest.raises(errors.BadRequest, match="must be specified"):
            await read(peer)


@pytest.mark.asyncio
async def test_only_what_is_followed_may_be_late() -> None:
    begun = asyncio.Event()

    async def answer(seen: Seen) -> bytes:
        await begun.wait()
        return reply(200, b"late\n")

    settings = dataclasses.replace(STEADY, answer_seconds=0.05)
    async with serving(answer) as peer, client(peer, settings=settings) as kube:
        with pytest.raises(DeadlineExceeded):
            await anext(kube.logs("pod", "ns"))
        async with (
            aclosing(kube.logs("pod", "ns", follow=True)) as lines,
            asyncio.TaskGroup() as group,
        ):
            waiting = group.create_task(_next(lines))
            await asyncio.wait({waiting}, timeout=0.1)
            begun.set()
        assert waiting.result() == b"late"


@pytest.mark.asyncio
async def test_who_stops_reading_closes_the_connection() -> None:
    async with serving(in_turn(HEAD + chunk(b"a\n"))) as peer, client(peer) as kube:
        async with aclosing(kube.logs("pod", "ns", follow=True)) as lines:
            assert await anext(lines) == b"a"
        peer.answer = in_turn(reply(200, b""))
        assert [line async for line in kube.logs("pod", "ns")] == []
    assert peer.connections == 2
