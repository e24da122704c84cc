"""Events of a watch that come twice, half, as an error, as nonsense, or not at all."""

import msgspec
import pytest

from kedge.client import Disconnected
from kedge.kube.errors import InternalError
from kedge.testing import Client, Event, faults
from tests.integration.faults.front import (
    CONFIGS,
    WATCHES,
    connected,
    everything,
    front,
    head,
    make,
    names,
    take,
    told,
)

ALL = ("a", "b", "c")


async def until_end(client: Client, **query: str) -> list[Event]:
    return [event async for event in client.watch(CONFIGS, **query)]


async def raw_events(proxy: faults.Proxy) -> list[bytes]:
    """Give the chunks of a watch up to the end of the connection, the framing taken off."""
    answer = await everything(proxy, head(f"GET {CONFIGS}?watch=1 HTTP/1.1"))
    _, _, body = answer.partition(b"\r\n\r\n")
    return body.split(b"\r\n")[1::2]


@pytest.mark.asyncio
@pytest.mark.parametrize("after", [0, 1, 2])
async def test_a_watch_is_cut_in_the_middle_of_an_event(after: int) -> None:
    async with front() as (proxy, client, direct):
        await make(direct, *ALL)
        proxy.inject(faults.CutEvent(after), WATCHES)
        watch = client.watch(CONFIGS)
        for name in ALL[:after]:
            assert told(await anext(watch)) == ("ADDED", name)
        with pytest.raises(Disconnected):
            await anext(watch)
        *_, last = await raw_events(proxy)
        assert last.startswith(b'{"type":"ADDED"')
        with pytest.raises(msgspec.DecodeError):
            msgspec.json.decode(last)


@pytest.mark.asyncio
@pytest.mark.parametrize("after", [0, 2])
async def test_a_watch_ends_early(after: int) -> None:
    async with front() as (proxy, client, direct):
        await make(direct, *ALL)
        with proxy.inject(faults.EndWatch(after), WATCHES):
            assert [told(event)[1] for event in await until_end(client)] == list(ALL[:after])
            assert await names(client) == list(ALL)
        proxy.inject(faults.EndWatch(after, cut=True), WATCHES)
        watch = client.watch(CONFIGS)
        for _ in range(after):
            await anext(watch)
        with pytest.raises(Disconnected):
            await anext(watch)


@pytest.mark.asyncio
@pytest.mark.parametrize(("index", "seen"), [(None, "aabbcc"), (0, "aabc"), (2, "abcc")])
async def test_events_come_twice(index: int | None, seen: str) -> None:
    async with front() as (proxy, client, direct):
        await make(direct, *ALL)
        proxy.inject(faults.DuplicateEvent(index), WATCHES)
        found = await take(client, len(seen))
        assert "".join(name for _, name in found) == seen


@pytest.mark.asyncio
async def test_a_deletion_comes_twice() -> None:
    async with front() as (proxy, client, direct):
        await make(direct, "a")
        proxy.inject(faults.DuplicateEvent(1), WATCHES)
        watch = client.watch(CONFIGS)
        assert told(await anext(watch)) == ("ADDED", "a")
        await direct.delete(f"{CONFIGS}/a")
        first, second = await anext(watch), await anext(watch)
        assert told(first) == ("DELETED", "a")
        assert first == second
        await watch.aclose()


@pytest.mark.asyncio
@pytest.mark.parametrize("after", [0, 2])
async def test_a_version_is_too_old_in_the_middle_of_a_watch(after: int) -> None:
    async with front() as (proxy, client, direct):
        await make(direct, *ALL)
        proxy.inject(faults.ErrorEvent(after), WATCHES)
        *events, last = await until_end(client)
        assert [told(event)[1] for event in events] == list(ALL[:after])
        assert last.type == "ERROR"
        assert (last.object["kind"], last.object["code"]) == ("Status", 410)
        assert last.object["reason"] == "Expired"
        assert last.object["message"] == "too old resource version: 0 (1)"


@pytest.mark.asyncio
async def test_a_watch_ends_with_another_error() -> None:
    async with front() as (proxy, client, _):
        proxy.inject(faults.ErrorEvent(error=InternalError("oh")), WATCHES)
        (event,) = await until_end(client)
        assert (event.type, event.object["message"]) == ("ERROR", "oh")


@pytest.mark.asyncio
@pytest.mark.parametrize("after", [0, 1])
async def test_nonsense_between_events(after: int) -> None:
    async with front() as (proxy, client, direct):
        await make(direct, *ALL)
        proxy.inject(faults.InsertLine(after=after), WATCHES)
        watch = client.watch(CONFIGS)
        for name in ALL[:after]:
            assert told(await anext(watch)) == ("ADDED", name)
        with pytest.raises(msgspec.DecodeError):
            await anext(watch)


@pytest.mark.asyncio
async def test_a_line_of_ones_own_is_an_event_like_any_other() -> None:
    async with front() as (proxy, client, direct):
        await make(direct, *ALL)
        line = b'{"type":"DELETED","object":{"metadata":{"name":"z"}}}\n'
        proxy.inject(faults.InsertLine(line, after=2), WATCHES)
        assert await take(client, 4) == [
            ("ADDED", "a"), ("ADDED", "b"), ("DELETED", "z"), ("ADDED", "c"),
        ]  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("events", [0, 1])
async def test_a_watch_falls_silent_and_stays_open(events: int) -> None:
    async with front() as (proxy, _, direct), connected(proxy) as (reader, writer):
        await make(direct, *ALL)
        stall = faults.StallAnswer(events=events)
        proxy.inject(stall, WATCHES)
        writer.write(head(f"GET {CONFIGS}?watch=1 HTTP/1.1"))
        await reader.readuntil(b"\r\n\r\n")
        for _ in range(events):
            await reader.readuntil(b"}\n\r\n")
        await make(direct, "d")
        # Whatever else goes on: nothing comes, and the connection does not end.
        for _ in range(10):
            await names(direct)
        assert not reader._buffer  # type: ignore[attr-defined]
        assert not reader.at_eof()
        stall.release()
        for name in (*ALL, "d")[events:]:
            assert b'"name":"%b"' % name.encode() in await reader.readuntil(b"}\n\r\n")
