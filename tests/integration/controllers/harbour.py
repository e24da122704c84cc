"""Schedules on the embedded API, in virtual time: what the tests of the controller stand on."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.api.crd import crds
from kedge.client import Client, ClientSettings
from kedge.client.where import explicit
from kedge.controllers.schedule.controller import ScheduleSettings, add_to
from kedge.kube.kind import Kind, Object
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.runtime.queue import LOOK_SECONDS
from kedge.testing import Cluster, FakeClock, cluster

NAMESPACE = "velero"
SCHEDULES = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/schedules"
BACKUPS = f"/apis/velero.io/v1/namespaces/{NAMESPACE}/backups"
QUICK = Backoff(first=0.02, most=0.2)
YEARS = 1e9
"""Seconds: connections live in real time, and do not die when the test moves the clock."""


@dataclass
class Events:
    """Keeps what is told."""

    told: list[tuple[str, str]] = field(default_factory=list)

    def record(
        self, obj: Any, type_: str, reason: str, message: str, *, kind: Kind[Any] | None = None
    ) -> None:
        """Keep the reason and the words."""
        self.told.append((reason, message))


@dataclass
class Harbour:
    """A cluster with the CRDs, whose time the test moves."""

    kube: Cluster
    clock: FakeClock
    events: Events = field(default_factory=Events)

    async def schedule(self, name: str, expression: str, **spec: Any) -> Object:
        """Create a Schedule."""
        made = {
            "apiVersion": "velero.io/v1",
            "kind": "Schedule",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {"schedule": expression, "template": {"ttl": "24h0m0s"}, **spec},
        }
        return await self.kube.client.create(SCHEDULES, made)

    async def patch(self, name: str, change: Object) -> Object:
        """Change a Schedule."""
        return await self.kube.client.patch(f"{SCHEDULES}/{name}", change)

    async def until(self, name: str, holds: Callable[[Object], bool]) -> Object:
        """Wait until something holds of a Schedule."""
        return await self.kube.client.until(f"{SCHEDULES}/{name}", holds)

    async def backups(self) -> list[str]:
        """Give the names of all Backups."""
        return [one["metadata"]["name"] for one in (await self.kube.client.get(BACKUPS))["items"]]

    async def finish(self, name: str, phase: str = "Completed") -> None:
        """End a Backup."""
        change = {"status": {"phase": phase}}
        await self.kube.client.patch(f"{BACKUPS}/{name}/status", change)

    async def pass_time(self, **by: float) -> None:
        """Move on, once the queue of the controller has gone to sleep."""
        await self.clock.slept(lambda delays: bool(delays) and delays[0] <= LOOK_SECONDS)
        self.clock.advance(timedelta(**by))

    @asynccontextmanager
    async def running(self, settings: ScheduleSettings | None = None) -> AsyncIterator[Manager]:
        """Run the controller while the block runs."""
        access = explicit(self.kube.url, token=self.kube.token, ca=self.kube.ca)
        async with Client(access, ClientSettings(per_second=0)) as client:
            manager = Manager(
                client,
                ManagerSettings(
                    watch=WatchSettings(backoff=QUICK, silence_seconds=YEARS),
                    queue=QueueSettings(QUICK),
                ),
                self.clock,
            )
            add_to(manager, client, self.events, settings or ScheduleSettings())
            async with background(manager.run()):
                yield manager


@asynccontextmanager
async def harbour() -> AsyncIterator[Harbour]:
    """Make a cluster with our CRDs."""
    clock = FakeClock()
    async with cluster(clock=clock) as kube:
        for crd in crds():
            await kube.define(crd)
        await kube.client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        yield Harbour(kube, clock)
