"""The sample controller comes to the same end under each fault, and after each crash."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import pytest

from kedge.kube.conditions import is_condition
from kedge.kube.errors import NotFound
from kedge.testing import Client, crash, faults
from kedge.testing.state import state_of
from tests.integration.eventually import pause
from tests.integration.runtime.fleet import CRD, FLEET, SETTINGS, a_fleet, sailing
from tests.integration.sweeps import WRITES, Cut, cuts, daily, undisturbed

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
FLEETS = "/apis/sea.example.com/v1/namespaces/default/fleets"
BOATS = "/api/v1/namespaces/default/configmaps"
WATCHES = faults.matches(watch=True)
LISTS = faults.matches(method="GET", watch=False)
IMPATIENT = replace(SETTINGS, watch=replace(SETTINGS.watch, silence_seconds=0.5))
"""Silence on a watch is noticed soon."""


def start(url: str) -> AbstractAsyncContextManager[object]:
    return sailing(url, settings=IMPATIENT)


def fleet(name: str, size: int) -> dict[str, Any]:
    return {"apiVersion": FLEET.api_version, "kind": FLEET.name, **a_fleet(name, size)}


def is_established(crd: dict[str, Any]) -> bool:
    return is_condition(crd.get("status", {}).get("conditions"), "Established")


async def prepare(client: Client) -> None:
    """One fleet to build, one to shrink, one to sink."""
    await client.create(CRDS, CRD)
    await client.until(f"{CRDS}/{CRD['metadata']['name']}", is_established)
    await client.create(FLEETS, fleet("north", 3))
    await client.create(FLEETS, fleet("south", 2))
    west = fleet("west", 1)
    west["metadata"]["finalizers"] = ["sea.example.com/harbour"]
    await client.create(FLEETS, west)
    await client.delete(f"{FLEETS}/west")


async def settled(client: Client) -> bool:
    fleets = {one["metadata"]["name"]: one for one in (await client.get(FLEETS))["items"]}
    sizes = {name: one.get("status", {}).get("boats") for name, one in fleets.items()}
    return sizes == {"north": 3, "south": 2} and len(await boats(client)) == 5


async def boats(client: Client) -> list[str]:
    items = (await client.get(BOATS))["items"]
    return [one["metadata"]["name"] for one in items if one["metadata"].get("ownerReferences")]


async def end_state(client: Client) -> Any:
    return await state_of(client, FLEETS, BOATS)


SCENARIO = crash.Scenario(start, prepare, settled, end_state)


WRITTEN = 5 + 2 * 2
"""Five boats, and for each fleet its finalizer and its status."""


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", cuts(thin=WRITTEN, whole=2 * (2 + WRITTEN)))
async def test_it_comes_to_the_same_end_after_each_crash(cut: Cut) -> None:
    await cut.crashes(SCENARIO)


Before = Callable[[faults.Proxy], faults.Injection]
FAULTS: dict[str, Before] = {
    "cut before the answer": lambda proxy: proxy.inject(faults.LoseAnswer(), times=4),
    "cut in the body": lambda proxy: proxy.inject(faults.CutBody(40), LISTS, times=2),
    "cut in an event": lambda proxy: proxy.inject(faults.CutEvent(1), WATCHES, times=3),
    "a stalled answer": lambda proxy: proxy.inject(faults.StallAnswer(), WRITES, times=1),
    "a watch that falls silent": lambda proxy: proxy.inject(
        faults.StallAnswer(events=1), WATCHES, times=2
    ),
    "events before answers": lambda proxy: proxy.inject(faults.EventFirst(), WRITES),
    "answers before events": lambda proxy: proxy.inject(faults.AnswerFirst(), WRITES),
    "doubled requests": lambda proxy: proxy.inject(faults.SendTwice(), WRITES),
    "doubled events": lambda proxy: proxy.inject(faults.DuplicateEvent(), WATCHES),
    "410 at the start": lambda proxy: proxy.inject(
        faults.Refuse(faults.expired()), WATCHES, times=2
    ),
    "410 in the stream": lambda proxy: proxy.inject(faults.ErrorEvent(1), WATCHES, times=2),
    "409, not done": lambda proxy: proxy.inject(faults.Refuse(faults.conflict()), WRITES, times=3),
    "409, but done": lambda proxy: proxy.inject(faults.DoneBut(faults.conflict()), WRITES, times=3),
    "already exists": lambda proxy: proxy.inject(
        faults.DoneBut(faults.already_exists()), faults.matches(method="POST"), times=2
    ),
    "429": lambda proxy: proxy.inject(faults.Refuse(faults.too_many_requests(0)), times=5),
    "500": lambda proxy: proxy.inject(faults.Refuse(faults.failure(500)), times=5),
    "500, but done": lambda proxy: proxy.inject(
        faults.DoneBut(faults.failure(500)), WRITES, times=3
    ),
    "502 without a Status": lambda proxy: proxy.inject(
        faults.Refuse(faults.bare(502, "bad gateway")), times=5
    ),
    "slow bytes": lambda proxy: proxy.inject(faults.Slow(200, 0.001)),
    "split at every byte": lambda proxy: proxy.inject(faults.Split()),
    "garbage": lambda proxy: proxy.inject(faults.GarbageBody(), LISTS, times=2),
    "a wrong length": lambda proxy: proxy.inject(faults.WrongLength(10), LISTS, times=1),
}


DAILY = (
    "cut before the answer",
    "cut in an event",
    "a stalled answer",
    "events before answers",
    "doubled requests",
    "410 in the stream",
    "409, but done",
    "429",
    "500",
    "split at every byte",
    "garbage",
)


@pytest.mark.asyncio
@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_comes_to_the_same_end_under(fault: str) -> None:
    injections: list[faults.Injection] = []
    found = await crash.run(SCENARIO, lambda proxy: injections.append(FAULTS[fault](proxy)))
    assert not crash.difference(await undisturbed("fleets", SCENARIO), found)
    assert injections[0].hits


During = Callable[[faults.Proxy], Awaitable[None]]


async def down(proxy: faults.Proxy) -> None:
    """The server is gone for a while."""
    await proxy.seen(WRITES)
    async with proxy.down():
        await pause(0.3)


async def cut(proxy: faults.Proxy) -> None:
    """All connections break, again and again."""
    await proxy.seen(WRITES)
    for _ in range(5):
        await proxy.cut()
        await pause(0.05)


@pytest.mark.asyncio
@pytest.mark.parametrize("during", [down, cut])
async def test_it_comes_to_the_same_end_when(during: During) -> None:
    await crash.same_end_state(SCENARIO, during=during)


@pytest.mark.asyncio
async def test_it_comes_to_the_same_end_when_a_list_is_older_than_what_was_seen() -> None:
    past = faults.Past()

    async def back_in_time(proxy: faults.Proxy) -> None:
        await proxy.seen(faults.matches(method="PATCH"))
        proxy.inject(past.serve, LISTS, times=2)
        proxy.inject(faults.ErrorEvent(0), WATCHES, times=2)
        await proxy.cut()

    await crash.same_end_state(SCENARIO, lambda proxy: proxy.inject(past.keep, LISTS), back_in_time)


@pytest.mark.asyncio
async def test_a_boat_that_somebody_sinks_is_built_again_through_faults() -> None:
    async def sunk(proxy: faults.Proxy) -> None:
        async with proxy.client() as client:
            while not await settled(client):
                await pause(0.02)
            try:
                await client.delete(f"{BOATS}/north-1")
            except NotFound:
                raise AssertionError("there is nothing to sink") from None

    await crash.same_end_state(
        SCENARIO, lambda proxy: proxy.inject(faults.CutEvent(1), WATCHES, times=3), sunk
    )
