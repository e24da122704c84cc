"""Stalls, and the order of bytes between connections."""

import asyncio

import pytest

from kedge.kube.errors import AlreadyExists
from kedge.testing import Client, faults
from tests.integration.faults.front import (
    CONFIGS,
    LISTS,
    WATCHES,
    WRITES,
    config,
    connected,
    front,
    head,
    make,
    names,
    told,
)


class Diary:
    """What a client that watches and writes learns, in order."""

    def __init__(self, client: Client, proxy: faults.Proxy, **query: str) -> None:
        self.entries: list[str] = []
        self._client = client
        self._proxy = proxy
        self._query = query

    async def watch(self) -> None:
        async for event in self._client.watch(CONFIGS, **self._query):
            self.entries.append(f"event {told(event)[1]}")
            self._proxy.signal.notify()

    async def write(self, name: str) -> None:
        labels = {"labels": {"app": "boat"}}
        await self._client.create(CONFIGS, {"metadata": {"name": name, **labels}})
        self.entries.append(f"answer {name}")
        self._proxy.signal.notify()

    async def has(self, count: int) -> list[str]:
        await self._proxy.signal.until(lambda: len(self.entries) >= count)
        return self.entries


SECRETS = "/api/v1/namespaces/default/secrets"
NAMES = [f"c{number}" for number in range(10)]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fault", "kinds"),
    [(faults.EventFirst(), ("event", "answer")), (faults.AnswerFirst(), ("answer", "event"))],
)
async def test_the_order_of_answer_and_event(fault: faults.Fault, kinds: tuple[str, str]) -> None:
    async with front() as (proxy, client, _), asyncio.TaskGroup() as tasks:
        diary = Diary(client, proxy)
        watching = tasks.create_task(diary.watch())
        await proxy.seen(WATCHES)
        proxy.inject(fault, WRITES)
        for number, name in enumerate(NAMES):
            await diary.write(name)
            await diary.has(2 * number + 2)
        assert diary.entries == [f"{kind} {name}" for name in NAMES for kind in kinds]
        watching.cancel()


@pytest.mark.asyncio
async def test_an_answer_does_not_wait_for_an_event_that_will_not_come() -> None:
    async with front() as (proxy, client, direct), asyncio.TaskGroup() as tasks:
        await make(direct, "old")
        version = (await direct.get(CONFIGS))["metadata"]["resourceVersion"]
        proxy.inject(faults.EventFirst(), WRITES)
        await make(client, "without-a-watch")
        for query in (
            {"labelSelector": "app=other"},
            {"fieldSelector": "metadata.name=other"},
            {"resourceVersion": version},
        ):
            watching = tasks.create_task(Diary(client, proxy, **query).watch())
            await proxy.seen(WATCHES, times=len(watches(proxy)) + 1)
            if "resourceVersion" not in query:
                await client.create(CONFIGS, config(next(iter(query)).lower()))
            # Nothing changes, so that there is no event.
            await client.patch(f"{CONFIGS}/old", {"metadata": {"name": "old"}})
            with pytest.raises(AlreadyExists):
                await make(client, "old")
            await client.create(SECRETS, {"metadata": {"name": "s"}})
            await client.delete(f"{SECRETS}/s")
            watching.cancel()


def watches(proxy: faults.Proxy) -> list[faults.Call]:
    return [call for call in proxy.calls if WATCHES(call.request) and call.status]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "query", [{"labelSelector": "app=boat"}, {"fieldSelector": "metadata.name=c0"}]
)
async def test_an_answer_waits_for_a_watch_that_selects_it(query: dict[str, str]) -> None:
    async with front() as (proxy, client, _), asyncio.TaskGroup() as tasks:
        diary = Diary(client, proxy, **query)
        watching = tasks.create_task(diary.watch())
        await proxy.seen(WATCHES)
        proxy.inject(faults.EventFirst(), WRITES)
        await diary.write("c0")
        assert diary.entries == ["event c0", "answer c0"]
        watching.cancel()


@pytest.mark.asyncio
async def test_an_answer_waits_no_more_when_the_watch_ends() -> None:
    async with front() as (proxy, client, direct), asyncio.TaskGroup() as tasks:
        diary = Diary(client, proxy)
        watching = tasks.create_task(diary.watch())
        await proxy.seen(WATCHES)
        proxy.hold(WATCHES)
        proxy.inject(faults.EventFirst(), WRITES)
        writing = tasks.create_task(diary.write("a"))
        await proxy.signal.until(lambda: proxy.calls[-1].answered == [201])
        assert await names(direct) == ["a"]
        assert diary.entries == []
        watching.cancel()
        await writing
        assert diary.entries == ["answer a"]


@pytest.mark.asyncio
async def test_held_answers_come_in_the_order_of_their_release() -> None:
    async with front() as (proxy, client, _), asyncio.TaskGroup() as tasks:
        diary = Diary(client, proxy)
        watching = tasks.create_task(diary.watch())
        await proxy.seen(WATCHES)
        with proxy.hold(faults.matches(method="POST")) as posts:
            with proxy.hold(WATCHES):
                first = tasks.create_task(diary.write("a"))
                await proxy.signal.until(lambda: proxy.calls[-1].answered == [201])
                assert await names(client) == ["a"]
                assert diary.entries == []
            assert await diary.has(1) == ["event a"]
            posts.release()
            await first
        assert diary.entries == ["event a", "answer a"]
        watching.cancel()


@pytest.mark.asyncio
async def test_a_request_is_held_up_before_the_server() -> None:
    async with front() as (proxy, client, direct), asyncio.TaskGroup() as tasks:
        stall = faults.StallRequest()
        injection = proxy.inject(stall, WRITES, times=1)
        held = tasks.create_task(make(client, "a"))
        await injection.hit()
        await make(client, "b")
        assert await names(direct) == ["b"]
        stall.release()
        await held
        assert await names(direct) == ["a", "b"]


@pytest.mark.asyncio
async def test_an_answer_is_held_up_after_the_deed() -> None:
    async with front() as (proxy, client, direct), asyncio.TaskGroup() as tasks:
        stall = faults.StallAnswer()
        injection = proxy.inject(stall, WRITES, times=1)
        held = tasks.create_task(make(client, "a"))
        call = await injection.hit()
        await direct.until(f"{CONFIGS}/a", bool)
        assert (call.status, call.is_over, held.done()) == (None, False, False)
        stall.release()
        await held
        assert call.status == 201


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [0, 1, 30])
async def test_an_answer_is_held_up_in_its_body(body: int) -> None:
    async with front() as (proxy, _, direct), connected(proxy) as (reader, writer):
        stall = faults.StallAnswer(body=body)
        proxy.inject(stall, LISTS)
        writer.write(head(f"GET {CONFIGS} HTTP/1.1", "Connection: close"))
        await reader.readuntil(b"\r\n\r\n")
        first = await reader.readexactly(body)
        for _ in range(10):
            await names(direct)
        assert not reader._buffer  # type: ignore[attr-defined]
        stall.release()
        assert (first + await reader.read()).startswith(b'{"kind":"ConfigMapList"')


def test_a_stall_has_one_place() -> None:
    with pytest.raises(ValueError, match="not both"):
        faults.StallAnswer(events=1, body=1)
