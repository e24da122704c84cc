import asyncio
import dataclasses

import pytest

from kedge.client import BadAnswer, Client, DeadlineExceeded, Disconnected, Following
from kedge.client.connection import Connection
from kedge.client.decoders import Event
from kedge.client.lines import Failed, Item
from kedge.client.requests import Request
from kedge.client.stream import BURST, CHUNKS_PER_SECOND, UNREAD, Flow, Pace
from kedge.kube import errors
from kedge.kube.kind import Object, plain
from kedge.kube.watch import encode_event
from tests.unit.client.peer import STEADY, Cut, Seen, access, client, in_turn, reply, serving

READ = Request("GET", "/x")
CONFIGS = plain("v1", "ConfigMap", "configmaps")
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


EVENT = encode_event("ADDED", b"{}")


@pytest.mark.asyncio
async def test_events_come_in_batches_until_the_end() -> None:
    stream = HEAD + chunk(EVENT * 2) + chunk(EVENT[:5]) + chunk(EVENT[5:]) + END
    async with (
        serving(in_turn(stream)) as peer,
        client(peer) as kube,
        kube.watch(CONFIGS, following=Following("3")) as watch,
    ):
        got: list[Item[Object]] = []
        while batch := await watch.batch():
            got += batch
    assert got == [Event("ADDED", {})] * 3
    assert ("resourceVersion", "3") in peer.seen[0].query


@pytest.mark.asyncio
async def test_a_cut_is_no_end() -> None:
    async def drain(kube: Client) -> None:
        async with kube.watch(CONFIGS) as watch:
            while await watch.batch():
                pass

    for after in (HEAD, HEAD + chunk(EVENT), HEAD + chunk(EVENT)[:-4]):
        async with serving(in_turn(Cut(after))) as peer, client(peer) as kube:
            with pytest.raises(Disconnected):
                await drain(kube)


@pytest.mark.asyncio
async def test_a_refusal_is_raised_when_the_watch_is_opened() -> None:
    status = errors.Expired("too old").status
    async with serving(in_turn(reply(410, status))) as peer, client(peer) as kube:
        for _ in range(2):
            with pytest.raises(errors.Expired, match="too old"):
                async with kube.watch(CONFIGS):
                    pass
        # Each was sent once, and the connection was used again.
        assert len(peer.seen) == 2
    assert peer.connections == 1


@pytest.mark.asyncio
async def test_the_last_words_come_as_an_item() -> None:
    stream = HEAD + chunk(EVENT + encode_event("ERROR", b'{"reason":"Expired"}')) + END
    async with (
        serving(in_turn(stream)) as peer,
        client(peer) as kube,
        kube.watch(CONFIGS) as watch,
    ):
        assert list(await watch.batch()) == [Event("ADDED", {}), Failed({"reason": "Expired"})]
        assert list(await watch.batch()) == []


@pytest.mark.asyncio
async def test_what_is_no_event_is_a_bad_answer() -> None:
    async with (
        serving(in_turn(HEAD + chunk(b"<html>\n") + END)) as peer,
        client(peer) as kube,
        kube.watch(CONFIGS) as watch,
    ):
        with pytest.raises(BadAnswer):
            await watch.batch()


@pytest.mark.asyncio
async def test_a_watch_whose_answer_does_not_begin_is_given_up() -> None:
    never = asyncio.Event()

    async def answer(seen: Seen) -> bytes:
        await never.wait()
        return b""

    settings = dataclasses.replace(STEADY, answer_seconds=0.05)
    async with serving(answer) as peer, client(peer, settings=settings) as kube:
        with pytest.raises(DeadlineExceeded, match="GET /api/v1/configmaps"):
            async with kube.watch(CONFIGS):
                pass


@pytest.mark.asyncio
async def test_a_watch_that_is_broken_off_ends_for_its_reader() -> None:
    async with (
        serving(in_turn(HEAD + chunk(EVENT))) as peer,
        client(peer) as kube,
        kube.watch(CONFIGS) as watch,
    ):
        await watch.batch()
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(_ended(watch.batch()))
            await asyncio.wait({reading}, timeout=0)
            watch.abort()
        assert reading.result()


async def _ended(reading: object) -> bool:
    try:
        return not await reading  # type: ignore[misc]
    except Disconnected:
        return True


@pytest.mark.asyncio
async def test_leaving_a_watch_closes_its_connection_and_an_ended_one_is_kept() -> None:
    async with serving(in_turn(HEAD + chunk(EVENT))) as peer, client(peer) as kube:
        async with kube.watch(CONFIGS) as watch:
            await watch.batch()
        peer.answer = in_turn(HEAD + END)
        async with kube.watch(CONFIGS) as watch:
            assert not await watch.batch()
        async with kube.watch(CONFIGS):
            pass
    assert [seen.connection for seen in peer.seen] == [1, 2, 2]


@pytest.mark.asyncio
async def test_many_events_that_come_one_by_one_all_come_and_in_order() -> None:
    count = 4 * BURST
    each = [encode_event("ADDED", b'{"at":%d}' % number) for number in range(count)]

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        for event in each:
            writer.write(chunk(event))
            await writer.drain()
        writer.write(END)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        got: list[Item[Object]] = []
        async with Client(access(url), STEADY) as kube, kube.watch(CONFIGS) as watch:
            while batch := await watch.batch():
                got += batch
    assert got == [Event("ADDED", {"at": number}) for number in range(count)]


@pytest.mark.asyncio
async def test_what_nobody_reads_waits_at_the_server() -> None:
    piece, count = b"x" * 2**16 + b"\n", 64 * UNREAD // 2**16
    sent, is_stuck = 0, asyncio.Event()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        while sent < count:
            writer.write(chunk(piece))
            sent += 1
            try:
                async with asyncio.timeout(None if is_stuck.is_set() else 0.2):
                    await writer.drain()
            except TimeoutError:
                is_stuck.set()
        writer.write(END)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server, asyncio.timeout(60):
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with Client(access(url), STEADY) as kube, kube.transport.open(READ) as stream:
            await is_stuck.wait()
            assert sent < count
            size = 0
            while data := await stream.read():
                size += len(data)
    assert size == count * len(piece)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("chunks", "patience", "rest"),
    [
        pytest.param(2 * BURST, 0.2, 0.2, id="much of what we write"),
        pytest.param(2 * BURST, 0.0, 0.0, id="much of others"),
        pytest.param(BURST // 2, 0.2, 0.0, id="little"),
    ],
)
async def test_there_is_no_hurry_to_hear_much_of_what_we_write(
    chunks: int, patience: float, rest: float
) -> None:
    lost: list[Connection] = []
    flow = Flow(Connection(None, lost.append), lost.append, lambda: patience)
    assert flow.hear(HEAD) == 0.0
    assert flow.hear(chunk(EVENT) * chunks) == rest
    assert await flow.read() == EVENT * chunks


def test_a_stream_is_fast_only_if_it_brings_much_for_a_while() -> None:
    pace, now = Pace(), 1000.0
    assert not any(pace.is_fast(now + at / CHUNKS_PER_SECOND, 1) for at in range(1000))
    now += 1000.0
    verdicts = [pace.is_fast(now + at / (3 * CHUNKS_PER_SECOND), 1) for at in range(1000)]
    assert not any(verdicts[:BURST])
    assert all(verdicts[-BURST:])


def test_a_stream_that_has_become_slow_is_known_to_be_within_a_second() -> None:
    pace, now = Pace(), 1000.0
    assert pace.is_fast(now, 100 * BURST)
    assert not pace.is_fast(now + 1.0, 1)
