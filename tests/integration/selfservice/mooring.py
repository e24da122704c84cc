"""NonAdminRestores on the embedded API: what their tests stand on; Velero is the test itself."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from kedge.aio.background import background
from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock, SystemClock
from kedge.api.crd import crds
from kedge.client import Client, ClientSettings
from kedge.client.retry import Retrying
from kedge.client.where import explicit
from kedge.controllers.nar.controller import NarSettings, add_to
from kedge.kube.errors import AlreadyExists, NotFound
from kedge.kube.kind import Object
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.testing import Cluster, faults
from kedge.testing.client import Client as Admin
from tests.integration.controllers.harbour import Events
from tests.integration.eventually import pause
from tests.integration.founded import founded

HOME = "velero"
TENANT = "shop"
OTHER = "rival"
GROUP = "/apis/oadp.openshift.io/v1alpha1"
NARS = f"{GROUP}/namespaces/{TENANT}/nonadminrestores"
NABS = f"{GROUP}/namespaces/{TENANT}/nonadminbackups"
RESTORES = f"/apis/velero.io/v1/namespaces/{HOME}/restores"
BACKUPS = f"/apis/velero.io/v1/namespaces/{HOME}/backups"
VOLUMES = f"/apis/velero.io/v1/namespaces/{HOME}/podvolumerestores"
CONFIGS = f"/api/v1/namespaces/{HOME}/configmaps"
NAMESPACES = "/api/v1/namespaces"
FINALIZER = "nonadminrestore.oadp.openshift.io/finalizer"
NEEDED = (
    "backups",
    "restores",
    "podvolumerestores",
    "backupstoragelocations",
    "nonadminbackups",
    "nonadminrestores",
)
QUICK = Backoff(first=0.02, most=0.2)
UUID = "0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"
NACUUID = f"{TENANT}-saved-{UUID}"
"""The Velero Backup of the NonAdminBackup that is there from the start."""


def marks(kind: str, nacuuid: str, namespace: str, name: str) -> Object:
    """Write the labels and annotations of what is made for an object."""
    prefix = f"openshift.io/oadp-{kind}-origin"
    return {
        "labels": {
            "openshift.io/oadp": "True",
            "app.kubernetes.io/managed-by": "oadp-nac-controller",
            f"{prefix}-nacuuid": nacuuid,
        },
        "annotations": {f"{prefix}-namespace": namespace, f"{prefix}-name": name},
    }


@dataclass
class Mooring:
    """A cluster with a NonAdminBackup that can be restored, and a proxy before it."""

    kube: Cluster
    proxy: faults.Proxy
    settings: NarSettings
    events: Events = field(default_factory=Events)
    clock: Clock = field(default_factory=SystemClock)

    @property
    def admin(self) -> Admin:
        """A client with all rights, not through the proxy."""
        return self.kube.client

    def running(self) -> Any:
        """Run the controller while the block runs."""
        return controlling(self.proxy.url, self.settings, self.events, self.clock)

    async def nar(self, name: str, metadata: Object | None = None, **spec: Any) -> Object:
        """Ask for a restore."""
        wanted = {"backupName": "saved", **spec}
        return await self.admin.create(NARS, manifest(name, wanted, metadata))

    async def get(self, name: str) -> Object:
        """Read a NonAdminRestore."""
        return await self.admin.get(f"{NARS}/{name}")

    async def until(self, name: str, holds: Callable[[Object], bool]) -> Object:
        """Wait until something holds of a NonAdminRestore."""
        return await self.admin.until(f"{NARS}/{name}", holds)

    async def created(self, name: str) -> Object:
        """Wait until a NonAdminRestore has its Velero Restore, and says so."""
        return await self.until(name, lambda one: phase(one) == "Created")

    async def restores(self) -> list[Object]:
        """Read all Velero Restores."""
        found: list[Object] = (await self.admin.get(RESTORES))["items"]
        return found

    async def set_status(self, path: str, status: Object) -> None:
        """Write a status in the way that this cluster takes it."""
        await write_status(self.admin, path, status)

    async def velero(self, nar: Object, **status: Any) -> None:
        """Write the status of the Velero Restore of a NonAdminRestore."""
        name = nar["status"]["veleroRestore"]["name"]
        await self.set_status(f"{RESTORES}/{name}", status)

    async def quiet(self) -> None:
        """Wait until the controller asks for nothing more."""
        looks, seen = 0, -1
        while looks < 5:
            await pause(0.01)
            calls = self.proxy.calls
            is_over = all(call.is_over or call.request.is_watch for call in calls)
            looks = looks + 1 if is_over and len(calls) == seen else 0
            seen = len(calls)

    async def gone(self, path: str) -> None:
        """Wait until an object is not there any more."""
        async with asyncio.timeout(30):
            while True:
                try:
                    await self.admin.get(path)
                except NotFound:
                    return
                await pause(0.02)

    def writes(self, since: int = 0) -> list[str]:
        """Give what the controller wrote: the method and the resource."""
        return [
            f"{call.method} {call.request.aim.plural}"
            + (f"/{call.request.aim.subresource}" if call.request.aim.subresource else "")
            for call in self.proxy.calls[since:]
            if call.is_write
        ]


def manifest(name: str, spec: Object | None, metadata: Object | None = None) -> Object:
    """Write a NonAdminRestore."""
    made: Object = {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "NonAdminRestore",
        "metadata": {"name": name, **(metadata or {})},
    }
    return made | ({"spec": {"restoreSpec": spec}} if spec is not None else {})


def phase(one: Object) -> str:
    """Give the phase."""
    return str(one.get("status", {}).get("phase", ""))


def position(one: Object) -> int | None:
    """Give the position in the line."""
    found: int | None = one.get("status", {}).get("queueInfo", {}).get("estimatedQueuePosition")
    return found


def conditions(one: Object) -> list[str]:
    """Give all conditions, in order."""
    found = one.get("status", {}).get("conditions", [])
    return [f"{each['type']}={each['status']} {each['reason']}" for each in found]


def message(one: Object, kind: str) -> str:
    """Give the message of a condition."""
    found = [each["message"] for each in one["status"]["conditions"] if each["type"] == kind]
    return found[0] if found else ""


async def write_status(client: Admin, path: str, status: Object) -> None:
    """Write a status, whether or not it is a subresource here."""
    for place in (path, f"{path}/status"):
        found = (await client.get(path)).get("status", {})
        if any(found.get(name) != value for name, value in status.items()):
            await client.patch(place, {"status": status})


async def save(
    client: Admin, name: str = "saved", nacuuid: str = NACUUID, nab: str = "Created"
) -> None:
    """Make a NonAdminBackup and its Velero Backup, as they are when it is done."""
    backup = {
        "metadata": {"name": nacuuid, **marks("nab", nacuuid, TENANT, name)},
        "spec": {"includedNamespaces": [TENANT]},
    }
    await client.create(BACKUPS, {"apiVersion": "velero.io/v1", "kind": "Backup", **backup})
    await write_status(client, f"{BACKUPS}/{nacuuid}", {"phase": "Completed"})
    await make_nab(client, name, {"phase": nab, "veleroBackup": {"nacuuid": nacuuid}})


async def make_nab(client: Admin, name: str, status: Object, namespace: str = TENANT) -> None:
    """Make a NonAdminBackup with a status."""
    made = {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "NonAdminBackup",
        "metadata": {"name": name},
        "spec": {"backupSpec": {}},
    }
    path = f"{GROUP}/namespaces/{namespace}/nonadminbackups"
    await client.create(path, made)
    if status:
        await client.patch(f"{path}/{name}/status", {"status": status})


@asynccontextmanager
async def controlling(
    url: str, settings: NarSettings, events: Events, clock: Clock | None = None
) -> AsyncIterator[Manager]:
    """Run the controller against a URL while the block runs."""
    clock = clock or SystemClock()
    quick = ClientSettings(per_second=0, retrying=Retrying(attempts=2, backoff=QUICK))
    async with Client(explicit(url), quick, clock) as client:
        manager = Manager(
            client,
            ManagerSettings(
                stop_seconds=0,
                watch=WatchSettings(backoff=QUICK, silence_seconds=1e9),
                queue=QueueSettings(QUICK),
            ),
            clock,
        )
        add_to(manager, client, events, settings)
        async with background(manager.run()):
            yield manager


async def prepare(client: Admin) -> None:
    """Make namespaces, and a NonAdminBackup that can be restored."""
    for name in (HOME, TENANT, OTHER):
        try:
            await client.create(NAMESPACES, {"metadata": {"name": name}})
        except AlreadyExists:
            continue
    await save(client)


@asynccontextmanager
async def defined(velero: Sequence[Object] | None = None) -> AsyncIterator[Cluster]:
    """Make a cluster with our CRDs, those of Velero may be others."""
    ours = {crd["spec"]["names"]["plural"]: crd for crd in crds()}
    ours |= {crd["spec"]["names"]["plural"]: crd for crd in velero or ()}
    async with founded(ours[plural] for plural in NEEDED) as kube:
        yield kube


@asynccontextmanager
async def mooring(
    velero: Sequence[Object] | None = None, **settings: Any
) -> AsyncIterator[Mooring]:
    """Make a cluster, a proxy before it, and what can be restored."""
    async with defined(velero) as kube, faults.proxy(kube) as proxy:
        await prepare(kube.client)
        yield Mooring(kube, proxy, NarSettings(HOME, **settings))
