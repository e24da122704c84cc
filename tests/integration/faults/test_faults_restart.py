"""A server that goes away and comes back."""

import asyncio
import ssl
from pathlib import Path

import pytest

from kedge.client import ClientError, Disconnected, Unreachable
from kedge.testing import Client, FakeClock, cluster, faults
from tests.integration.faults.front import (
    CONFIGS,
    WATCHES,
    connected,
    front,
    make,
    names,
    told,
)


@pytest.mark.asyncio
async def test_all_connections_are_cut_and_new_ones_taken() -> None:
    async with front() as (proxy, client, direct), connected(proxy) as (reader, _):
        watch = client.watch(CONFIGS)
        await make(direct, "a")
        await anext(watch)
        await proxy.cut()
        assert await reader.read() == b""
        with pytest.raises(Disconnected):
            await anext(watch)
        assert await names(client) == ["a"]


@pytest.mark.asyncio
async def test_while_it_is_down_connections_are_refused() -> None:
    async with front() as (proxy, client, direct):
        watch = client.watch(CONFIGS)
        await make(direct, "a")
        await anext(watch)
        (call,) = await proxy.seen(WATCHES)
        url = proxy.url
        async with proxy.down():
            assert call.is_over
            with pytest.raises(Disconnected):
                await anext(watch)
            for _ in range(3):
                with pytest.raises(Unreachable, match=r"(?i)refused|connect call failed"):
                    await client.get(CONFIGS)
            await make(direct, "b")
        assert proxy.url == url
        assert await names(client) == ["a", "b"]
        version = {"resourceVersion": str(call.position)}
        watch = client.watch(CONFIGS, **version)
        assert told(await anext(watch)) == ("ADDED", "b")
        await watch.aclose()


@pytest.mark.asyncio
async def test_down_again_and_again_under_load() -> None:
    async with front() as (proxy, client, direct), asyncio.TaskGroup() as tasks:
        stop = asyncio.Event()

        async def ask() -> None:
            while not stop.is_set():
                try:
                    await client.get(CONFIGS)
                except ClientError:
                    await direct.get("/version")

        for _ in range(5):
            tasks.create_task(ask())
        for round_ in range(10):
            await proxy.signal.until(lambda count=20 * round_: len(proxy.calls) > count)  # type: ignore[misc]
            async with proxy.down():
                await direct.get("/version")
        stop.set()


@pytest.mark.asyncio
async def test_the_embedded_server_restarts_on_its_data_and_port(tmp_path: Path) -> None:
    clock = FakeClock()
    async with (
        faults.restartable(tmp_path / "data", clock=clock) as server,
        faults.proxy(server.url, token=server.token, tls=server.tls) as proxy,
        proxy.client() as client,
    ):
        made = await client.create(CONFIGS, {"metadata": {"name": "a"}})
        assert made["metadata"]["creationTimestamp"].startswith("2030-")
        version = made["metadata"]["resourceVersion"]
        watch = client.watch(CONFIGS)
        await anext(watch)
        url = server.url
        await server.restart()
        with pytest.raises((StopAsyncIteration, Disconnected)):
            await anext(watch)
        assert server.url == url
        assert await names(client) == ["a"]
        watch = client.watch(CONFIGS, resourceVersion=version)
        await make(client, "b")
        assert told(await anext(watch)) == ("ADDED", "b")
        await watch.aclose()
        await server.stop()
        await server.stop()
        with pytest.raises(ClientError):
            await make(client, "c")
        await server.start()
        await server.start()
        await make(client, "c")


@pytest.mark.asyncio
async def test_a_proxy_can_be_led_to_another_server() -> None:
    async with front() as (proxy, client, _), cluster() as other:
        await make(other.client, "other")
        async with faults.proxy(other) as second:
            server = second.server
        proxy.server = server
        await proxy.cut()
        assert await names(client) == ["other"]


@pytest.mark.asyncio
async def test_without_the_right_trust_nothing_passes() -> None:
    async with cluster() as kube:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        async with (
            faults.proxy(kube.url, token=kube.token, tls=tls) as proxy,
            Client(proxy.url, "", tls) as client,
        ):
            with pytest.raises(Disconnected):
                await make(client, "a")
