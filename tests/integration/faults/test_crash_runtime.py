"""A controller on the runtime survives each crash and each fault, through the harness unchanged."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kedge.aio.background import background
from kedge.client import Client
from kedge.client.patches import merge
from kedge.client.where import explicit
from kedge.kube.errors import AlreadyExists
from kedge.kube.kind import plain
from kedge.runtime import AWAIT_CHANGE, Cache, Key, Manager, On, Result, itself, owner
from kedge.testing import Client as PlainClient
from kedge.testing import crash, faults
from kedge.testing.state import state_of
from tests.integration.faults.front import CONFIGS, WATCHES, WRITES, config
from tests.integration.sweeps import Cut, cuts, daily, undisturbed

CONFIG = plain("v1", "ConfigMap", "configmaps")
PARENTS = ("p0", "p1", "p2")


class Parents:
    """Each parent gets a child, and is then marked as done."""

    def __init__(self, client: Client, cache: Cache[dict[str, Any]]) -> None:
        self._client = client
        self._cache = cache

    async def reconcile(self, key: Key) -> Result:
        parent = self._cache.get(key)
        if parent is None or key.name not in PARENTS or (parent.get("data") or {}).get("done"):
            return AWAIT_CHANGE
        child = Key(key.namespace, f"{key.name}-child")
        if self._cache.get(child) is None:
            await self._make(parent, child)
        await self._client.patch(CONFIG, key.name, merge({"data": {"done": "true"}}), key.namespace)
        return AWAIT_CHANGE

    async def _make(self, parent: dict[str, Any], child: Key) -> None:
        metadata = parent["metadata"]
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "controller": True}
        owners = [{**reference, "name": metadata["name"], "uid": metadata["uid"]}]
        obj = {"metadata": {"name": child.name, "ownerReferences": owners}}
        try:
            await self._client.create(CONFIG, obj, child.namespace)
        except AlreadyExists:
            return


@asynccontextmanager
async def start(url: str) -> AsyncIterator[None]:
    async with Client(explicit(url)) as client:
        manager = Manager(client)
        cache = manager.cache(CONFIG)
        parents = Parents(client, cache)
        watches = [On(cache, itself), On(cache, owner(CONFIG))]
        manager.control("parents", parents.reconcile, watches, workers=2)
        async with background(manager.run()):
            yield


async def prepare(client: PlainClient) -> None:
    for name in PARENTS:
        await client.create(CONFIGS, config(name))


async def settled(client: PlainClient) -> bool:
    items = (await client.get(CONFIGS))["items"]
    found = {one["metadata"]["name"]: one.get("data") or {} for one in items}
    return all("done" in found[name] and f"{name}-child" in found for name in PARENTS)


async def end_state(client: PlainClient) -> Any:
    return await state_of(client, CONFIGS)


SCENARIO = crash.Scenario(start, prepare, settled, end_state)


WRITTEN = 2 * len(PARENTS)
"""A create and a patch for each parent."""


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", cuts(thin=WRITTEN, whole=2 * (1 + WRITTEN)))
async def test_it_survives_each_crash(cut: Cut) -> None:
    await cut.crashes(SCENARIO)


Before = Callable[[faults.Proxy], faults.Injection]
FAULTS: dict[str, Before] = {
    "requests lost": lambda proxy: proxy.inject(faults.LoseRequest(), times=3),
    "answers lost": lambda proxy: proxy.inject(faults.LoseAnswer(reset=True), times=3),
    "conflicts": lambda proxy: proxy.inject(faults.DoneBut(faults.conflict()), WRITES, times=3),
    "refusals": lambda proxy: proxy.inject(faults.Refuse(faults.failure(503)), times=3),
    "expired": lambda proxy: proxy.inject(faults.Refuse(faults.expired()), WATCHES, times=2),
    "expired event": lambda proxy: proxy.inject(faults.ErrorEvent(1), WATCHES, times=2),
    "half events": lambda proxy: proxy.inject(faults.CutEvent(1), WATCHES, times=2),
    "twice": lambda proxy: proxy.inject(faults.SendTwice(), WRITES),
    "events twice": lambda proxy: proxy.inject(faults.DuplicateEvent(), WATCHES),
    "events first": lambda proxy: proxy.inject(faults.EventFirst(), WRITES),
    "answers first": lambda proxy: proxy.inject(faults.AnswerFirst(), WRITES),
    "single bytes": lambda proxy: proxy.inject(faults.Split()),
}


DAILY = (
    "requests lost",
    "conflicts",
    "expired event",
    "half events",
    "events first",
    "single bytes",
)


@pytest.mark.asyncio
@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_reaches_the_same_end_under_faults(fault: str) -> None:
    injections: list[faults.Injection] = []
    found = await crash.run(SCENARIO, lambda proxy: injections.append(FAULTS[fault](proxy)))
    assert not crash.difference(await undisturbed("parents", SCENARIO), found)
    assert injections[0].hits
