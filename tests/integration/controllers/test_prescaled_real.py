"""With the real CronJob controller: it starts the Job at the minute of the warm-up."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest

from kedge.aio.background import background
from kedge.aio.clock import SystemClock
from kedge.api.crd import crds
from kedge.controllers.prescaled.controller import PrescaledSettings, add_to
from kedge.cron import parse
from kedge.kube.kind import Object
from kedge.kube.times import format_time, parse_time
from kedge.runtime import Manager
from kedge.runtime.events import ApiEvents, Recorder
from tests.integration.api.places import Place, place_of
from tests.integration.controllers.slipway import IMAGE, manifest
from tests.integration.eventually import pause
from tests.real_cluster import RealCluster

pytestmark = pytest.mark.asyncio

PATIENCE = 150.0
MINUTE = timedelta(minutes=1)
LEAD = 1
"""Minutes: so long is waited for at most until the start, and as long again until the run."""
ROOM = timedelta(seconds=8)
"""What is so near to its start is put off by a minute."""


@pytest.fixture(scope="module", params=["real"])
def place(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    real_cluster: RealCluster,
) -> Iterator[Place]:
    """Give a real cluster that has our CRD."""
    if "kube-controller-manager" not in real_cluster.children:
        pytest.skip("no kube-controller-manager in the folder of the real cluster")
    ours = [one for one in crds() if one["spec"]["group"] == "psc.cronprimer.local"]
    with place_of(request, tmp_path_factory, ours) as place:
        yield place


@asynccontextmanager
async def controlled(place: Place) -> AsyncIterator[None]:
    async with place.client() as client:
        manager = Manager(client)
        recorder = Recorder(ApiEvents(client), "kedge")
        manager.serve(recorder)
        settings = PrescaledSettings(IMAGE, namespace=place.kubectl.namespace)
        add_to(manager, client, recorder, settings)
        async with background(manager.run()):
            yield


async def create(place: Place, obj: Object) -> None:
    obj["metadata"]["namespace"] = place.kubectl.namespace
    await kubectl(place, "create", "--validate=strict", "-f", "-", stdin=json.dumps(obj))


async def kubectl(place: Place, *arguments: str, stdin: str = "") -> str:
    return await asyncio.to_thread(place.kubectl.ok, *arguments, stdin=stdin)


async def get(place: Place, *what: str) -> Any:
    return json.loads(await kubectl(place, "get", *what, "--output=json"))


async def jobs(place: Place, expected: set[str]) -> dict[str, Object]:
    """Wait until there are these Jobs, and perhaps others."""
    async with asyncio.timeout(PATIENCE):
        while True:
            items = (await get(place, "jobs"))["items"]
            found = {one["metadata"]["name"]: one for one in items}
            if expected <= set(found):
                return found
            await pause(0.5)


async def told(place: Place, name: str) -> dict[str, Any]:
    """Wait until there is a status."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found: dict[str, Any] = (await get(place, "pscj", name)).get("status", {})
            if found.get("nextWarmUpTime"):
                return found
            await pause(0.2)


def named(name: str, start: datetime) -> str:
    """Name the Job of a start."""
    return f"autogen-{name}-{int(start.timestamp()) // 60}"


def coming() -> datetime:
    """Give the next whole minute for which there is time enough to get ready."""
    clock = SystemClock()
    return (clock.now() + ROOM).replace(second=0, microsecond=0) + MINUTE


async def warm_up(job: str) -> datetime:
    """Run the warm-up of a Job; give the time when it let go."""
    command = [sys.executable, "-m", "kedge", "warmup", "--lead", f"{LEAD}m"]
    environ = {**os.environ, "KEDGE_JOB_NAME": job}
    ended = await asyncio.to_thread(subprocess.run, command, env=environ, timeout=PATIENCE)
    assert ended.returncode == 0
    return SystemClock().now()


# It waits for whole minutes of the real clock; with a clock of ours nothing waits.
@pytest.mark.slow
async def test_the_real_controller_starts_the_jobs_and_the_warm_up_holds_them(
    place: Place,
) -> None:
    start = coming()
    run = start + LEAD * MINUTE
    async with controlled(place):
        await create(place, manifest("static", f"{run.minute} {run.hour} * * *", LEAD))
        await create(place, manifest("rolling", "@every 2m", LEAD))
        rolling = parse_time((await told(place, "rolling"))["nextWarmUpTime"])
        expected = {named("static", start), named("rolling", rolling)}
        found = await jobs(place, expected)
        for name, due in ((named("static", start), start), (named("rolling", rolling), rolling)):
            meta = found[name]["metadata"]
            assert parse_time(meta["creationTimestamp"]) >= due
            assert meta["ownerReferences"][0]["name"] == name.rpartition("-")[0]
        over = await warm_up(named("static", start))
        # Never early; how late it is depends on how busy the machine is.
        assert run <= over < run + MINUTE
        moved = (await get(place, "cronjob", "autogen-rolling"))["spec"]["schedule"]
        following = parse(moved).next(rolling)
        assert following is not None
        # By one step; by two, if the next start was due by the time that the warm-up let go.
        assert following - rolling in {2 * MINUTE, 4 * MINUTE}
        status = await told(place, "static")
        assert status["lastWarmUpTime"] == format_time(start)
        head, *rows = (await kubectl(place, "get", "pscj")).splitlines()
        columns = "NAME SCHEDULE PRIMER MODE NEXT WARM-UP NEXT RUN READY AGE"
        assert head.split() == columns.split()
        assert any('["' in row and "Static" in row for row in rows)
        names = set(await jobs(place, expected))
        assert names - expected <= {named("rolling", rolling + 2 * MINUTE)}, "none is spurious"


async def test_a_real_server_refuses_what_it_can_see(place: Place) -> None:
    both = manifest("both", "TZ=UTC 0 8 * * *", timeZone="UTC")
    assert "not both" in await asyncio.to_thread(place.refused, both)
    assert "write a cron" in await asyncio.to_thread(place.refused, manifest("blank", "  "))
    assert "at most 44" in await asyncio.to_thread(place.refused, manifest("a" * 45, "@daily"))
    below = await asyncio.to_thread(place.refused, manifest("below", "@daily", -1))
    assert "warmUpTimeMins" in below
