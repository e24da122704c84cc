"""The watcher and the cache at real servers."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from kedge.runtime.watcher import Tailing
from tests.integration.runtime.following import CONFIGS, SETTINGS, following, put
from tests.integration.runtime.servers import Server, embedded, real
from tests.integration.runtime.wires import Wire

ODD = {
    "line": "a\u2028b\u2029c",
    "next": "a\u0085b",
    "feed": "a\nb\r\nc\x0b\x0c\x1c\x1d\x1e",
    "other": "\ufeff\ufffd\U0001f6a2\x7f\t\\\"'</",
}
LARGE = 1024 * 1024 - 100
"""Bytes of data, with its key near the most that a ConfigMap may have: 1 MiB."""


@pytest_asyncio.fixture(params=["embedded", "real"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    if request.param == "real":
        async with real(request.getfixturevalue("real_cluster")) as found:
            yield found
    else:
        async with embedded() as found:
            yield found


@pytest.fixture(params=[False, True], ids=["list", "stream"])
def streaming(request: pytest.FixtureRequest) -> bool:
    is_streaming: bool = request.param
    return is_streaming


@pytest.mark.asyncio
async def test_what_is_there_and_what_happens_is_seen(server: Server, *, streaming: bool) -> None:
    namespace = await server.namespace()
    expected = {f"boat-{number}": {"n": str(number)} for number in range(10)}
    for name, data in expected.items():
        await put(server, namespace, name, data)
    async with following(server, namespace, replace(SETTINGS, streaming=streaming)) as seen:
        await seen.until_data(expected)
        await put(server, namespace, "boat-3", {"n": "changed"})
        await put(server, namespace, "new", {"n": "new"})
        await server.plain.delete(f"/api/v1/namespaces/{namespace}/configmaps/boat-4")
        expected |= {"boat-3": {"n": "changed"}, "new": {"n": "new"}}
        del expected["boat-4"]
        await seen.until_data(expected)
        assert seen.woken["boat-4"] is None


@pytest.mark.asyncio
async def test_odd_text_comes_as_it_was_written(server: Server, *, streaming: bool) -> None:
    namespace = await server.namespace()
    await put(server, namespace, "before", ODD)
    async with following(server, namespace, replace(SETTINGS, streaming=streaming)) as seen:
        await seen.until_data({"before": ODD})
        await put(server, namespace, "during", ODD)
        await seen.until_data({"before": ODD, "during": ODD})


@pytest.mark.asyncio
async def test_objects_of_a_megabyte_come_whole(server: Server) -> None:
    namespace = await server.namespace()
    # Three bytes each, so that pieces of the stream end within them.
    first, second = {"x": "\u2028" * (LARGE // 3)}, {"x": "y" * LARGE}
    await put(server, namespace, "before", first)
    async with following(server, namespace) as seen:
        await seen.until_data({"before": first})
        for name in ("one", "two", "three"):
            await put(server, namespace, name, second)
        await put(server, namespace, "before", second)
        await seen.until_data(dict.fromkeys(("before", "one", "two", "three"), second))


@pytest.mark.asyncio
async def test_of_metadata_only_that_is_kept(server: Server) -> None:
    namespace = await server.namespace()
    await put(server, namespace, "boat", {"x": "y" * 10_000})
    async with following(server, namespace, kind=CONFIGS.partial) as seen:
        await seen.until(lambda one: "boat" in one.woken)
        (entry,) = [one for one in seen.source.cache.entries() if one.key.name == "boat"]
        assert len(entry.data) < 5000
        await put(server, namespace, "boat", {"x": "z" * 10_000})
        await seen.until(lambda one: one.woken["boat"] != entry.meta.resource_version)


@pytest.mark.asyncio
async def test_what_is_not_selected_any_more_is_gone(server: Server) -> None:
    namespace = await server.namespace()
    await put(server, namespace, "boat", {})
    path = f"/api/v1/namespaces/{namespace}/configmaps/boat"
    async with following(server, namespace, labels="at=sea") as seen:
        await asyncio.wait_for(seen.source.cache.synced(), 30)
        assert len(seen.source.cache) == 0
        await server.plain.patch(path, {"metadata": {"labels": {"at": "sea"}}})
        await seen.until(lambda one: one.woken.get("boat") is not None)
        await server.plain.patch(path, {"metadata": {"labels": {"at": "port"}}})
        await seen.until(lambda one: one.woken["boat"] is None)


@pytest.mark.asyncio
async def test_what_happens_while_the_connection_is_gone_is_seen_afterwards(
    server: Server,
) -> None:
    namespace = await server.namespace()
    for name in ("a", "b"):
        await put(server, namespace, name, {"n": "1"})
    async with Wire(server.url) as wire, following(server, namespace, url=wire.url) as seen:
        await seen.until_data({"a": {"n": "1"}, "b": {"n": "1"}})
        for turn in ("2", "3"):
            wire.cut()
            await put(server, namespace, "a", {"n": turn})
            await server.plain.delete(f"/api/v1/namespaces/{namespace}/configmaps/b")
            await put(server, namespace, "c", {"n": turn})
            wire.mend()
            await seen.until_data({"a": {"n": turn}, "c": {"n": turn}})
            await put(server, namespace, "b", {"n": turn})
            await seen.until(lambda one: "b" in one.data())


@pytest.mark.asyncio
async def test_no_event_is_lost_between_watches_that_the_server_ends(server: Server) -> None:
    namespace = await server.namespace()
    async with following(server, namespace, replace(SETTINGS, watch_seconds=1)) as seen:
        watches: list[object] = []
        number = 0
        while len(watches) < 3:
            number += 1
            expected = {"boat": {"n": str(number)}}
            await put(server, namespace, "boat", expected["boat"])
            await seen.until_data(expected)
            state = seen.source._watcher.state
            if isinstance(state, Tailing) and state.watch not in watches:
                watches.append(state.watch)
