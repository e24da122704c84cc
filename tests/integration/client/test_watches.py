"""Watches, against our server and a real one."""

import asyncio

import pytest

from kedge.client import Client, Following, Selection, Watch, patches
from kedge.client.decoders import Event
from kedge.kube import errors
from kedge.kube.kind import Object, plain
from kedge.kube.watch import INITIAL_EVENTS_END

SECRETS = plain("v1", "Secret", "secrets")
WAIT = 30.0


async def take(watch: Watch[Object], count: int) -> list[Event[Object]]:
    """Read events until there are so many."""
    got: list[Event[Object]] = []
    async with asyncio.timeout(WAIT):
        while len(got) < count:
            batch = await watch.batch()
            assert batch, "the watch has ended"
            got += [event for event in batch if isinstance(event, Event)]
    return got


def told(events: list[Event[Object]]) -> list[tuple[str, str]]:
    return [(event.type, event.object["metadata"].get("name", "")) for event in events]


@pytest.mark.asyncio
async def test_changes_after_a_version(kube: Client, namespace: str) -> None:
    selection = Selection(namespace)
    await kube.create(SECRETS, {"metadata": {"name": "old"}}, namespace)
    version = (await kube.page(SECRETS, selection)).version
    async with kube.watch(SECRETS, selection, Following(version)) as watch:
        data = {"stringData": {"x": "\u2028\u0085" * 1000}}
        await kube.create(SECRETS, {"metadata": {"name": "a"}, **data}, namespace)
        await kube.patch(SECRETS, "a", patches.merge({"type": None}), namespace)
        labels = patches.merge({"metadata": {"labels": {"a": "b"}}})
        await kube.patch(SECRETS, "a", labels, namespace)
        await kube.delete(SECRETS, "a", namespace)
        events = await take(watch, 3)
    assert told(events) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


@pytest.mark.asyncio
async def test_from_now_on_begins_with_what_there_is(kube: Client, namespace: str) -> None:
    for name in ("a", "b"):
        await kube.create(SECRETS, {"metadata": {"name": name}}, namespace)
    async with kube.watch(SECRETS, Selection(namespace)) as watch:
        events = told(await take(watch, 2))
    assert sorted(events[:2]) == [("ADDED", "a"), ("ADDED", "b")]


@pytest.mark.asyncio
async def test_a_watch_can_take_the_place_of_a_list(kube: Client, namespace: str) -> None:
    for name in ("a", "b"):
        await kube.create(SECRETS, {"metadata": {"name": name}}, namespace)
    selection = Selection(namespace)
    async with kube.watch(SECRETS, selection, Following(initial=True)) as watch:
        events = await take(watch, 3)
        assert sorted(told(events[:2])) == [("ADDED", "a"), ("ADDED", "b")]
        mark = events[2]
        assert mark.type == "BOOKMARK"
        assert mark.object["metadata"]["annotations"][INITIAL_EVENTS_END] == "true"
        version = mark.object["metadata"]["resourceVersion"]
    async with kube.watch(SECRETS, selection, Following(version)) as watch:
        await kube.create(SECRETS, {"metadata": {"name": "c"}}, namespace)
        assert told(await take(watch, 1)) == [("ADDED", "c")]


@pytest.mark.asyncio
async def test_selectors_make_events(kube: Client, namespace: str) -> None:
    await kube.create(SECRETS, {"metadata": {"name": "a"}}, namespace)
    version = (await kube.page(SECRETS, Selection(namespace))).version
    chosen = Selection(namespace, labels="on=yes")
    async with kube.watch(SECRETS, chosen, Following(version)) as watch:
        for value in ("yes", "no"):
            change = patches.merge({"metadata": {"labels": {"on": value}}})
            await kube.patch(SECRETS, "a", change, namespace)
        assert told(await take(watch, 2)) == [("ADDED", "a"), ("DELETED", "a")]


@pytest.mark.asyncio
async def test_bytes_and_metadata_alone(kube: Client, namespace: str) -> None:
    selection = Selection(namespace)
    await kube.create(SECRETS, {"metadata": {"name": "a"}}, namespace)
    async with kube.watch(SECRETS.raw, selection) as raw:
        event = (await raw.batch())[0]
        assert isinstance(event, Event)
        assert bytes(event.object).startswith(b"{")
    async with kube.watch(SECRETS.partial, selection) as partial:
        meta = (await partial.batch())[0]
        assert isinstance(meta, Event)
        assert meta.object.kind == "PartialObjectMetadata"
        assert meta.object.metadata.name == "a"


@pytest.mark.asyncio
async def test_the_server_ends_it_after_the_time_that_is_asked_for(
    kube: Client, namespace: str
) -> None:
    async with (
        asyncio.timeout(WAIT),
        kube.watch(SECRETS, Selection(namespace), Following(seconds=1)) as watch,
    ):
        while batch := await watch.batch():
            assert all(isinstance(event, Event) and event.type == "BOOKMARK" for event in batch)


@pytest.mark.asyncio
async def test_a_version_that_is_no_version(kube: Client, namespace: str) -> None:
    with pytest.raises(errors.ApiError, match="nonsense"):
        async with kube.watch(SECRETS, Selection(namespace), Following("nonsense")):
            pass
