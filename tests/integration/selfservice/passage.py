"""All that can become of a NonAdminBackup, in one cluster: what crashes and faults are tried on."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from kedge.controllers.nab.wiring import NabSettings
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.testing import Client, Cluster, crash
from kedge.testing.state import state_of
from tests.integration.controllers.harbour import Events
from tests.integration.controllers.voyage import Shifted
from tests.integration.selfservice.pilot import (
    BACKUPS,
    FINALIZER,
    HOME,
    REQUESTS,
    SYNCED,
    TENANT,
    controlling,
    manifest,
    nabs,
    phase,
    prepared,
    status,
)

ONE_BY_ONE = NabSettings(HOME, workers=1)
UUID = "0d0b7b2c-ee76-412d-a867-2c23b8aa51a"
TIME = "2030-01-01T00:00:00Z"
STAYING = {
    "fresh": "Created",
    "bad": "BackingOff",
    "kept": "Deleting",
    "lost": "Created",
    "synced": "Created",
    "spoof": "BackingOff",
}
"""The phases in which they end; all others are gone."""
LEAVING = ("deleted", "forced", "both")


@dataclass
class Passage:
    """A scenario: each cluster has a clock of its own."""

    kinds: Sequence[Object] | None
    has_subresource: bool
    clock: Shifted = field(default_factory=Shifted)
    events: Events = field(default_factory=Events)

    def scenario(self) -> crash.Scenario:
        """Give it as the crash harness takes it."""
        return crash.Scenario(
            self.start, self.prepare, self.is_settled, self.end_state, self.cluster
        )

    @asynccontextmanager
    async def cluster(self) -> AsyncIterator[Cluster]:
        """Make a cluster."""
        self.clock = Shifted()
        async with prepared(self.clock, self.kinds) as kube:
            yield kube

    def start(self, url: str) -> AbstractAsyncContextManager[object]:
        """Run the controller."""
        return controlling(url, self.clock, self.events, ONE_BY_ONE)

    async def prepare(self, client: Client) -> None:
        """Make NonAdminBackups in all their states."""
        await client.create(nabs(), manifest("fresh", {"ttl": "1h0m0s"}))
        await client.create(nabs(), manifest("bad", {"excludedNamespaces": ["x"]}))
        await client.create(nabs(), manifest("spoof", metadata={"labels": {SYNCED: name_of(0)}}))
        kept = await self._made(client, "kept", 1)
        await client.delete(f"{nabs()}/{kept['metadata']['name']}")
        await self._made(client, "deleted", 2, {"deleteBackup": True})
        await self._made(client, "forced", 3, {"forceDeleteBackup": True})
        await self._made(client, "both", 4, {"forceDeleteBackup": True, "deleteBackup": True})
        lost = await self._made(client, "lost", 5)
        await client.delete(f"{BACKUPS}/{status(lost)['veleroBackup']['name']}")
        await client.create(BACKUPS, backup("synced", 6, "of-another-life"))
        await client.create(nabs(), manifest("synced", metadata={"labels": {SYNCED: name_of(6)}}))

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done; delete what a server is asked to delete."""
        for one in (await client.get(REQUESTS))["items"]:
            try:
                await client.delete(f"{BACKUPS}/{one['spec']['backupName']}")
            except NotFound:
                await client.delete(f"{REQUESTS}/{one['metadata']['name']}")
        found = {one["metadata"]["name"]: one for one in (await client.get(nabs()))["items"]}
        phases = {name: phase(one) for name, one in found.items()}
        is_held = all("finalizers" in found[name]["metadata"] for name in ("fresh", "synced"))
        is_told = "VeleroBackupNotFound" in str(status(found["lost"]))
        return phases == STAYING and is_held and is_told and not await self._requests(client)

    async def end_state(self, client: Client) -> Any:
        """Read what is to be the same."""
        found = await state_of(client, nabs(), BACKUPS, REQUESTS)
        for one in found:
            one["metadata"].pop("uid")  # it is told by the name, which is random
            if not self.has_subresource:
                one["metadata"].pop("generation")  # there it counts writes of the status, too
        return found

    async def _requests(self, client: Client) -> list[Object]:
        found: list[Object] = (await client.get(REQUESTS))["items"]
        return found

    async def _made(
        self, client: Client, name: str, number: int, spec: Object | None = None
    ) -> Object:
        """Make one that has its Velero Backup, and is to be deleted in some way."""
        meta = {"finalizers": [FINALIZER]}
        made = await client.create(nabs(), manifest(name, metadata=meta, **(spec or {})))
        reference = {"nacuuid": name_of(number), "name": name_of(number), "namespace": HOME}
        await client.create(BACKUPS, backup(name, number, made["metadata"]["uid"]))
        said = {"lastTransitionTime": TIME, "observedGeneration": 1, "status": "True"}
        accepted = {"type": "Accepted", "reason": "BackupAccepted", "message": "backup accepted"}
        queued = {
            "type": "Queued",
            "reason": "BackupScheduled",
            "message": "Created Velero Backup object",
        }
        conditions = [{**accepted, **said}, {**queued, **said}]
        now = {"phase": "Created", "conditions": conditions, "veleroBackup": reference}
        return await client.patch(f"{nabs()}/{name}/status", {"status": now})


def name_of(number: int) -> str:
    """Give the unique name of the n-th Velero Backup."""
    return f"{TENANT}-x-{UUID}{number}"


def backup(name: str, number: int, uid: str) -> Object:
    """Write the Velero Backup of a NonAdminBackup."""
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {
            "name": name_of(number),
            "labels": {
                "openshift.io/oadp": "True",
                "app.kubernetes.io/managed-by": "oadp-nac-controller",
                "openshift.io/oadp-nab-origin-nacuuid": name_of(number),
            },
            "annotations": {
                "openshift.io/oadp-nab-origin-namespace": TENANT,
                "openshift.io/oadp-nab-origin-name": name,
                "kedge.dev/origin-uid": uid,
            },
        },
        "spec": {"includedNamespaces": [TENANT]},
    }
