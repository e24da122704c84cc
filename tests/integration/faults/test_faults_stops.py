"""Hooks before and after each call, and the end of a client at one of them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest

from kedge.client import Disconnected
from kedge.kube.errors import AlreadyExists
from kedge.testing import Client, Event, cluster, faults
from tests.integration.faults.front import CONFIGS, WRITES, front, make, names

BEFORE, AFTER = faults.Side.BEFORE, faults.Side.AFTER


@pytest.mark.asyncio
async def test_hooks_are_called_around_each_call() -> None:
    async with front() as (proxy, client, direct):
        seen: list[tuple[str, list[str]]] = []

        def hook(where: str) -> Callable[[faults.Call], Awaitable[None]]:
            async def note(call: faults.Call) -> None:
                seen.append((f"{where} {call.method}", await names(direct)))

            return note

        proxy.inject(faults.Gate(hook("before"), hook("after")))
        await make(client, "a")
        watch = client.watch(CONFIGS)
        await anext(watch)
        await watch.aclose()
        assert seen == [
            ("before POST", []),
            ("after POST", ["a"]),
            ("before GET", ["a"]),
            ("after GET", ["a"]),
        ]


@pytest.mark.asyncio
async def test_a_hook_may_cut() -> None:
    async with front() as (proxy, client, direct):

        async def cut(call: faults.Call) -> None:
            raise faults.Cut

        for name, gate in (("a", faults.Gate(before=cut)), ("b", faults.Gate(after=cut))):
            with (
                proxy.inject(gate, WRITES),
                pytest.raises(Disconnected),
            ):
                await make(client, name)
        assert await names(direct) == ["b"]


async def work(client: Client) -> None:
    """Do something of several calls, each of which may have been done before."""
    for name in ("a", "b"):
        try:
            await make(client, name)
        except AlreadyExists:
            continue
    await client.patch(f"{CONFIGS}/a", {"data": {"done": "true"}})


@pytest.mark.asyncio
@pytest.mark.parametrize("side", faults.Side)
async def test_a_client_ends_at_each_of_its_calls(side: faults.Side) -> None:
    done = {BEFORE: [[], ["a"], ["a", "b"]], AFTER: [["a"], ["a", "b"], ["a", "b"]]}
    async with cluster() as kube:
        for number, expected in enumerate(done[side]):
            await kube.client.delete(CONFIGS)
            async with faults.proxy(kube) as proxy, asyncio.TaskGroup() as tasks:
                stop = faults.Stop(number, side)
                proxy.inject(stop)
                client = proxy.client()
                running = tasks.create_task(work(client))
                await stop.reached.wait()
                assert stop.call is proxy.calls[number]
                assert stop.call.status is None
                assert await names(kube.client) == expected
                running.cancel()
                await asyncio.wait([running])
                await client.close()
            is_done = "data" in (await found(kube.client, "a"))
            assert is_done == (side is AFTER and number == 2)
            await work(kube.client)
            assert await names(kube.client) == ["a", "b"]


async def found(client: Client, name: str) -> dict[str, object]:
    items = (await client.get(CONFIGS))["items"]
    return next((one for one in items if one["metadata"]["name"] == name), {})


@pytest.mark.asyncio
@pytest.mark.parametrize("side", faults.Side)
async def test_after_the_end_nothing_passes_any_more(side: faults.Side) -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy, asyncio.TaskGroup() as tasks:
        client = proxy.client()
        watch = client.watch(CONFIGS)
        await make(kube.client, "a")
        await anext(watch)
        stop = faults.Stop(0, side)
        injection = proxy.inject(stop, WRITES)
        late = [tasks.create_task(make(client, name)) for name in ("b", "c", "d")]
        late.append(tasks.create_task(next_of(watch)))
        await injection.hit(3)
        await stop.reached.wait()
        await make(kube.client, "e")
        (watching,) = (call for call in proxy.calls if call.request.is_watch)
        sent = watching.sent
        for _ in range(10):
            await names(kube.client)
        assert not any(task.done() for task in late)
        assert watching.sent == sent
        passed = set(await names(kube.client)) - {"a", "e"}
        # Which of the three came first is up to their connections.
        assert passed <= {"b", "c", "d"}
        assert len(passed) == (0 if side is BEFORE else 1)
        for task in late:
            task.cancel()
        await asyncio.wait(late)
        await watch.aclose()
        await client.close()


async def next_of(watch: AsyncGenerator[Event, None]) -> None:
    await anext(watch)


@pytest.mark.asyncio
async def test_a_run_that_ends_before_is_not_stopped() -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy, proxy.client() as client:
        stop = faults.Stop(3, BEFORE)
        proxy.inject(stop)
        await work(client)
        assert not stop.reached.is_set()
        assert len(proxy.calls) == 3
