"""PreScaledCronJobs on the embedded API, in virtual time: what the tests of the controller use."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.api.crd import crd_of
from kedge.api.prescaled.kind import DEFINITION
from kedge.client import Client, ClientSettings
from kedge.client.where import explicit
from kedge.controllers.prescaled.controller import PrescaledSettings, add_to
from kedge.controllers.prescaled.metrics import PrescaledMetrics
from kedge.cron import parse
from kedge.kube.kind import Object
from kedge.kube.times import format_time, parse_time
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.testing import Cluster, FakeClock, faults
from tests.integration.controllers.harbour import PAUSE_SECONDS, QUIET_LOOKS, YEARS, Events
from tests.integration.eventually import pause
from tests.integration.founded import founded

SPACE = "harbour"
OBJECTS = f"/apis/psc.cronprimer.local/v1alpha1/namespaces/{SPACE}/prescaledcronjobs"
CRON_JOBS = f"/apis/batch/v1/namespaces/{SPACE}/cronjobs"
JOBS = f"/apis/batch/v1/namespaces/{SPACE}/jobs"
PODS = f"/api/v1/namespaces/{SPACE}/pods"
IMAGE = "example.com/kedge:1"
SETTINGS = PrescaledSettings(IMAGE)
QUICK = Backoff(first=0.02, most=0.2)
WORK: Object = {
    "spec": {
        "template": {
            "spec": {
                "containers": [{"name": "work", "image": "example.com/work:1"}],
                "restartPolicy": "Never",
            }
        }
    }
}


def manifest(name: str, schedule: str, lead: int | None = 10, **more: Any) -> Object:
    """Write a PreScaledCronJob; what is no field of its own goes into the CronJob's spec."""
    own = {key: more.pop(key) for key in ("primerSchedule",) if key in more}
    metadata = more.pop("metadata", {})
    spec = {"schedule": schedule, "jobTemplate": WORK, **more}
    return {
        "apiVersion": "psc.cronprimer.local/v1alpha1",
        "kind": "PreScaledCronJob",
        "metadata": {"name": name, "namespace": SPACE, **metadata},
        "spec": {
            **({} if lead is None else {"warmUpTimeMins": lead}),
            **own,
            "cronJob": {"apiVersion": "batch/v1", "kind": "CronJob", "spec": spec},
        },
    }


@dataclass
class Slipway:
    """A cluster with the CRD, whose time the test moves; the controller is behind a proxy."""

    kube: Cluster
    clock: FakeClock
    proxy: faults.Proxy
    events: Events = field(default_factory=Events)
    metrics: PrescaledMetrics = field(default_factory=PrescaledMetrics)

    async def make(self, name: str, schedule: str, lead: int | None = 10, **more: Any) -> Object:
        """Create a PreScaledCronJob."""
        return await self.kube.client.create(OBJECTS, manifest(name, schedule, lead, **more))

    async def get(self, name: str) -> Object:
        """Read a PreScaledCronJob."""
        return await self.kube.client.get(f"{OBJECTS}/{name}")

    async def status(self, name: str) -> dict[str, Any]:
        """Read its status."""
        found: dict[str, Any] = (await self.get(name)).get("status", {})
        return found

    async def ready(self, name: str) -> str:
        """Read the condition: status, reason, message."""
        [found] = (await self.status(name))["conditions"]
        return f"{found['status']}/{found['reason']}: {found['message']}"

    async def change(self, name: str, change: Object) -> Object:
        """Change a PreScaledCronJob."""
        return await self.kube.client.patch(f"{OBJECTS}/{name}", change)

    async def reschedule(self, name: str, **spec: Any) -> Object:
        """Change the CronJob within a PreScaledCronJob."""
        return await self.change(name, {"spec": {"cronJob": {"spec": spec}}})

    async def children(self) -> dict[str, Object]:
        """Give all CronJobs by name."""
        found = (await self.kube.client.get(CRON_JOBS))["items"]
        return {one["metadata"]["name"]: one for one in found}

    async def child(self, name: str) -> Object:
        """Read a CronJob."""
        return await self.kube.client.get(f"{CRON_JOBS}/{name}")

    async def jobs(self) -> list[str]:
        """Give the names of all Jobs."""
        return [one["metadata"]["name"] for one in (await self.kube.client.get(JOBS))["items"]]

    async def fired(self, name: str, at: datetime, active: tuple[str, ...] = ()) -> None:
        """Have a CronJob started something, as its controller notes it."""
        refs = [{"kind": "Job", "name": job, "apiVersion": "batch/v1"} for job in active]
        status = {"lastScheduleTime": format_time(at), "active": refs}
        await self.kube.client.patch(f"{CRON_JOBS}/{name}/status", {"status": status})

    async def until(self, name: str, holds: Callable[[Object], bool]) -> Object:
        """Wait until something holds of a PreScaledCronJob."""
        return await self.kube.client.until(f"{OBJECTS}/{name}", holds)

    async def quiet(self) -> None:
        """Wait until the controller asks for nothing more."""
        looks, seen = 0, -1
        while looks < QUIET_LOOKS:
            await pause(PAUSE_SECONDS)
            calls = self.proxy.calls
            is_over = all(call.is_over or call.request.is_watch for call in calls)
            looks = looks + 1 if is_over and len(calls) == seen else 0
            seen = len(calls)

    async def pass_time(self, **by: float) -> None:
        """Move on, once the controller has gone to sleep, and wait until it does so again."""
        await self.quiet()
        self.clock.advance(timedelta(**by))
        await self.quiet()

    async def reach(self, instant: str) -> None:
        """Move on to an instant; a time of the first day will do."""
        whole = instant if "T" in instant else f"2030-01-01T{instant}Z"
        await self.quiet()
        self.clock.advance(parse_time(whole) - self.clock.now())
        await self.quiet()

    def writes(self, since: int = 0) -> list[str]:
        """Give what the controller wrote: the method and the end of the path."""
        calls = [call for call in self.proxy.calls[since:] if call.is_write]
        return [f"{call.method} {call.path.partition(f'/{SPACE}/')[2]}" for call in calls]

    @asynccontextmanager
    async def running(self, settings: PrescaledSettings = SETTINGS) -> AsyncIterator[Manager]:
        """Run the controller while the block runs."""
        async with controlling(
            self.proxy.url, self.clock, self.events, settings, self.metrics
        ) as it:
            await self.quiet()
            yield it
            await self.quiet()


@asynccontextmanager
async def controlling(
    url: str,
    clock: Clock,
    events: Events,
    settings: PrescaledSettings = SETTINGS,
    metrics: PrescaledMetrics | None = None,
) -> AsyncIterator[Manager]:
    """Run a controller against a URL while the block runs."""
    async with Client(explicit(url), ClientSettings(per_second=0), clock) as client:
        watch = WatchSettings(backoff=QUICK, silence_seconds=YEARS)
        manager = Manager(client, ManagerSettings(watch=watch, queue=QueueSettings(QUICK)), clock)
        add_to(manager, client, events, settings, metrics)
        async with background(manager.run()):
            yield manager


@asynccontextmanager
async def prepared(clock: Clock) -> AsyncIterator[Cluster]:
    """Make a cluster with the CRD."""
    async with founded([crd_of(DEFINITION)], SPACE, clock=clock) as kube:
        yield kube


@asynccontextmanager
async def slipway(start: datetime | None = None) -> AsyncIterator[Slipway]:
    """Make a cluster with the CRD, and a proxy in front of it."""
    clock = FakeClock(start) if start else FakeClock()
    async with prepared(clock) as kube, faults.proxy(kube) as proxy:
        yield Slipway(kube, clock, proxy)


def firings(child: Object, start: datetime, end: datetime) -> list[datetime]:
    """List when the CronJob controller starts a CronJob."""
    spec = child["spec"]
    if spec.get("suspend"):
        return []
    return list(parse(spec["schedule"], zone=spec.get("timeZone")).between(start, end))
