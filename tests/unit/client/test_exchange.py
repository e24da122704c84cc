"""Answers to what was asked one behind the other."""

import asyncio

import pytest

from kedge.client import BadAnswer, Disconnected
from kedge.client.connection import TICK_SECONDS, Connection
from kedge.client.exchange import LONGEST_REST_SECONDS, SURE, Exchange, ask
from tests.unit.client.peer import reply

pytestmark = pytest.mark.asyncio


async def test_all_answers_are_waited_for() -> None:
    exchange = Exchange(2)
    exchange.hear(reply(200, {"a": 1}) + reply(404, {"b": 2}))
    await exchange.wait()
    assert [one.code for one in exchange.answers] == [200, 404]
    assert exchange.answers[-1].keeps


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
async def test_answers_are_parted_wherever_they_are_cut(size: int) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    data = reply(200, {"a": 1}) + chunked + reply(404, {"b": 2}) + reply(200, {"c": 3})
    exchange = Exchange(4)
    for start in range(0, len(data), size):
        exchange.hear(data[start : start + size])
    await exchange.wait()
    found = [(one.code, one.body) for one in exchange.answers]
    assert found == [(200, b'{"a":1}'), (200, b"{}"), (404, b'{"b":2}'), (200, b'{"c":3}')]
    assert exchange.answers[-1].keeps


async def test_what_comes_with_the_last_answer_and_is_none_spoils_the_connection() -> None:
    exchange = Exchange(2)
    exchange.hear(reply() + reply() + b"HTTP/1.1 200")
    await exchange.wait()
    assert not exchange.answers[-1].keeps


class Peer(asyncio.Transport):
    """Answers at once, and takes note of pauses."""

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self.connection = connection
        self.pauses = 0

    def is_closing(self) -> bool:
        return False

    def write(self, data: object) -> None:
        asyncio.get_running_loop().call_soon(self.connection.data_received, reply() + reply())

    def pause_reading(self) -> None:
        self.pauses += 1

    def resume_reading(self) -> None: ...


async def test_a_connection_remembers_how_long_answers_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rests: list[float] = []
    connection = Connection(None, lambda _: None)
    connection.connection_made(Peer(connection))
    monkeypatch.setattr(connection, "rest", rests.append)
    for before in (0.0, 0.15, 99.0):
        connection.each_seconds = before or connection.each_seconds
        await ask(connection, b"", 2)
        assert 0.0 < connection.each_seconds < 99.0
    assert rests == [TICK_SECONDS, pytest.approx(SURE * 0.3), LONGEST_REST_SECONDS]


async def test_there_is_no_hurry_while_others_are_still_to_come() -> None:
    exchange = Exchange(3)
    assert exchange.hear(reply()[:9]) == 0.0  # who knows how long they take?
    assert 0.0 < exchange.hear(reply()[9:]) <= LONGEST_REST_SECONDS
    assert exchange.hear(reply() + reply()) == 0.0


async def test_more_than_was_asked_for_spoils_the_connection() -> None:
    exchange = Exchange(1)
    exchange.hear(reply())
    exchange.hear(b"HTTP/1.1 200")
    await exchange.wait()
    assert not exchange.answers[-1].keeps


async def test_an_end_before_all_have_answered_is_a_failure() -> None:
    exchange = Exchange(2)
    exchange.hear(reply())
    exchange.end(None)
    with pytest.raises(Disconnected):
        await exchange.wait()


async def test_an_end_after_all_have_answered_changes_nothing() -> None:
    exchange = Exchange(1)
    exchange.hear(reply())
    exchange.end(OSError("reset"))
    await exchange.wait()


@pytest.mark.parametrize(
    ("why", "is_whole"),
    [pytest.param(None, True, id="in good order"), pytest.param(OSError("cut"), False, id="cut")],
)
async def test_an_answer_without_a_length_is_whole_only_after_a_good_end(
    why: Exception | None, is_whole: bool
) -> None:
    exchange = Exchange(1)
    exchange.hear(b"HTTP/1.1 200 OK\r\n\r\n{}")
    exchange.end(why)
    if is_whole:
        await exchange.wait()
        assert exchange.answers[0].body == b"{}"
    else:
        with pytest.raises(Disconnected):
            await exchange.wait()


async def test_what_is_no_answer_is_told_once() -> None:
    exchange = Exchange(2)
    exchange.hear(b"SSH-2.0\r\n\r\n")
    exchange.end(None)
    with pytest.raises(BadAnswer):
        await asyncio.wait_for(exchange.wait(), 5)
