"""NonAdminBackups on the embedded API, in virtual time: what the tests of their controller use."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.api.crd import crds
from kedge.client import Client, ClientSettings
from kedge.client.retry import Retrying
from kedge.client.where import explicit
from kedge.controllers.nab.wiring import NabSettings, add_to
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.testing import Cluster, FakeClock, faults
from tests.integration.controllers.harbour import Events
from tests.integration.eventually import pause
from tests.integration.founded import founded

HOME = "velero"
TENANT = "shop"
GROUP = "/apis/oadp.openshift.io/v1alpha1"
VELERO = f"/apis/velero.io/v1/namespaces/{HOME}"
BACKUPS = f"{VELERO}/backups"
REQUESTS = f"{VELERO}/deletebackuprequests"
LOCATIONS = f"{VELERO}/backupstoragelocations"
VOLUMES = f"{VELERO}/podvolumebackups"
CONFIGS = f"/api/v1/namespaces/{HOME}/configmaps"
FINALIZER = "nonadminbackup.oadp.openshift.io/finalizer"
SYNCED = "openshift.io/oadp-nab-synced-from-nacuuid"
POLICY = "kedge-nonadmin-policy"
NEEDED = (
    "backups",
    "deletebackuprequests",
    "backupstoragelocations",
    "podvolumebackups",
    "nonadminbackups",
    "nonadminbackupstoragelocations",
)
QUICK = Backoff(first=0.02, most=0.2)
YEARS = 1e9
PAUSE_SECONDS = 0.005
PATIENCE_SECONDS = 30.0
QUIET_LOOKS = 5


def nabs(namespace: str = TENANT) -> str:
    """Give the path of NonAdminBackups."""
    return f"{GROUP}/namespaces/{namespace}/nonadminbackups"


def own_locations(namespace: str = TENANT) -> str:
    """Give the path of NonAdminBackupStorageLocations."""
    return f"{GROUP}/namespaces/{namespace}/nonadminbackupstoragelocations"


def manifest(
    name: str, backup_spec: Object | None = None, metadata: Object | None = None, **spec: Any
) -> Object:
    """Write a NonAdminBackup."""
    return {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "NonAdminBackup",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"backupSpec": backup_spec or {}, **spec},
    }


@dataclass
class Pilot:
    """A cluster with the CRDs, whose time the test moves; the controller is behind a proxy."""

    kube: Cluster
    clock: FakeClock
    proxy: faults.Proxy
    events: Events = field(default_factory=Events)
    settings: NabSettings = field(default_factory=lambda: NabSettings(HOME, workers=2))

    async def ask(
        self, name: str, backup_spec: Object | None = None, namespace: str = TENANT, **more: Any
    ) -> Object:
        """Make a NonAdminBackup."""
        return await self.kube.client.create(nabs(namespace), manifest(name, backup_spec, **more))

    async def get(self, name: str, namespace: str = TENANT) -> Object:
        """Read a NonAdminBackup."""
        return await self.kube.client.get(f"{nabs(namespace)}/{name}")

    async def patch(self, name: str, change: Object, namespace: str = TENANT) -> Object:
        """Change a NonAdminBackup."""
        return await self.kube.client.patch(f"{nabs(namespace)}/{name}", change)

    async def delete(self, name: str, namespace: str = TENANT) -> None:
        """Delete a NonAdminBackup as kubectl does."""
        await self.kube.client.delete(f"{nabs(namespace)}/{name}")

    async def until(
        self, name: str, holds: Callable[[Object], bool], namespace: str = TENANT
    ) -> Object:
        """Wait until something holds of a NonAdminBackup."""
        return await self.kube.client.until(f"{nabs(namespace)}/{name}", holds)

    async def is_there(self, path: str) -> bool:
        """Tell whether there is an object."""
        try:
            await self.kube.client.get(path)
        except NotFound:
            return False
        return True

    async def gone(self, path: str) -> None:
        """Wait until there is no such object; raises TimeoutError."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await self.is_there(path):
                await pause(PAUSE_SECONDS)
        await self.quiet()

    async def backups(self) -> dict[str, Object]:
        """Give all Velero Backups by name."""
        found = (await self.kube.client.get(BACKUPS))["items"]
        return {one["metadata"]["name"]: one for one in found}

    async def backup_of(self, name: str, namespace: str = TENANT) -> Object:
        """Read the Velero Backup of a NonAdminBackup."""
        return await self.kube.client.get(f"{BACKUPS}/{nacuuid(await self.get(name, namespace))}")

    async def set_status(self, path: str, status: Object) -> None:
        """Write a status in the way that this cluster takes it."""
        for place in (path, f"{path}/status"):
            found = (await self.kube.client.get(path)).get("status", {})
            if any(found.get(name) != value for name, value in status.items()):
                await self.kube.client.patch(place, {"status": status})

    async def finish(self, name: str, phase: str = "Completed", **status: Any) -> None:
        """End the Velero Backup of a NonAdminBackup."""
        await self.finish_of(nacuuid(await self.get(name)), phase, **status)

    async def finish_of(self, name: str, phase: str = "Completed", **status: Any) -> None:
        """End a Velero Backup."""
        end = {"phase": phase, "completionTimestamp": "2030-01-01T00:30:00Z", **status}
        await self.set_status(f"{BACKUPS}/{name}", end)

    async def requests(self) -> list[Object]:
        """Give all DeleteBackupRequests."""
        found: list[Object] = (await self.kube.client.get(REQUESTS))["items"]
        return found

    async def enforce(self, **data: str) -> None:
        """Write the policy."""
        made = {"metadata": {"name": POLICY}, "data": data}
        if await self.is_there(f"{CONFIGS}/{POLICY}"):
            await self.kube.client.replace(f"{CONFIGS}/{POLICY}", made)
        else:
            await self.kube.client.create(CONFIGS, made)

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
        """Give what the controller wrote: the method, and the path without what is random."""
        calls = [call for call in self.proxy.calls[since:] if call.is_write]
        return [f"{call.method} {_short(call.path)}" for call in calls]

    @asynccontextmanager
    async def running(self, settings: NabSettings | None = None) -> AsyncIterator[Manager]:
        """Run the controller while the block runs."""
        use = settings or self.settings
        async with controlling(self.proxy.url, self.clock, self.events, use) as manager:
            await self.quiet()
            yield manager
            await self.quiet()


def _short(path: str) -> str:
    if path.startswith(BACKUPS):
        return "backups" + ("/*" if path != BACKUPS else "")
    if path.startswith(REQUESTS):
        return "requests" + ("/*" if path != REQUESTS else "")
    return path.rpartition("nonadminbackups/")[2]


@asynccontextmanager
async def controlling(
    url: str, clock: Clock, events: Events, settings: NabSettings
) -> AsyncIterator[Manager]:
    """Run a controller against a URL while the block runs."""
    quick = ClientSettings(per_second=0, retrying=Retrying(attempts=2, backoff=QUICK))
    async with Client(explicit(url), quick, clock) as client:
        manager = Manager(
            client,
            ManagerSettings(
                watch=WatchSettings(backoff=QUICK, silence_seconds=YEARS),
                queue=QueueSettings(QUICK),
            ),
            clock,
        )
        add_to(manager, client, events, settings)
        async with background(manager.run()):
            yield manager


@asynccontextmanager
async def prepared(
    clock: Clock, velero: Sequence[Object] | None = None, namespaces: Sequence[str] = (TENANT,)
) -> AsyncIterator[Cluster]:
    """Make a cluster with our CRDs; Velero's own may be others."""
    ours = crds() if velero is None else [one for one in crds() if not _is_velero(one)]
    all_of_them = [*ours, *(velero or ())]
    needed = [crd for crd in all_of_them if crd["spec"]["names"]["plural"] in NEEDED]
    async with founded(needed, HOME, *namespaces, clock=clock) as kube:
        yield kube


def _is_velero(crd: Object) -> bool:
    return bool(crd["spec"]["group"] == "velero.io")


@asynccontextmanager
async def pilot(
    velero: Sequence[Object] | None = None, namespaces: Sequence[str] = (TENANT, "other")
) -> AsyncIterator[Pilot]:
    """Make a cluster with CRDs, and a proxy in front of it."""
    clock = FakeClock()
    async with prepared(clock, velero, namespaces) as kube, faults.proxy(kube) as proxy:
        yield Pilot(kube, clock, proxy)


def status(one: Object) -> dict[str, Any]:
    """Give the status of an object."""
    found: dict[str, Any] = one.get("status", {})
    return found


def phase(one: Object) -> str:
    """Give the phase of an object."""
    return str(status(one).get("phase", ""))


def nacuuid(one: Object) -> str:
    """Give the unique name of the Velero Backup."""
    return str(status(one)["veleroBackup"]["nacuuid"])


def conditions(one: Object) -> list[str]:
    """Give all conditions as type=status/reason."""
    found = status(one).get("conditions", [])
    return [f"{each['type']}={each['status']}/{each['reason']}" for each in found]


def message(one: Object, kind: str) -> str:
    """Give the words of a condition."""
    found = [each for each in status(one).get("conditions", []) if each["type"] == kind]
    return str(found[0]["message"]) if found else ""


def observed(one: Object, kind: str) -> int | None:
    """Give the generation that a condition is of."""
    found = [each for each in status(one).get("conditions", []) if each["type"] == kind]
    return found[0].get("observedGeneration") if found else None


def position(one: Object) -> int | None:
    """Give the position in the line."""
    found: int | None = status(one).get("queueInfo", {}).get("estimatedQueuePosition")
    return found


def is_phase(wanted: str) -> Callable[[Object], bool]:
    """Make a test for the phase."""
    return lambda one: phase(one) == wanted
