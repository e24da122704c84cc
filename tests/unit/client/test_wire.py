import asyncio

import pytest

from kedge.client import ClientSettings, Disconnected
from kedge.client.http import Transport
from kedge.client.requests import Request
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
