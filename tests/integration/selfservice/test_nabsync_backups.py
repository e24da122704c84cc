"""Velero Backups that come out of a bucket find their users, and nobody else's."""

import logging
from typing import Any

import pytest

from kedge.client import Client
from kedge.controllers.nab.wiring import NabSettings
from kedge.controllers.nab.wiring import add_to as add_nab
from kedge.controllers.nabsync.controller import NabSyncSettings, add_to
from kedge.controllers.nabsync.rights import AT_HOME, RIGHTS
from kedge.runtime import Manager
from kedge.testing import faults
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.quay import (
    BACKUPS,
    HOME,
    LOCATIONS,
    NEEDED,
    OTHER,
    SYNCED,
    TENANT,
    UUID,
    Quay,
    conditions,
    is_phase,
    marks,
    own,
    quay,
)

pytestmark = pytest.mark.asyncio

NEEDED_HERE = (
    "backups",
    "backupstoragelocations",
    "nonadminbackups",
    "nonadminbackupstoragelocations",
)
NABS = own("backups")
MINE = f"{TENANT}-bucket-{UUID}"
"""The location of the tenant's bucket."""
STORAGE = {"provider": "aws", "objectStorage": {"bucket": "x"}}
END = {"phase": "Completed", "completionTimestamp": "2029-01-01T00:00:00Z"}
LATER = {"phase": "Completed", "completionTimestamp": "2029-01-02T00:00:00Z"}


@pytest.fixture(autouse=True)
def logged(caplog: pytest.LogCaptureFixture) -> None:
    """Log as much as a server does."""
    caplog.set_level(logging.INFO)


def adding(manager: Manager, client: Client, events: Events) -> None:
    add_to(manager, client, events, NabSyncSettings(HOME))


def adding_both(manager: Manager, client: Client, events: Events) -> None:
    add_to(manager, client, events, NabSyncSettings(HOME))
    add_nab(manager, client, events, NabSettings(HOME))


async def buckets(port: Quay) -> None:
    """Make the tenant's bucket, one whose owner is gone, and two of the administrator's."""
    spec = {"backupStorageLocationSpec": STORAGE}
    made = await port.make(
        own("backupstoragelocations"), {"metadata": {"name": "bucket"}, "spec": spec}
    )
    uid = made["metadata"]["uid"]
    old = f"{TENANT}-old-{UUID}"
    for name, meta, is_default in (
        (MINE, marks("nabsl", MINE, TENANT, "bucket", uid), False),
        (old, marks("nabsl", old, TENANT, "bucket", "of-an-earlier-life"), True),
        ("default", {}, True),
        ("archive", {}, False),
    ):
        location = {**STORAGE, "default": is_default}
        await port.make(LOCATIONS, {"metadata": {"name": name, **meta}, "spec": location})


async def backup(
    port: Quay, name: str, location: str = MINE, namespace: str = TENANT, **more: Any
) -> str:
    """Bring a Velero Backup as it comes out of a bucket."""
    nacuuid = more.get("nacuuid", f"{namespace}-{name}-{UUID}"[-63:])
    label = more.get("label", nacuuid)
    spec = {"storageLocation": location, "includedNamespaces": [namespace], "ttl": "1h0m0s"}
    meta = marks("nab", label, namespace, name, "of-an-earlier-life")
    made = {"metadata": {"name": nacuuid, **meta}, "spec": {**spec, **more.get("spec", {})}}
    await port.make(BACKUPS, made)
    if more.get("status", END):
        await port.set_status(f"{BACKUPS}/{nacuuid}", more.get("status", END))
    return str(nacuuid)


async def test_backups_that_are_whole_come_back_to_their_users_once() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        await buckets(port)
        mine = await backup(port, "nightly")
        await backup(port, "admins", "default")
        await backup(port, "archived", "archive")
        await backup(port, "orphaned", f"{TENANT}-old-{UUID}")
        await backup(port, "running", status={"phase": "InProgress"})
        await backup(port, "homeless", "default", "nowhere")
        await port.make(NABS, {"metadata": {"name": "there"}, "spec": {"backupSpec": {}}})
        await backup(port, "there")
        async with port.running():
            one = await port.appears(f"{NABS}/nightly")
            assert one["metadata"]["labels"] == {SYNCED: mine}
            assert one["spec"] == {
                "backupSpec": {
                    "includedNamespaces": [TENANT],
                    "storageLocation": "bucket",
                    "ttl": "1h0m0s",
                }
            }
            two = await port.appears(f"{NABS}/admins")
            assert "storageLocation" not in two["spec"]["backupSpec"]
            await port.pass_time(minutes=2)
            await port.pass_time(minutes=2)
            assert await port.names(NABS) == ["admins", "nightly", "there"]
            assert port.writes() == ["POST nonadminbackups"] * 2


async def test_what_a_bucket_of_ones_own_says_of_others_is_not_believed() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        await buckets(port)
        # The bucket is the tenant's, and so is each word in it.
        await backup(port, "injected", namespace=OTHER)
        await backup(port, "misnamed", nacuuid=f"{OTHER}-misnamed-{UUID}")
        await backup(port, "unequal", label=f"{TENANT}-victim-{UUID}")
        await backup(port, "wide", spec={"includedNamespaces": [TENANT, OTHER]})
        await backup(port, "all", spec={"includedNamespaces": None})
        await backup(port, "No_Name", nacuuid=f"{TENANT}-noname-{UUID}")
        await backup(port, "honest")
        async with port.running():
            await port.appears(f"{NABS}/honest")
            await port.quiet()
            assert await port.names(NABS) == ["honest"]
            assert await port.names(own("backups", OTHER)) == []


async def test_what_the_server_refuses_holds_up_nobody_else() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        await buckets(port)
        refusing = faults.matches(verb="create", path=own("backups", OTHER))
        port.proxy.inject(faults.Refuse(faults.failure(403)), refusing)  # as a quota would
        await backup(port, "refused", "default", OTHER)
        await backup(port, "welcome", "default", status=LATER)
        async with port.running():
            await port.appears(f"{NABS}/welcome")
            await port.quiet()
            assert await port.names(own("backups", OTHER)) == []
            assert port.writes() == ["POST nonadminbackups"] * 2


async def test_rounds_are_made_as_often_as_the_policy_says() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        await buckets(port)
        await port.enforce(backupSyncPeriod="10m")
        async with port.running():
            await backup(port, "late")
            await port.pass_time(minutes=9)
            assert not await port.is_there(f"{NABS}/late")
            await port.pass_time(minutes=1)
            await port.appears(f"{NABS}/late")
            await port.enforce(backupSyncPeriod="0")
            await backup(port, "later")
            await port.pass_time(hours=1)
            assert not await port.is_there(f"{NABS}/later")
            await port.enforce(backupSyncPeriod="10m")
            await port.appears(f"{NABS}/later")


async def test_a_backup_that_is_going_or_whose_namespace_is_does_not_come_back() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        await buckets(port)
        going = await backup(port, "going")
        await port.patch(f"{BACKUPS}/{going}", {"metadata": {"finalizers": ["example.com/hold"]}})
        await port.delete(f"{BACKUPS}/{going}")
        held = {"metadata": {"name": "ending", "finalizers": ["example.com/hold"]}}
        await port.make("/api/v1/namespaces", held)
        await port.delete("/api/v1/namespaces/ending")
        await backup(port, "late", "default", "ending")
        await backup(port, "honest")
        async with port.running():
            await port.appears(f"{NABS}/honest")
            await port.quiet()
            assert await port.names(NABS) == ["honest"]
            assert await port.names(own("backups", "ending")) == []


async def test_the_controller_of_backups_takes_up_what_comes_back() -> None:
    kinds = (*NEEDED, "deletebackuprequests", "podvolumebackups")
    async with quay(adding_both, kinds) as port, port.running():
        await buckets(port)
        name = await backup(port, "nightly")
        await port.pass_time(minutes=2)
        one = await port.until(f"{NABS}/nightly", is_phase("Created"))
        assert one["status"]["veleroBackup"]["nacuuid"] == name
        assert "Queued=True/BackupScheduled" in conditions(one)
        assert "Succeeded=True/BackupCompleted" in conditions(one)
        assert "BackupCompleted" not in port.events.reasons  # that is no news


async def test_all_rights_are_used_and_no_others_are_needed() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        await buckets(port)
        await backup(port, "nightly")
        async with port.running():
            await port.appears(f"{NABS}/nightly")
        granted = {(one.group, one.resource, verb) for one in RIGHTS for verb in one.verbs}
        assert port.asked() == granted
        home = {(one.group, one.resource) for one in AT_HOME}
        for call in port.proxy.calls:
            aim = call.request.aim
            assert (aim.group, aim.plural) not in home or aim.namespace == HOME
