"""Answers to what was asked one behind the other."""

import asyncio

import pytest

from kedge.client import BadAnswer, Disconnected
from kedge.client.exchange import LONGEST_REST_SECONDS, Exchange
from tests.unit.client.peer import reply

pytestmark = pytest.mark.asyncio


async def test_all_answers_are_waited_for() -> None:
    exchange = Exchange(2)
    exchange.hear(reply(200, {"a": 1}) + reply(404, {"b": 2}))
    await exchange.wait()
    assert [one.code for one in exchange.answers] == [200, 404]
    assert exchange.answers[-1].keeps


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
