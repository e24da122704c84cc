import asyncio

import pytest

from kedge.client import ClientSettings, Disconnected, sockets
from kedge.client.http import Transport
from kedge.client.requests import Request
from kedge.client.wire import BULK_REST_SECONDS, MANY, REST_SECONDS, Wire
from tests.integration.eventually import eventually
from tests.unit.client.peer import STEADY, Seen, access, in_turn, reply, serving

READ = Request("GET", "/x")


@pytest.mark.asyncio
async def test_many_questions_at_once_share_connections() -> None:
    settings = ClientSettings(per_second=0, connections=3)
    async with serving(in_turn(reply())) as peer, Transport(access(peer.url), settings) as sender:
        await asyncio.gather(*[sender.send(READ) for _ in range(20)])
    assert len(peer.seen) == 20
    assert peer.connections == 3


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("bulks", "rest"),
    [
        pytest.param([1] * (MANY - 1), 0.0, id="little to do"),
        pytest.param([1] * MANY, REST_SECONDS, id="much to do"),
        pytest.param([2], BULK_REST_SECONDS, id="in bulk"),
    ],
)
async def test_events_may_wait_while_there_is_enough_to_do(bulks: list[int], rest: float) -> None:
    asked, may_answer = 0, asyncio.Event()

    async def answer(seen: Seen) -> bytes:
        nonlocal asked
        asked += 1
        await may_answer.wait()
        return reply()

    async with serving(answer) as peer:
        login = await access(peer.url).credentials.login()
        wire = Wire(access(peer.url), STEADY, sockets.make)
        assert wire.patience() == 0.0
        async with asyncio.TaskGroup() as group:
            for count in bulks:
                group.create_task(wire.ask_all([READ] * count, login))
            await eventually(lambda: asked == len(bulks))
            assert wire.patience() == rest
            may_answer.set()
        assert wire.patience() == 0.0
        await wire.close()


@pytest.mark.asyncio
async def test_a_connection_that_the_server_wants_to_end_is_not_used_again() -> None:
    answers = in_turn(reply(Connection="close"))
    async with serving(answers) as peer, Transport(access(peer.url), STEADY) as sender:
        codes = [(await sender.send(READ)).code for _ in range(3)]
    assert codes == [200, 200, 200]
    assert peer.connections == 3


@pytest.mark.asyncio
async def test_who_gives_up_waiting_does_not_get_the_answer_of_another() -> None:
    async def answer(seen: Seen) -> bytes:
        if seen.path == "/slow":
            await asyncio.Event().wait()
        return reply(200, {"path": seen.path})

    async with serving(answer) as peer, Transport(access(peer.url), STEADY) as sender:
        await sender.send(READ)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await sender.send(Request("GET", "/slow"))
        assert (await sender.send(READ)).body == b'{"path":"/x"}'


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("request_", "length", "media"),
    [
        pytest.param(Request("DELETE", "/x"), "0", None, id="nothing to say"),
        pytest.param(
            Request("POST", "/x", body=b'{"a":1}', media="application/json"),
            "7",
            "application/json",
            id="an object",
        ),
        pytest.param(
            Request("PATCH", "/x", body=b"x" * 2**17, media="application/merge-patch+json"),
            str(2**17),
            "application/merge-patch+json",
            id="a large patch",
        ),
    ],
)
async def test_a_write_says_what_its_body_is_and_sends_it_whole(
    request_: Request, length: str, media: str | None
) -> None:
    async with serving(in_turn(reply())) as peer, Transport(access(peer.url), STEADY) as sender:
        await sender.send(request_)
    (seen,) = peer.seen
    assert seen.body == (request_.body or b"")
    assert seen.headers.get("Content-Length") == length
    assert media is None or seen.headers.get("Content-Type") == media


@pytest.mark.asyncio
async def test_nothing_is_sent_once_the_fuse_is_blown() -> None:
    async with serving(in_turn(reply())) as peer, Transport(access(peer.url), STEADY) as sender:
        await sender.send(READ)
        sender.fuse = lambda: False
        with pytest.raises(Disconnected):
            await sender.send(Request("POST", "/x", body=b"{}", media="application/json"))
    assert [one.method for one in peer.seen] == ["GET"]


@pytest.mark.asyncio
async def test_closing_ends_what_is_under_way() -> None:
    asked = asyncio.Event()

    async def answer(seen: Seen) -> bytes:
        asked.set()
        await asyncio.Event().wait()
        return b""

    async with serving(answer) as peer:
        sender = Transport(access(peer.url), STEADY)
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(_failure(sender))
            await asked.wait()
            await sender.close()
    assert isinstance(waiting.result(), Disconnected)


async def _failure(sender: Transport) -> BaseException | None:
    try:
        await sender.send(READ)
    except Disconnected as exc:
        return exc
    return None
