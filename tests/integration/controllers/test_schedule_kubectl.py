"""Schedules in real time with real kubectl, on the embedded API and on a real one."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
import yaml

from kedge.aio.background import background
from kedge.aio.clock import SystemClock
from kedge.api.crd import crds
from kedge.client import Client, ClientSettings
from kedge.client.where import from_kubeconfig
from kedge.controllers.schedule.controller import ScheduleSettings, add_to
from kedge.kube.kind import Object
from kedge.runtime import Manager
from kedge.runtime.events import ApiEvents, Recorder
from kedge.runtime.leader import Leader, LeaderSettings
from kedge.runtime.lease import ApiLeases, lease_client
from tests.integration.api.places import Place, place_of
from tests.integration.controllers.harbour import condition, manifest, status
from tests.integration.eventually import pause

pytestmark = pytest.mark.asyncio

PATIENCE = 60.0
LOOK_SECONDS = 0.4
"""Each look is a kubectl of its own, which is not cheap."""
OFTEN = "@every 2s"
DUE = "kedge.dev/due"
TIMES = (6, 4.5, 0.3)
"""Of a lease, in seconds; with less, a busy machine would take it from one that does no wrong."""


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.slow)])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """Give a cluster that has our CRDs, and a kubectl for it."""
    with place_of(request, tmp_path_factory, crds()) as place:
        yield place


async def kubectl(place: Place, *arguments: str, stdin: str = "") -> str:
    """Run kubectl beside the controller."""
    return await asyncio.to_thread(place.kubectl.ok, *arguments, stdin=stdin)


async def create(place: Place, name: str, expression: str = OFTEN, **spec: Any) -> None:
    text = yaml.safe_dump(manifest(name, expression, {"namespace": place.kubectl.namespace}, spec))
    await kubectl(place, "create", "--validate=strict", "-f", "-", stdin=text)


async def patch(place: Place, what: str, change: Object, *flags: str) -> None:
    await kubectl(place, "patch", what, "--type=merge", f"--patch={json.dumps(change)}", *flags)


async def get(place: Place, *what: str) -> Any:
    return json.loads(await kubectl(place, "get", *what, "--output=json"))


async def until(place: Place, name: str, holds: Callable[[Object], bool]) -> Object:
    """Ask again and again, as a person does."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found: Object = await get(place, "schedule", name)
            if holds(found):
                return found
            await pause(LOOK_SECONDS)


async def backups(place: Place, schedule: str) -> list[Object]:
    found = await get(place, "backups", f"--selector=velero.io/schedule-name={schedule}")
    return list(found["items"])


async def made(place: Place, schedule: str, number: int) -> list[Object]:
    """Wait until a schedule has so many Backups; those that are there are ended."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await backups(place, schedule)
            if len(found) >= number:
                return found
            for one in found:
                if not one.get("status"):
                    await finish(place, one["metadata"]["name"])
            await pause(LOOK_SECONDS)


async def finish(place: Place, name: str) -> None:
    done = {"status": {"phase": "Completed"}}
    await patch(place, f"backup/{name}", done, "--subresource=status")


@asynccontextmanager
async def controlled(place: Place) -> AsyncIterator[None]:
    """Run the controller on the cluster, with Events."""
    async with place.client() as client:
        manager = Manager(client)
        recorder = Recorder(ApiEvents(client), "kedge")
        manager.serve(recorder)
        add_to(manager, client, recorder, ScheduleSettings(namespace=place.kubectl.namespace))
        async with background(manager.run()):
            yield


async def test_a_schedule_that_kubectl_creates_makes_backups(place: Place) -> None:
    async with controlled(place):
        await create(place, "often", useOwnerReferencesInBackup=True)
        first, second = (await made(place, "often", 2))[:2]
        seen = await until(place, "often", lambda one: "lastBackup" in status(one))
        assert status(seen)["phase"] == "Enabled"
        assert condition(seen, "Paused") == "False/Running"
        assert status(seen)["observedGeneration"] == 1
        for one in (first, second):
            stamp = one["metadata"]["annotations"][DUE].translate(str.maketrans("", "", "-:TZ"))
            assert one["metadata"]["name"] == f"often-{stamp}"
            assert one["metadata"]["ownerReferences"][0]["uid"] == seen["metadata"]["uid"]
        assert first["metadata"]["annotations"][DUE] < second["metadata"]["annotations"][DUE]
        head, row = (await kubectl(place, "get", "schedule", "often")).splitlines()
        columns = "NAME STATUS SCHEDULE NEXT_RUN LAST_BACKUP LAST_SKIPPED PAUSED AGE"
        assert head.split() == columns.replace("_", " ").split()
        assert "Enabled" in row
        assert OFTEN in row
        await kubectl(place, "delete", "schedule", "often")


async def test_pausing_and_unpausing_with_kubectl(place: Place) -> None:
    async with controlled(place):
        await create(place, "held", "@every 1s")
        await made(place, "held", 1)
        await patch(place, "schedule/held", {"spec": {"paused": True}})
        await until(place, "held", lambda one: condition(one, "Paused") == "True/Paused")
        before = len(await backups(place, "held"))
        for one in await backups(place, "held"):
            await finish(place, one["metadata"]["name"])
        # Another one tells how time passes.
        await create(place, "meter", "@every 1s")
        await made(place, "meter", 3)
        assert len(await backups(place, "held")) == before
        long = {"paused": False, "skipImmediately": True, "schedule": "@every 1h"}
        await patch(place, "schedule/held", {"spec": long})
        seen = await until(place, "held", lambda one: "skipImmediately" not in one["spec"])
        assert "lastSkipped" in status(seen)
        assert len(await backups(place, "held")) == before
        await patch(place, "schedule/held", {"spec": {"schedule": "@every 1s"}})
        await made(place, "held", before + 1)
        for name in ("held", "meter"):
            await kubectl(place, "delete", "schedule", name)


async def test_a_blocked_schedule_says_so_to_kubectl(place: Place) -> None:
    async with controlled(place):
        await create(place, "stuck", "@every 1s")
        seen = await until(place, "stuck", lambda one: condition(one, "Blocked") == "True/Overlap")
        assert condition(seen, "Ready") == "False/Blocked"
        [name] = [one["metadata"]["name"] for one in await backups(place, "stuck")]
        wide = await kubectl(place, "get", "schedule", "stuck", "--output=wide")
        assert f"waits for Backup {name} to end" in wide
        await kubectl(place, "wait", "--for=condition=Blocked", "schedule/stuck", "--timeout=5s")
        selected = "--field-selector=involvedObject.name=stuck,reason=Overlap"
        async with asyncio.timeout(PATIENCE):
            while not (events := (await get(place, "events", selected))["items"]):
                await pause(LOOK_SECONDS)
        assert [one["count"] for one in events] == [1]
        assert f"Backup {name} is not finished" in events[0]["message"]
        await kubectl(place, "delete", "schedule", "stuck")


async def test_a_bad_schedule_says_why_to_kubectl(place: Place) -> None:
    async with controlled(place):
        await create(place, "bad", "0 0 30 2 *")
        seen = await until(place, "bad", lambda one: bool(status(one).get("phase")))
        assert status(seen)["phase"] == "FailedValidation"
        told = await kubectl(place, "describe", "schedule", "bad")
        assert "it never runs" in told
        await kubectl(place, "delete", "schedule", "bad")


@asynccontextmanager
async def candidate(place: Place, identity: str) -> AsyncIterator[Leader]:
    """Run a controller that stands for election."""
    clock = SystemClock()
    access = from_kubeconfig([place.kubectl.kubeconfig], environ={}, clock=clock)
    settings = LeaderSettings("kedge", place.kubectl.namespace, identity, *TIMES)
    async with AsyncExitStack() as stack:
        client = Client(access, ClientSettings(per_second=0), clock)
        await stack.enter_async_context(client)
        own = await stack.enter_async_context(lease_client(access, settings, clock))
        leader = Leader(ApiLeases(own, settings), settings, clock)
        leader.protect(client)
        manager = Manager(client, clock=clock, leader=leader)
        recorder = Recorder(ApiEvents(client), identity)
        add_to(manager, client, recorder, ScheduleSettings(namespace=place.kubectl.namespace))
        async with background(manager.run(), recorder.run()):
            yield leader


async def standing(
    lives: AsyncExitStack, place: Place, identity: str
) -> tuple[AsyncExitStack, Leader]:
    """Have one more candidate; closing the first of the two ends it."""
    life = await lives.enter_async_context(AsyncExitStack())
    return life, await life.enter_async_context(candidate(place, identity))


@pytest.mark.slow
async def test_two_managers_never_make_two_backups_for_one_instant(place: Place) -> None:
    """The leader is ended again and again, in the middle of its work; another takes over."""
    names = [f"shared-{number}" for number in range(5)]
    for name in names:
        await create(place, name, "@every 1s")
    async with AsyncExitStack() as lives:
        life, leader = await standing(lives, place, "c0")
        await asyncio.wait_for(leader.led(), PATIENCE)
        for number in (1, 2, 3):
            for name in names:
                await made(place, name, 2 * number)
            following, successor = await standing(lives, place, f"c{number}")
            await life.aclose()
            await asyncio.wait_for(successor.led(), PATIENCE)
            life = following
        for name in names:
            await made(place, name, 8)
    found = [one for name in names for one in await backups(place, name)]
    instants = Counter(
        (one["metadata"]["labels"]["velero.io/schedule-name"], one["metadata"]["annotations"][DUE])
        for one in found
    )
    assert set(instants.values()) == {1}
    assert not [one for one in found if one["metadata"]["name"].count("-") > 2]
    for name in names:
        open_ = [one for one in await backups(place, name) if not one.get("status")]
        assert len(open_) <= 1, "no Backup is made while another one runs"
