"""Stale reads: an older list after newer ones, as from a server that lags behind."""

from typing import Any

import pytest

from kedge.kube.errors import AlreadyExists, NotFound
from kedge.testing import Client, faults
from tests.integration.faults.front import CONFIGS, LISTS, front, make, names, take, told

INITIAL = {
    "sendInitialEvents": "true",
    "resourceVersionMatch": "NotOlderThan",
    "allowWatchBookmarks": "true",
}


async def version(client: Client, **query: str) -> int:
    return int((await client.get(CONFIGS, **query))["metadata"]["resourceVersion"])


@pytest.mark.asyncio
async def test_an_older_list_follows_a_newer_one() -> None:
    async with front() as (proxy, client, direct):
        past = faults.Past()
        await make(direct, "a")
        with proxy.inject(past.keep):
            old = await client.get(CONFIGS)
            await make(direct, "b")
            await direct.delete(f"{CONFIGS}/a")
            assert await names(client) == ["b"]
        with proxy.inject(past.serve, LISTS, times=1):
            stale = await client.get(CONFIGS)
            assert stale == old
            assert await names(client) == ["b"]
        assert proxy.calls[-2].faults == ["Past.serve"]
        # From the old version on a watch tells all that has happened since.
        since = stale["metadata"]["resourceVersion"]
        assert await take(client, 2, resourceVersion=since) == [("ADDED", "b"), ("DELETED", "a")]


@pytest.mark.asyncio
async def test_what_was_not_asked_before_is_the_present() -> None:
    async with front() as (proxy, client, direct):
        past = faults.Past()
        await make(direct, "a")
        with proxy.inject(past.keep):
            await client.get(CONFIGS, labelSelector="x=y")
        await make(direct, "b")
        proxy.inject(past.serve)
        assert await names(client) == ["a", "b"]
        found = await client.get(CONFIGS, labelSelector="x=y", resourceVersion="0")
        assert found["items"] == []
        with pytest.raises(AlreadyExists):
            await make(client, "b")


@pytest.mark.asyncio
async def test_objects_are_as_they_were() -> None:
    async with front() as (proxy, client, direct):
        past = faults.Past()
        await make(direct, "a")
        with proxy.inject(past.keep):
            old = await client.get(f"{CONFIGS}/a")
            with pytest.raises(NotFound):
                await client.get(f"{CONFIGS}/b")
        await direct.delete(f"{CONFIGS}/a")
        await make(direct, "b")
        proxy.inject(past.serve)
        assert await client.get(f"{CONFIGS}/a") == old
        with pytest.raises(NotFound, match='configmaps "b" not found'):
            await client.get(f"{CONFIGS}/b")


@pytest.mark.asyncio
async def test_pages_are_as_they_were() -> None:
    async with front() as (proxy, client, direct):
        past = faults.Past()
        await make(direct, "a", "b", "c")
        with proxy.inject(past.keep):
            old = await pages(client)
            await direct.delete(f"{CONFIGS}/c")
            await direct.delete(f"{CONFIGS}/a")
            new = await pages(client)
        assert (old, new) == ([["a", "b"], ["c"]], [["b"]])
        proxy.inject(past.serve)
        assert await pages(client) == old


async def pages(client: Client) -> list[list[str]]:
    found = []
    query: dict[str, str] = {"limit": "2"}
    while True:
        page: dict[str, Any] = await client.get(CONFIGS, **query)
        found.append([one["metadata"]["name"] for one in page["items"]])
        token = page["metadata"].get("continue")
        if not token:
            return found
        query["continue"] = token


@pytest.mark.asyncio
async def test_the_first_events_of_a_watch_are_as_they_were() -> None:
    async with front() as (proxy, client, direct):
        past = faults.Past()
        await make(direct, "a", "b")
        with proxy.inject(past.keep):
            first = await take(client, 3, **INITIAL)
            await direct.delete(f"{CONFIGS}/a")
            assert await take(client, 2, **INITIAL) == [("ADDED", "b"), ("BOOKMARK", "")]
        assert first == [("ADDED", "a"), ("ADDED", "b"), ("BOOKMARK", "")]
        proxy.inject(past.serve)
        watch = client.watch(CONFIGS, **INITIAL)
        assert [told(await anext(watch)) for _ in range(4)] == [*first, ("DELETED", "a")]
        await make(direct, "c")
        assert told(await anext(watch)) == ("ADDED", "c")
        await watch.aclose()


@pytest.mark.asyncio
async def test_a_watch_that_did_not_get_so_far_leaves_no_past() -> None:
    async with front() as (proxy, client, direct):
        past = faults.Past()
        await make(direct, "a", "b")
        proxy.inject(faults.EndWatch(1), times=1)
        with proxy.inject(past.keep):
            assert await take(client, 5, **INITIAL) == [("ADDED", "a")]
        await direct.delete(f"{CONFIGS}/a")
        proxy.inject(past.serve)
        assert await take(client, 2, **INITIAL) == [("ADDED", "b"), ("BOOKMARK", "")]


@pytest.mark.asyncio
async def test_the_past_can_be_forgotten() -> None:
    async with front() as (proxy, client, direct):
        past = faults.Past()
        proxy.inject(past.keep, LISTS, times=2)
        first = await version(client)
        past.forget()
        await make(direct, "a")
        second = await version(client)
        await make(direct, "b")
        proxy.inject(past.serve, LISTS)
        assert first < second == await version(client)
