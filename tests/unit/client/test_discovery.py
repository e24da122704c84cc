from datetime import timedelta
from typing import Any

import pytest

from kedge.client import BadAnswer
from kedge.kube import errors
from kedge.kube.kind import plain
from kedge.testing import FakeClock
from tests.unit.client.peer import Seen, client, in_turn, reply, serving

BOATS = plain("sea.example.org/v1", "Boat", "boats")
SAILS = plain("sea.example.org/v1", "Sail", "sails")
PODS = plain("v1", "Pod", "pods")


def resources(*names: str) -> bytes:
    return reply(200, {"kind": "APIResourceList", "resources": [{"name": name} for name in names]})


@pytest.mark.asyncio
async def test_a_group_is_asked_for_once_for_all_its_kinds() -> None:
    clock = FakeClock()
    answers = in_turn(resources("boats", "boats/status", "sails"))
    async with serving(answers) as peer, client(peer, clock) as kube:
        assert await kube.discovery.has(BOATS, "status")
        assert not await kube.discovery.has(SAILS, "status")
        assert not await kube.discovery.has(BOATS, "scale")
        assert (await kube.discovery.resources(SAILS))[0].name == "boats"
    assert [seen.path for seen in peer.seen] == ["/apis/sea.example.org/v1"]


@pytest.mark.asyncio
async def test_groups_and_versions_are_apart() -> None:
    async with serving(in_turn(resources())) as peer, client(peer) as kube:
        for kind in (BOATS, PODS, plain("sea.example.org/v2", "Boat", "boats")):
            await kube.discovery.resources(kind)
    assert [seen.path for seen in peer.seen] == [
        "/apis/sea.example.org/v1",
        "/api/v1",
        "/apis/sea.example.org/v2",
    ]


@pytest.mark.asyncio
async def test_an_answer_becomes_old() -> None:
    clock = FakeClock()
    async with serving(in_turn(resources("boats/status"))) as peer, client(peer, clock) as kube:
        await kube.discovery.has(BOATS, "status")
        clock.advance(timedelta(seconds=599))
        await kube.discovery.has(BOATS, "status")
        assert len(peer.seen) == 1
        clock.advance(timedelta(seconds=1))
        peer.answer = in_turn(resources())
        assert not await kube.discovery.has(BOATS, "status")
    assert len(peer.seen) == 2


@pytest.mark.asyncio
async def test_a_no_is_doubted_sooner_than_a_yes() -> None:
    clock = FakeClock()
    answers = in_turn(resources("sails/status"), resources("boats/status", "sails/status"))
    async with serving(answers) as peer, client(peer, clock) as kube:
        assert not await kube.discovery.has(BOATS, "status", doubt_seconds=30)
        clock.advance(timedelta(seconds=29))
        assert not await kube.discovery.has(BOATS, "status", doubt_seconds=30)
        clock.advance(timedelta(seconds=1))
        assert await kube.discovery.has(SAILS, "status", doubt_seconds=30)
        assert len(peer.seen) == 1
        assert await kube.discovery.has(BOATS, "status", doubt_seconds=30)
    assert len(peer.seen) == 2


@pytest.mark.asyncio
async def test_what_is_forgotten_is_looked_up_again() -> None:
    async with serving(in_turn(resources())) as peer, client(peer) as kube:
        kube.discovery.forget(BOATS)
        await kube.discovery.resources(BOATS)
        kube.discovery.forget(BOATS)
        await kube.discovery.resources(BOATS)
    assert len(peer.seen) == 2


@pytest.mark.asyncio
async def test_a_group_that_is_not_there_is_not_remembered() -> None:
    answers = in_turn(reply(404, b"404 page not found"), resources("boats/status"))
    async with serving(answers) as peer, client(peer) as kube:
        with pytest.raises(errors.NotFound):
            await kube.discovery.has(BOATS, "status")
        assert await kube.discovery.has(BOATS, "status")


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [b"", b"[]", {"resources": [{}]}, {"resources": 3}])
async def test_an_answer_that_is_no_list_of_resources(body: Any) -> None:
    async def answer(seen: Seen) -> bytes:
        return reply(200, body)

    async with serving(answer) as peer, client(peer) as kube:
        with pytest.raises(BadAnswer):
            await kube.discovery.resources(BOATS)
