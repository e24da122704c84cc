"""Schedules on the embedded API, in virtual time: what the tests of the controller stand on."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.api.crd import crds
from kedge.client import Client, ClientSettings
from kedge.client.where import explicit
from kedge.controllers.schedule.controller import ScheduleSettings, add_to
from kedge.kube.kind import Kind, Object
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.testing import Cluster, FakeClock, faults
from tests.integration.eventually import pause
from tests.integration.founded import founded

NAMESPACE = "velero"
SCHEDULES = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/schedules"
BACKUPS = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/backups"
NEEDED = ("schedules", "backups")
QUICK = Backoff(first=0.02, most=0.2)
YEARS = 1e9
"""Seconds: connections live in real time, and do not die when the test moves the clock."""
PAUSE_SECONDS = 0.005
QUIET_LOOKS = 5


class Lagging:
    """A clock that shows an earlier time than another one."""

    def __init__(self, clock: Clock, lag: timedelta) -> None:
        """Follow a clock."""
        self._clock = clock
        self._lag = lag
        self.monotonic = clock.monotonic
        self.sleep = clock.sleep

    def now(self) -> datetime:
        """Return the present instant, a little late."""
        return self._clock.now() - self._lag


@dataclass
class Events:
    """Keeps what is told."""

    told: list[tuple[str, str]] = field(default_factory=list)

    def record(
        self, obj: Any, type_: str, reason: str, message: str, *, kind: Kind[Any] | None = None
    ) -> None:
        """Keep the reason and the words."""
        self.told.append((reason, message))

    @property
    def reasons(self) -> list[str]:
        """What was told, without the words."""
        return [reason for reason, _ in self.told]


@dataclass
class Harbour:
    """A cluster with the CRDs, whose time the test moves; the controller is behind a proxy."""

    kube: Cluster
    clock: FakeClock
    proxy: faults.Proxy
    events: Events = field(default_factory=Events)

    async def schedule(
        self, name: str, expression: str, metadata: Object | None = None, **spec: Any
    ) -> Object:
        """Create a Schedule."""
        return await self.kube.client.create(SCHEDULES, manifest(name, expression, metadata, spec))

    async def patch(self, name: str, change: Object) -> Object:
        """Change a Schedule."""
        return await self.kube.client.patch(f"{SCHEDULES}/{name}", change)

    async def annotate(self, name: str, **options: str | None) -> Object:
        """Set options of ours; underscores stand for hyphens."""
        marks = {f"kedge.dev/{key.replace('_', '-')}": value for key, value in options.items()}
        return await self.patch(name, {"metadata": {"annotations": marks}})

    async def get(self, name: str) -> Object:
        """Read a Schedule."""
        return await self.kube.client.get(f"{SCHEDULES}/{name}")

    async def until(self, name: str, holds: Callable[[Object], bool]) -> Object:
        """Wait until something holds of a Schedule."""
        return await self.kube.client.until(f"{SCHEDULES}/{name}", holds)

    async def backups(self) -> list[str]:
        """Give the names of all Backups."""
        return [one["metadata"]["name"] for one in (await self.kube.client.get(BACKUPS))["items"]]

    async def backup(self, name: str) -> Object:
        """Read a Backup."""
        return await self.kube.client.get(f"{BACKUPS}/{name}")

    async def finish(self, name: str, phase: str = "Completed") -> None:
        """End a Backup, in the way that this cluster takes a status."""
        change = {"status": {"phase": phase}}
        for path in (f"{BACKUPS}/{name}", f"{BACKUPS}/{name}/status"):
            if (await self.backup(name)).get("status", {}).get("phase") != phase:
                await self.kube.client.patch(path, change)

    async def manual(self, name: str, schedule: str, **metadata: Any) -> Object:
        """Make a Backup as `backup create --from-schedule` does."""
        made = {
            "apiVersion": "velero.io/v1",
            "kind": "Backup",
            "metadata": {
                "name": name,
                "labels": {"velero.io/schedule-name": schedule},
                **metadata,
            },
            "spec": {},
        }
        return await self.kube.client.create(BACKUPS, made)

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

    def writes(self, since: int = 0) -> list[str]:
        """Give what the controller wrote: the method and the last part of the path."""
        calls = [call for call in self.proxy.calls[since:] if call.is_write]
        return [f"{call.method} {call.path.removeprefix(SCHEDULES[:-9])}" for call in calls]

    @asynccontextmanager
    async def running(self, settings: ScheduleSettings | None = None) -> AsyncIterator[Manager]:
        """Run the controller while the block runs."""
        async with controlling(self.proxy.url, self.clock, self.events, settings) as manager:
            await self.quiet()
            yield manager
            await self.quiet()


def manifest(
    name: str, expression: str, metadata: Object | None = None, spec: Object | None = None
) -> Object:
    """Write a Schedule."""
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Schedule",
        "metadata": {"name": name, "namespace": NAMESPACE, **(metadata or {})},
        "spec": {"schedule": expression, "template": {"ttl": "24h0m0s"}, **(spec or {})},
    }


@asynccontextmanager
async def controlling(
    url: str, clock: Clock, events: Events, settings: ScheduleSettings | None = None
) -> AsyncIterator[Manager]:
    """Run a controller against a URL while the block runs."""
    async with Client(explicit(url), ClientSettings(per_second=0), clock) as client:
        manager = Manager(
            client,
            ManagerSettings(
                watch=WatchSettings(backoff=QUICK, silence_seconds=YEARS),
                queue=QueueSettings(QUICK),
            ),
            clock,
        )
        add_to(manager, client, events, settings or ScheduleSettings())
        async with background(manager.run()):
            yield manager


@asynccontextmanager
async def prepared(clock: Clock, kinds: Sequence[Object] | None = None) -> AsyncIterator[Cluster]:
    """Make a cluster with CRDs, by default ours."""
    needed = [crd for crd in kinds or crds() if crd["spec"]["names"]["plural"] in NEEDED]
    async with founded(needed, NAMESPACE, clock=clock) as kube:
        yield kube


@asynccontextmanager
async def harbour(
    kinds: Sequence[Object] | None = None, lag: timedelta = timedelta(0)
) -> AsyncIterator[Harbour]:
    """Make a cluster with CRDs, by default ours, and a proxy in front of it.

    The clock of its server lags behind that of the controller by so much.
    """
    clock = FakeClock()
    async with prepared(Lagging(clock, lag), kinds) as kube, faults.proxy(kube) as proxy:
        yield Harbour(kube, clock, proxy)


async def items_of(port: Harbour) -> dict[str, Object]:
    """Give all Schedules by name."""
    found = (await port.kube.client.get(SCHEDULES))["items"]
    return {one["metadata"]["name"]: one for one in found}


def status(schedule: Object) -> dict[str, Any]:
    """Give the status of a Schedule."""
    found: dict[str, Any] = schedule.get("status", {})
    return found


def condition(schedule: Object, kind: str) -> str:
    """Give the status and the reason of a condition."""
    found = [one for one in status(schedule).get("conditions", []) if one["type"] == kind]
    return f"{found[0]['status']}/{found[0]['reason']}" if found else ""


def is_waiting_for(instant: str) -> Callable[[Object], bool]:
    """Make a test for the next run; a time of the first day will do."""
    whole = instant if "T" in instant else f"2030-01-01T{instant}Z"
    return lambda schedule: status(schedule).get("nextRun") == whole


def is_phase(phase: str) -> Callable[[Object], bool]:
    """Make a test for the phase."""
    return lambda schedule: status(schedule).get("phase") == phase
