"""The controller of downloads ends at each of its writes: the end is the same."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from kedge.aio.clock import SystemClock
from kedge.client import Client as ApiClient
from kedge.controllers.nadr.controller import NadrSettings, add_to
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.runtime import Manager
from kedge.testing import Client, Cluster, crash
from kedge.testing.state import state_of
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.quay import (
    BACKUPS,
    DOWNLOADS,
    HOME,
    LOCATIONS,
    TENANT,
    UUID,
    controlling,
    marks,
    own,
    phase,
    prepared,
)
from tests.integration.sweeps import WRITES, Cut, cuts

pytestmark = pytest.mark.asyncio

NADRS = own("downloadrequests")
NABS = own("backups")
MINE = f"{TENANT}-mine-{UUID}"
SAVED = f"{TENANT}-nightly-{UUID}"
KINDS = (
    "backups",
    "restores",
    "backupstoragelocations",
    "downloadrequests",
    "nonadminbackups",
    "nonadminrestores",
    "nonadmindownloadrequests",
)
OURS = {"apiVersion": "oadp.openshift.io/v1alpha1"}
VELERO = {"apiVersion": "velero.io/v1"}
ANSWER = {"phase": "Processed", "downloadURL": "https://x", "expiration": "2100-01-01T00:00:00Z"}


def adding(manager: Manager, client: ApiClient, events: Events) -> None:
    add_to(manager, client, events, NadrSettings(HOME, workers=1))


def target(kind: str, name: str) -> Object:
    return {"target": {"kind": kind, "name": name}}


@dataclass
class Passage:
    """A download that comes, one that can not, one that is over, and one whose owner is gone."""

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
        storage = {"provider": "aws", "objectStorage": {"bucket": "x"}}
        meta = {"name": MINE, **marks("nabsl", MINE, TENANT, "mine")}
        location = {**VELERO, "kind": "BackupStorageLocation", "metadata": meta, "spec": storage}
        await client.create(LOCATIONS, location)
        meta = {"name": SAVED, **marks("nab", SAVED, TENANT, "nightly")}
        backup = {"kind": "Backup", "metadata": meta, "spec": {"storageLocation": MINE}}
        await client.create(BACKUPS, {**VELERO, **backup})
        nab = {"kind": "NonAdminBackup", "metadata": {"name": "nightly"}}
        await client.create(NABS, {**OURS, **nab, "spec": {"backupSpec": {}}})
        now = {"phase": "Created", "veleroBackup": {"nacuuid": SAVED}}
        await client.patch(f"{NABS}/nightly/status", {"status": now})
        kind = {**OURS, "kind": "NonAdminDownloadRequest"}
        for name, wanted in (("log", "nightly"), ("none", "gone"), ("over", "nightly")):
            spec = target("BackupLog", wanted)
            await client.create(NADRS, {**kind, "metadata": {"name": name}, "spec": spec})
        over = {"velero": {"status": {**ANSWER, "expiration": "2020-01-01T00:00:00Z"}}}
        await client.patch(f"{NADRS}/over/status", {"status": over})
        lost = {"name": f"nadr-{UUID}", **marks("nadr", UUID, TENANT, "lost")}
        made = {"kind": "DownloadRequest", "metadata": lost, "spec": target("BackupLog", SAVED)}
        await client.create(DOWNLOADS, {**VELERO, **made})

    async def is_settled(self, client: Client) -> bool:
        """Tell whether all is done; answer what is asked for."""
        found = {one["metadata"]["name"]: one for one in (await client.get(NADRS))["items"]}
        downloads = (await client.get(DOWNLOADS))["items"]
        for one in downloads:
            path = f"{DOWNLOADS}/{one['metadata']['name']}"
            if phase(one) == "" and "lost" not in str(one):
                try:
                    await client.patch(path, {"status": ANSWER})
                    await client.patch(f"{path}/status", {"status": ANSWER})
                except NotFound:
                    continue
        phases = {name: phase(one) for name, one in found.items()}
        return phases == {"log": "Created", "none": "BackingOff"} and len(downloads) == 1

    async def end_state(self, client: Client) -> Any:
        """Read what is to be the same."""
        found = await state_of(client, NADRS, DOWNLOADS)
        for one in found:
            one["metadata"].pop("uid")  # it is part of a name
            one["metadata"].pop("generation", None)
        return found


@pytest.mark.parametrize("cut", cuts(thin=5, whole=2 * 5, when=WRITES))
async def test_it_survives_an_end_at_its_writes(cut: Cut) -> None:
    await cut.by_method(Passage().scenario(), "POST", "PATCH", "DELETE")
