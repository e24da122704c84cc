"""The controller ends at each of its calls, or is there twice: the end is the same."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from kedge.controllers.prescaled.controller import PrescaledSettings
from kedge.kube.kind import Object
from kedge.testing import Client, Cluster, crash, faults
from kedge.testing.state import state_of
from tests.integration.controllers.harbour import Events
from tests.integration.controllers.slipway import (
    CRON_JOBS,
    IMAGE,
    JOBS,
    OBJECTS,
    WORK,
    controlling,
    manifest,
    prepared,
)
from tests.integration.controllers.voyage import Shifted
from tests.integration.sweeps import WRITES, Cut, cuts, daily, undisturbed

pytestmark = pytest.mark.asyncio

ONE_BY_ONE = PrescaledSettings(IMAGE, workers=1)
MINUTES = 31557655
"""Of 2030-01-01 00:55, since 1970 began."""
EXPECTED = {
    "autogen-many",
    "autogen-many-2",
    "autogen-rolling",
    "autogen-shrunk",
    "autogen-taken",
}


@dataclass
class Launch:
    """A scenario: each cluster has a clock of its own."""

    replicas: int = 1
    clock: Shifted = field(default_factory=Shifted)
    events: Events = field(default_factory=Events)

    def scenario(self) -> crash.Scenario:
        """Give it as the crash harness takes it."""
        return crash.Scenario(
            self.start, self.prepare, self.is_settled, self.end_state, self.cluster
        )

    @asynccontextmanager
    async def cluster(self) -> AsyncIterator[Cluster]:
        """Make a cluster at midnight."""
        self.clock = Shifted()
        async with prepared(self.clock) as kube:
            yield kube

    def start(self, url: str) -> AbstractAsyncContextManager[object]:
        """Run the controller, or some of them."""
        return self._started(url)

    @asynccontextmanager
    async def _started(self, url: str) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for _ in range(self.replicas):
                running = controlling(url, self.clock, self.events, ONE_BY_ONE)
                await stack.enter_async_context(running)
            yield

    async def prepare(self, client: Client) -> None:
        """Make the objects, and go on until one start was slept through."""
        for one in (
            manifest("many", "0-15 12 * * *"),
            manifest("rolling", "5 2 * * *", timeZone="Europe/Amsterdam"),
            manifest("bad", "61 * * * *"),
            manifest("taken", "0 9 * * *"),
        ):
            await client.create(OBJECTS, one)
        await client.create(CRON_JOBS, cron_job("autogen-taken"))
        shrunk = await client.create(OBJECTS, manifest("shrunk", "0 10 * * *"))
        owner = {
            "apiVersion": shrunk["apiVersion"],
            "kind": shrunk["kind"],
            "name": "shrunk",
            "uid": shrunk["metadata"]["uid"],
            "controller": True,
        }
        for name in ("autogen-shrunk", "autogen-shrunk-2"):
            await client.create(CRON_JOBS, cron_job(name, ownerReferences=[owner]))
        self.clock.advance(timedelta(minutes=60))

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done."""
        found = await items(client, OBJECTS)
        children = {one["metadata"]["name"]: one for one in await items(client, CRON_JOBS)}
        jobs = await items(client, JOBS)
        if not all(one.get("status", {}).get("conditions") for one in found):
            return False
        rolling = next(one for one in found if one["metadata"]["name"] == "rolling")
        is_moved = children.get("autogen-rolling", {}).get("spec", {}).get("schedule")
        return (
            set(children) == EXPECTED
            and len(jobs) == 1
            and is_moved == "55 0 2 1 *"
            and rolling["status"].get("primerSchedules") == ["55 0 2 1 *"]
            and "lastWarmUpTime" in rolling["status"]
            and children["autogen-shrunk"]["spec"]["schedule"] == "50 9 * * *"
        )

    async def end_state(self, client: Client) -> Any:
        """Read what is to be the same."""
        found = await state_of(client, OBJECTS, CRON_JOBS, JOBS)
        for one in found:
            # The uid of its owner goes into it, which is another one in each cluster.
            (one["metadata"].get("annotations") or {}).pop("pscObjectHash", None)
        return sorted(found, key=lambda one: (one["kind"], one["metadata"]["name"]))


def cron_job(name: str, **metadata: Any) -> Object:
    return {
        "metadata": {"name": name, **metadata},
        "spec": {"schedule": "1 1 * * *", "jobTemplate": WORK},
    }


async def items(client: Client, path: str) -> list[Object]:
    found: list[Object] = (await client.get(path))["items"]
    return found


def jobs_of(state: Any) -> list[str]:
    return [one["metadata"]["name"] for one in state if one["kind"] == "Job"]


@pytest.mark.parametrize("cut", cuts(thin=6, whole=2 * 15))
async def test_it_survives_an_end_at_its_calls(cut: Cut) -> None:
    crashes = await cut.crashes(Launch().scenario())
    calls = {one.call.split("?")[0].split("/namespaces/harbour/")[-1] for one in crashes}
    assert not cut.is_whole or {"cronjobs", "jobs", "cronjobs/autogen-rolling"} <= calls


async def test_the_one_that_was_slept_through_is_started_once() -> None:
    state = await undisturbed("prescaled", Launch().scenario())
    assert jobs_of(state) == [f"autogen-rolling-{MINUTES}"]


async def test_two_of_them_at_once_come_to_the_same_end() -> None:
    expected = await undisturbed("prescaled", Launch().scenario())
    found = await crash.run(Launch(replicas=2).scenario())
    assert jobs_of(found) == [f"autogen-rolling-{MINUTES}"]
    assert not crash.difference(specs(expected), specs(found))


def specs(state: Any) -> list[Object]:
    """Leave out how often something was written."""
    for one in state:
        one["metadata"].pop("generation", None)
    return list(state)


FAULTS: dict[str, tuple[Any, Any, int]] = {
    "answers to writes lost": (faults.LoseAnswer(), WRITES, 6),
    "done but conflict": (faults.DoneBut(faults.conflict()), WRITES, 6),
    "conflicts": (faults.Refuse(faults.conflict()), WRITES, 6),
    "exists already": (faults.DoneBut(faults.already_exists()), faults.matches(verb="create"), 3),
    "forbidden": (faults.Refuse(faults.bare(403)), WRITES, 4),
    "500": (faults.Refuse(faults.failure(500)), WRITES, 5),
    "watches that end": (faults.EndWatch(1), faults.matches(watch=True), 9),
    "events twice": (faults.DuplicateEvent(), faults.matches(watch=True), 99),
    "answers first": (faults.AnswerFirst(), WRITES, 99),
}


DAILY = (
    "answers to writes lost",
    "conflicts",
    "exists already",
    "watches that end",
    "answers first",
)


@pytest.mark.parametrize("fault", daily(FAULTS, DAILY))
async def test_it_reaches_the_same_end_under_faults(fault: str) -> None:
    what, where, times = FAULTS[fault]
    expected = await undisturbed("prescaled", Launch().scenario())
    found = await crash.run(
        Launch().scenario(), lambda proxy: proxy.inject(what, where, times=times)
    )
    assert not crash.difference(specs(expected), specs(found))
