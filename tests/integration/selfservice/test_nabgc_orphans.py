"""What has lost its origin goes, and nothing else does."""

import pytest

from kedge.client import Client
from kedge.controllers.nabgc.controller import NabGcSettings, add_to
from kedge.controllers.nabgc.rights import AT_HOME, RIGHTS
from kedge.kube.kind import Object
from kedge.runtime import Manager
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.quay import (
    BACKUPS,
    HOME,
    LOCATIONS,
    REQUESTS,
    RESTORES,
    SYNCED,
    TENANT,
    Quay,
    marks,
    own,
    quay,
    secret,
    secrets,
)

pytestmark = pytest.mark.asyncio

SPECS: dict[str, Object] = {
    BACKUPS: {},
    RESTORES: {"backupName": "x"},
    LOCATIONS: {"provider": "aws", "objectStorage": {"bucket": "x"}},
    REQUESTS: {"approvalDecision": "approve"},
}
KINDS = {BACKUPS: "nab", RESTORES: "nar", LOCATIONS: "nabsl", REQUESTS: "nabsl"}
OWNERS = {BACKUPS: "backups", RESTORES: "restores", LOCATIONS: "backupstoragelocations"}
OWNERS |= {REQUESTS: "backupstoragelocations"}
OWN_SPECS: dict[str, Object] = {
    "backups": {"backupSpec": {}},
    "restores": {"restoreSpec": {}},
    "backupstoragelocations": {"backupStorageLocationSpec": SPECS[LOCATIONS]},
}


def adding(manager: Manager, client: Client, events: Events) -> None:
    add_to(manager, client, events, NabGcSettings(HOME))


async def owner(port: Quay, kind: str, labels: Object | None = None, name: str = "kept") -> str:
    meta = {"name": name} | ({"labels": labels} if labels else {})
    made = await port.make(own(kind), {"metadata": meta, "spec": OWN_SPECS[kind]})
    return str(made["metadata"]["uid"])


async def made_for(port: Quay, path: str, name: str, origin: str, uid: str = "") -> None:
    meta = {"name": name, **marks(KINDS.get(path, "nabsl"), name, TENANT, origin, uid)}
    if path == secrets(HOME):
        await port.make(path, {**secret(), "metadata": meta})
    else:
        await port.make(path, {"metadata": meta, "spec": SPECS[path]})


async def test_only_what_has_lost_its_very_origin_goes() -> None:
    async with quay(adding) as port:
        uids = {kind: await owner(port, kind) for kind in OWN_SPECS}
        paths = (*SPECS, secrets(HOME))
        for path in paths:
            kind = OWNERS.get(path, "backupstoragelocations")
            await made_for(port, path, "of-kept", "kept", uids[kind])
            await made_for(port, path, "not-noted", "kept")
            await made_for(port, path, "of-gone", "gone")
            await made_for(port, path, "of-a-namesake", "kept", "of-an-earlier-life")
            plain = {"metadata": {"name": "plain"}}
            spec = {"spec": SPECS[path]} if path in SPECS else {}
            await port.make(path, plain | spec)
            half = marks(KINDS.get(path, "nabsl"), "half", TENANT, "gone")
            half["annotations"].popitem()
            await port.make(path, {"metadata": {"name": "half", **half}} | spec)
        async with port.running():
            for path in paths:
                await port.gone(f"{path}/of-a-namesake")
            await port.quiet()
            for path in paths:
                assert await port.names(path) == ["half", "not-noted", "of-kept", "plain"]
            assert port.events.reasons == ["OrphanRemoved"] * 10


async def test_requests_stay_with_their_location_though_no_approval_is_needed() -> None:
    async with quay(adding) as port:
        await port.enforce(garbageCollectionPeriod="10m", requireApprovalForBSL="false")
        await made_for(port, REQUESTS, "mine", "kept", await owner(port, "backupstoragelocations"))
        async with port.running():
            for _ in range(3):
                await port.pass_time(minutes=10)
            assert await port.names(REQUESTS) == ["mine"]
            assert port.writes() == []


async def test_rounds_are_made_as_often_as_the_policy_says() -> None:
    async with quay(adding) as port:
        await port.enforce(garbageCollectionPeriod="10m")
        async with port.running():
            await made_for(port, BACKUPS, "late", "gone")
            await port.pass_time(minutes=9)
            assert await port.is_there(f"{BACKUPS}/late")
            await port.pass_time(minutes=1)
            await port.gone(f"{BACKUPS}/late")
            await port.enforce(garbageCollectionPeriod="0")
            await made_for(port, BACKUPS, "later", "gone")
            await port.pass_time(hours=48)
            assert await port.is_there(f"{BACKUPS}/later")
            await port.enforce(garbageCollectionPeriod="nonsense")
            await port.pass_time(hours=48)
            assert await port.is_there(f"{BACKUPS}/later")
            await port.enforce(garbageCollectionPeriod="10m")
            await port.gone(f"{BACKUPS}/later")


async def test_a_backup_from_a_bucket_has_time_to_find_its_owner() -> None:
    async with quay(adding) as port:
        await port.enforce(garbageCollectionPeriod="3m")
        await made_for(port, BACKUPS, "back", "gone", "of-an-earlier-life")
        await made_for(port, BACKUPS, "taken", "kept", "of-an-earlier-life")
        await owner(port, "backups", {SYNCED: "taken"})
        for name in ("back", "taken"):
            end = {"phase": "Completed", "completionTimestamp": "2029-01-01T00:00:00Z"}
            await port.set_status(f"{BACKUPS}/{name}", end)
        async with port.running():
            await port.pass_time(minutes=3)
            assert await port.names(BACKUPS) == ["back", "taken"]
            await port.pass_time(minutes=3)
            await port.gone(f"{BACKUPS}/back")
            assert await port.names(BACKUPS) == ["taken"]


async def test_a_backup_stays_with_whom_it_was_told_of_though_the_label_is_gone() -> None:
    async with quay(adding) as port:
        for name in ("taken", "of-a-namesake"):
            await made_for(port, BACKUPS, name, "kept", "of-an-earlier-life")
        await owner(port, "backups")
        told = {
            "veleroBackup": {"nacuuid": "taken"},
            "conditions": [
                {
                    "type": "Queued",
                    "status": "True",
                    "reason": "BackupScheduled",
                    "message": "Created Velero Backup object",
                    "lastTransitionTime": "2029-01-01T00:00:00Z",
                }
            ],
        }
        await port.set_status(f"{own('backups')}/kept", told)
        async with port.running():
            await port.gone(f"{BACKUPS}/of-a-namesake")
            assert await port.names(BACKUPS) == ["taken"]


async def test_all_rights_are_used_and_no_others_are_needed() -> None:
    async with quay(adding) as port:
        await owner(port, "backups")
        await made_for(port, BACKUPS, "of-a-namesake", "kept", "of-an-earlier-life")
        for path in (*SPECS, secrets(HOME)):
            await made_for(port, path, "of-gone", "gone")
        async with port.running():
            for path in (*SPECS, secrets(HOME)):
                await port.gone(f"{path}/of-gone")
        granted = {(one.group, one.resource, verb) for one in RIGHTS for verb in one.verbs}
        assert port.asked() == granted
        home = {(one.group, one.resource) for one in AT_HOME}
        for call in port.proxy.calls:
            aim = call.request.aim
            assert (aim.group, aim.plural) not in home or aim.namespace == HOME
