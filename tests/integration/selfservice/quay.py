"""The companions of self-service on the embedded API: what their tests stand on."""

import asyncio
import base64
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
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.runtime import Manager, ManagerSettings, QueueSettings, WatchSettings
from kedge.testing import Cluster, FakeClock, faults
from tests.integration.controllers.harbour import Events
from tests.integration.eventually import pause
from tests.integration.founded import founded

HOME = "velero"
TENANT = "shop"
OTHER = "rival"
GROUP = "/apis/oadp.openshift.io/v1alpha1"
VELERO = f"/apis/velero.io/v1/namespaces/{HOME}"
BACKUPS = f"{VELERO}/backups"
RESTORES = f"{VELERO}/restores"
LOCATIONS = f"{VELERO}/backupstoragelocations"
DOWNLOADS = f"{VELERO}/downloadrequests"
REQUESTS = f"{GROUP}/namespaces/{HOME}/nonadminbackupstoragelocationrequests"
CONFIGS = f"/api/v1/namespaces/{HOME}/configmaps"
POLICY = "kedge-nonadmin-policy"
SYNCED = "openshift.io/oadp-nab-synced-from-nacuuid"
NEEDED = (
    "backups",
    "restores",
    "backupstoragelocations",
    "downloadrequests",
    "nonadminbackups",
    "nonadminrestores",
    "nonadminbackupstoragelocations",
    "nonadminbackupstoragelocationrequests",
    "nonadmindownloadrequests",
)
QUICK = Backoff(first=0.02, most=0.2)
YEARS = 1e9
UUID = "0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"
KEYS = "[default]\naws_access_key_id = user\naws_secret_access_key = pass\n"
"""Credentials as people have them."""

Adding = Callable[[Manager, Client, Events], object]
"""Puts controllers into a manager."""


def own(kind: str, namespace: str = TENANT) -> str:
    """Give the path of a kind of self-service: `backups` for NonAdminBackups."""
    return f"{GROUP}/namespaces/{namespace}/nonadmin{kind}"


def secrets(namespace: str = TENANT) -> str:
    """Give the path of Secrets."""
    return f"/api/v1/namespaces/{namespace}/secrets"


def secret(name: str = "keys", text: str = KEYS, **more: Any) -> Object:
    """Write a Secret with credentials."""
    data = {"cloud": base64.b64encode(text.encode()).decode()}
    return {"metadata": {"name": name}, "type": "Opaque", "data": data, **more}


def marks(kind: str, nacuuid: str, namespace: str, name: str, uid: str = "") -> Object:
    """Write the labels and annotations of what is made for an object."""
    prefix = f"openshift.io/oadp-{kind}-origin"
    annotations = {f"{prefix}-namespace": namespace, f"{prefix}-name": name}
    return {
        "labels": {
            "openshift.io/oadp": "True",
            "app.kubernetes.io/managed-by": "oadp-nac-controller",
            f"{prefix}-nacuuid": nacuuid,
        },
        "annotations": annotations | ({"kedge.dev/origin-uid": uid} if uid else {}),
    }


def found_backup(nab: str, location: str, namespace: str = TENANT) -> Object:
    """Write a Velero Backup as one that was found in a bucket, and has no object yet."""
    name = f"{namespace}-{nab}-{UUID}"
    meta = {"name": name, **marks("nab", name, namespace, nab)}
    meta["labels"]["velero.io/storage-location"] = location
    return {"metadata": meta, "spec": {"storageLocation": location}}


@dataclass
class Quay:
    """A cluster with the CRDs, whose time the test moves; controllers are behind a proxy."""

    kube: Cluster
    clock: FakeClock
    proxy: faults.Proxy
    adding: Adding
    events: Events = field(default_factory=Events)

    async def make(self, path: str, made: Object) -> Object:
        """Make an object; its kind is that of the path."""
        return await self.kube.client.create(path, {**_typed(path), **made})

    async def get(self, path: str) -> Object:
        """Read an object."""
        return await self.kube.client.get(path)

    async def names(self, path: str) -> list[str]:
        """Give the names of all objects of a collection."""
        return sorted(one["metadata"]["name"] for one in (await self.get(path))["items"])

    async def patch(self, path: str, change: Object) -> Object:
        """Change an object."""
        return await self.kube.client.patch(path, change)

    async def delete(self, path: str) -> None:
        """Delete an object."""
        await self.kube.client.delete(path)

    async def until(self, path: str, holds: Callable[[Object], bool]) -> Object:
        """Wait until something holds of an object."""
        return await self.kube.client.until(path, holds)

    async def is_there(self, path: str) -> bool:
        """Tell whether an object is there."""
        try:
            await self.get(path)
        except NotFound:
            return False
        return True

    async def gone(self, path: str) -> None:
        """Wait until an object is not there any more."""
        async with asyncio.timeout(30):
            while await self.is_there(path):
                await pause(0.01)

    async def appears(self, path: str) -> Object:
        """Wait until an object is there."""
        async with asyncio.timeout(30):
            while not await self.is_there(path):
                await pause(0.01)
        return await self.get(path)

    async def set_status(self, path: str, status: Object) -> None:
        """Write a status, whether or not it is a subresource here."""
        for place in (path, f"{path}/status"):
            found = (await self.get(path)).get("status", {})
            if any(found.get(name) != value for name, value in status.items()):
                await self.patch(place, {"status": status})

    async def enforce(self, **data: str) -> None:
        """Write the policy."""
        made = {"metadata": {"name": POLICY}, "data": data}
        if await self.is_there(f"{CONFIGS}/{POLICY}"):
            await self.kube.client.replace(f"{CONFIGS}/{POLICY}", made)
        else:
            await self.make(CONFIGS, made)

    async def quiet(self) -> None:
        """Wait until the controllers ask for nothing more."""
        looks, seen = 0, -1
        while looks < 5:
            await pause(0.01)
            calls = self.proxy.calls
            is_over = all(call.is_over or call.request.is_watch for call in calls)
            looks = looks + 1 if is_over and len(calls) == seen else 0
            seen = len(calls)

    async def pass_time(self, **by: float) -> None:
        """Move on, once the controllers have gone to sleep, and wait until they do so again."""
        await self.quiet()
        self.clock.advance(timedelta(**by))
        await self.quiet()

    def writes(self, since: int = 0) -> list[str]:
        """Give what the controllers wrote: the method and the resource."""
        return [
            f"{call.method} {call.request.aim.plural}"
            + (f"/{call.request.aim.subresource}" if call.request.aim.subresource else "")
            for call in self.proxy.calls[since:]
            if call.is_write
        ]

    def asked(self) -> set[tuple[str, str, str]]:
        """Give what the controllers asked for: group, resource and verb."""
        found = set()
        for call in self.proxy.calls:
            aim = call.request.aim
            if aim.plural:
                end = f"/{aim.subresource}" if aim.subresource else ""
                found.add((aim.group, f"{aim.plural}{end}", aim.verb))
        return found

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Manager]:
        """Run the controllers while the block runs."""
        async with controlling(self.proxy.url, self.clock, self.events, self.adding) as manager:
            await self.quiet()
            yield manager
            await self.quiet()


def _typed(path: str) -> Object:
    """Say of what kind the objects of a path are."""
    plural = path.rpartition("/")[2]
    for crd in crds():
        if crd["spec"]["names"]["plural"] == plural:
            version = f"{crd['spec']['group']}/{crd['spec']['versions'][0]['name']}"
            return {"apiVersion": version, "kind": crd["spec"]["names"]["kind"]}
    return {}


def status(one: Object) -> Object:
    """Give the status of an object."""
    found: Object = one.get("status", {})
    return found


def phase(one: Object) -> str:
    """Give the phase of an object."""
    return str(status(one).get("phase", ""))


def is_phase(wanted: str) -> Callable[[Object], bool]:
    """Make a test for the phase."""
    return lambda one: phase(one) == wanted


def conditions(one: Object) -> list[str]:
    """Give all conditions as type=status/reason."""
    found = status(one).get("conditions", [])
    return [f"{each['type']}={each['status']}/{each['reason']}" for each in found]


def message(one: Object, kind: str) -> str:
    """Give the words of a condition."""
    found = [each for each in status(one).get("conditions", []) if each["type"] == kind]
    return str(found[0]["message"]) if found else ""


@asynccontextmanager
async def controlling(
    url: str, clock: Clock, events: Events, adding: Adding
) -> AsyncIterator[Manager]:
    """Run controllers against a URL while the block runs."""
    quick = ClientSettings(per_second=0, retrying=Retrying(attempts=2, backoff=QUICK))
    async with Client(explicit(url), quick, clock) as client:
        manager = Manager(
            client,
            ManagerSettings(
                stop_seconds=0,
                watch=WatchSettings(backoff=QUICK, silence_seconds=YEARS),
                queue=QueueSettings(QUICK),
            ),
            clock,
        )
        adding(manager, client, events)
        async with background(manager.run()):
            yield manager


@asynccontextmanager
async def prepared(clock: Clock, kinds: Sequence[str] = NEEDED) -> AsyncIterator[Cluster]:
    """Make a cluster with our CRDs and some namespaces."""
    needed = [crd for crd in crds() if crd["spec"]["names"]["plural"] in kinds]
    async with founded(needed, HOME, TENANT, OTHER, clock=clock) as kube:
        yield kube


@asynccontextmanager
async def quay(adding: Adding, kinds: Sequence[str] = NEEDED) -> AsyncIterator[Quay]:
    """Make a cluster with CRDs, and a proxy in front of it."""
    clock = FakeClock()
    async with prepared(clock, kinds) as kube, faults.proxy(kube) as proxy:
        yield Quay(kube, clock, proxy, adding)
