"""The controller ends at each of its writes, or the network fails it: the end is the same."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from kedge.aio.clock import SystemClock
from kedge.client import Client as ApiClient
from kedge.controllers.nabsl.wiring import NabslSettings, add_to
from kedge.kube.kind import Object
from kedge.runtime import Manager
from kedge.testing import Client, Cluster, crash, faults
from kedge.testing.state import state_of
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.quay import (
    BACKUPS,
    HOME,
    LOCATIONS,
    REQUESTS,
    TENANT,
    UUID,
    controlling,
    found_backup,
    marks,
    own,
    phase,
    prepared,
    secret,
    secrets,
)
from tests.integration.sweeps import WRITES, Cut, cuts, undisturbed

pytestmark = pytest.mark.asyncio

NABSLS = own("backupstoragelocations")
NABS = own("backups")
BUCKET: Object = {
    "provider": "aws",
    "objectStorage": {"bucket": "mine"},
    "credential": {"name": "keys", "key": "cloud"},
}
FINALIZER = "nonadminbackupstoragelocation.oadp.openshift.io/finalizer"
OLD = f"{TENANT}-old-{UUID}"
KINDS = (
    "backups",
    "backupstoragelocations",
    "nonadminbackups",
    "nonadminbackupstoragelocations",
    "nonadminbackupstoragelocationrequests",
)
OURS = {"apiVersion": "oadp.openshift.io/v1alpha1"}


def adding(manager: Manager, client: ApiClient, events: Events) -> None:
    add_to(manager, client, events, NabslSettings(HOME, workers=1))


@dataclass
class Passage:
    """A location that comes, one that does not, and one that goes."""

    events: Events = field(default_factory=Events)

    def scenario(self) -> crash.Scenario:
        """Give it as the crash harness takes it."""
        return crash.Scenario(
            self.start, self.prepare, self.is_settled, self.end_state, self.cluster
        )

    @asynccontextmanager
    async def cluster(self) -> AsyncIterator[Cluster]:
        """Make a cluster."""
        async with prepared(SystemClock(), KINDS) as kube:
            yield kube

    def start(self, url: str) -> AbstractAsyncContextManager[object]:
        """Run the controller."""
        return controlling(url, SystemClock(), self.events, adding)

    async def prepare(self, client: Client) -> None:
        """Make all that the controller is to find."""
        await client.create(secrets(), secret())
        kind = {**OURS, "kind": "NonAdminBackupStorageLocation"}
        for name, more in (("fresh", {}), ("bad", {"provider": "kedge.dev/filesystem"})):
            spec = {"backupStorageLocationSpec": {**BUCKET, **more}}
            await client.create(NABSLS, {**kind, "metadata": {"name": name}, "spec": spec})
        meta = {"name": "old", "finalizers": [FINALIZER]}
        spec = {"backupStorageLocationSpec": BUCKET}
        made = await client.create(NABSLS, {**kind, "metadata": meta, "spec": spec})
        now = {"phase": "Created", "veleroBackupStorageLocation": {"nacuuid": OLD}}
        await client.patch(f"{NABSLS}/old/status", {"status": now})
        meta = {"name": OLD, **marks("nabsl", OLD, TENANT, "old", made["metadata"]["uid"])}
        await client.create(secrets(HOME), {**secret(), "metadata": meta})
        velero = {"apiVersion": "velero.io/v1", "kind": "BackupStorageLocation"}
        await client.create(LOCATIONS, {**velero, "metadata": meta, "spec": BUCKET})
        asking = {**OURS, "kind": "NonAdminBackupStorageLocationRequest", "metadata": meta}
        await client.create(REQUESTS, asking)
        velero = {"apiVersion": "velero.io/v1", "kind": "Backup"}
        await client.create(BACKUPS, {**velero, **found_backup("found", OLD)})
        kept = {"metadata": {"name": "kept"}, "spec": {"backupSpec": {"storageLocation": "old"}}}
        await client.create(NABS, {**OURS, "kind": "NonAdminBackup", **kept})
        await client.delete(f"{NABSLS}/old")

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done."""
        found = {one["metadata"]["name"]: one for one in (await client.get(NABSLS))["items"]}
        phases = {name: phase(one) for name, one in found.items()}
        return phases == {"fresh": "Created", "bad": "BackingOff"}

    async def end_state(self, client: Client) -> Any:
        """Read what is to be the same."""
        found = await state_of(client, NABSLS, NABS, BACKUPS, LOCATIONS, REQUESTS, secrets(HOME))
        for one in found:
            one["metadata"].pop("uid")  # it is told with a name that is another each time
            one["metadata"].get("annotations", {}).pop("kedge.dev/copied-from", None)
        return found


@pytest.mark.parametrize("cut", cuts(thin=15, whole=2 * 15, when=WRITES))
async def test_it_survives_an_end_at_its_writes(cut: Cut) -> None:
    await cut.by_method(Passage().scenario(), "POST", "PATCH", "PUT", "DELETE")


Before = Callable[[faults.Proxy], object]
FAULTS: dict[str, Before] = {
    "answers to writes lost": lambda proxy: proxy.inject(faults.LoseAnswer(), WRITES, times=6),
    "done but failed": lambda proxy: proxy.inject(
        faults.DoneBut(faults.failure(500)), WRITES, times=6
    ),
    "conflicts": lambda proxy: proxy.inject(faults.Refuse(faults.conflict()), WRITES, times=6),
    "writes sent twice": lambda proxy: proxy.inject(faults.SendTwice(), WRITES, times=6),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_it_comes_to_the_same_end_under_faults(fault: str) -> None:
    expected = await undisturbed("locations of tenants", Passage().scenario())
    found = await crash.run(Passage().scenario(), FAULTS[fault])
    assert not crash.difference(expected, found)
