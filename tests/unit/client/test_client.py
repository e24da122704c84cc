import msgspec
import pytest

import kedge.client
from kedge.client import BadAnswer, ClientSettings, Selection, Writing, patches
from kedge.kube import errors
from kedge.kube.kind import plain
from kedge.kube.meta import ObjectMeta
from tests.unit.client.peer import Seen, client, in_turn, reply, serving

CONFIGS = plain("v1", "ConfigMap", "configmaps")
CONFIG = {"metadata": {"name": "a", "namespace": "ns"}}


class Config(msgspec.Struct):
    metadata: ObjectMeta
    data: dict[str, str]


async def paged(seen: Seen) -> bytes:
    """Serve nine objects, `limit` at a time."""
    query = dict(seen.query)
    begin, size = int(query.get("continue", "0")), int(query.get("limit", "9"))
    items = [{"metadata": {"name": f"c{n}"}} for n in range(begin, min(9, begin + size))]
    meta = {"resourceVersion": "5"} | ({"continue": str(begin + size)} if begin + size < 9 else {})
    return reply(200, {"items": items, "metadata": meta})


def settings(page: int, manager: str = "kedge") -> ClientSettings:
    return ClientSettings(page=page, manager=manager)


@pytest.mark.asyncio
async def test_pages_are_asked_for_when_they_are_needed() -> None:
    async with serving(paged) as peer, client(peer, settings=settings(3)) as kube:
        items = kube.list(CONFIGS, Selection(labels="a"))
        assert peer.seen == []
        names, asked = [], []
        async for item in items:
            names.append(item["metadata"]["name"])
            asked.append(len(peer.seen))
    assert names == [f"c{n}" for n in range(9)]
    assert asked == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert all(("labelSelector", "a") in seen.query for seen in peer.seen)
    assert [dict(seen.query).get("continue") for seen in peer.seen] == [None, "3", "6"]


@pytest.mark.asyncio
async def test_who_needs_no_more_asks_for_no_more() -> None:
    async with serving(paged) as peer, client(peer, settings=settings(2)) as kube:
        async for item in kube.list(CONFIGS):
            if item["metadata"]["name"] == "c2":
                break
    assert len(peer.seen) == 2


@pytest.mark.asyncio
async def test_a_list_that_took_too_long_to_go_on_has_expired() -> None:
    first = reply(200, {"items": [{}], "metadata": {"continue": "t"}})
    answers = in_turn(first, reply(410, errors.Expired("token").status))
    async with serving(answers) as peer, client(peer) as kube:
        items = kube.list(CONFIGS)
        assert await anext(items) == {}
        with pytest.raises(errors.Expired):
            await anext(items)


@pytest.mark.asyncio
async def test_all_may_come_in_one_page() -> None:
    async with serving(paged) as peer, client(peer, settings=settings(2)) as kube:
        page = await kube.page(CONFIGS, size=0, version="0")
    assert len(page.items) == 9
    assert peer.seen[0].query == [("resourceVersion", "0")]


@pytest.mark.asyncio
async def test_a_list_names_the_object_that_does_not_fit() -> None:
    items = [{"metadata": {"name": "a"}, "data": {}}, {"metadata": {"name": "b"}, "data": 3}]
    body = {"items": items}
    async with serving(in_turn(reply(200, body))) as peer, client(peer) as kube:
        with pytest.raises(BadAnswer, match="configmaps 'b': "):
            _ = [item async for item in kube.list(CONFIGS.into(Config))]


@pytest.mark.asyncio
async def test_fields_are_entered_under_the_name_of_the_client_or_the_one_that_is_given() -> None:
    async with serving(in_turn(reply())) as peer, client(peer) as kube:
        await kube.create(CONFIGS, CONFIG)
        await kube.update(CONFIGS, CONFIG, writing=Writing("me", dry_run=True))
        await kube.patch(CONFIGS, "a", patches.merge({}), "ns", Writing(validation="Warn"))
    assert [seen.query for seen in peer.seen] == [
        [("fieldManager", "kedge")],
        [("fieldManager", "me"), ("dryRun", "All")],
        [("fieldManager", "kedge"), ("fieldValidation", "Warn")],
    ]


@pytest.mark.asyncio
async def test_no_name_is_sent_where_the_client_has_none() -> None:
    async with serving(in_turn(reply())) as peer, client(peer, settings=settings(1, "")) as kube:
        await kube.create(CONFIGS, CONFIG)
    assert peer.seen[0].query == []


def test_the_public_names_are_there() -> None:
    assert all(hasattr(kedge.client, name) for name in kedge.client.__all__)
    assert sorted(kedge.client.__all__) == kedge.client.__all__
