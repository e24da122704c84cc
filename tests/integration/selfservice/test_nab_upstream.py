"""The states that the original's own tests begin with: where each of them leads."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from kedge.kube.kind import Object
from tests.integration.selfservice.passage import TIME, backup, name_of
from tests.integration.selfservice.pilot import (
    BACKUPS,
    FINALIZER,
    HOME,
    TENANT,
    Pilot,
    conditions,
    is_phase,
    message,
    nabs,
    nacuuid,
    phase,
    pilot,
    position,
    status,
)

pytestmark = pytest.mark.asyncio

REFERENCE = {"nacuuid": name_of(1), "name": name_of(1), "namespace": HOME}


def said(kind: str, reason: str, message: str, status: str = "True") -> Object:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": TIME,
    }


ACCEPTED = said("Accepted", "BackupAccepted", "backup accepted")
QUEUED = said("Queued", "BackupScheduled", "Created Velero Backup object")
DELETING = said("Deleting", "DeletionPending", "backup accepted for deletion")
REFUSED = said("Accepted", "InvalidBackupSpec", "NonAdminBackup is wrong", "False")
CREATED = {"phase": "Created", "conditions": [ACCEPTED, QUEUED], "veleroBackup": REFERENCE}
LEAVING = {**CREATED, "phase": "Deleting", "conditions": [ACCEPTED, QUEUED, DELETING]}


@dataclass(frozen=True)
class Start:
    """What there is before the controller runs."""

    status: Object = field(default_factory=dict)
    spec: Object = field(default_factory=dict)
    backup_spec: Object = field(default_factory=dict)
    finalizer: bool = True
    has_backup: bool = False
    deleted: bool = False


async def prepare(port: Pilot, start: Start) -> None:
    meta: dict[str, Any] = {"finalizers": [FINALIZER]} if start.finalizer else {}
    made = await port.ask("nightly", start.backup_spec, metadata=meta, **start.spec)
    if start.status:
        await port.kube.client.patch(f"{nabs()}/nightly/status", {"status": start.status})
    if start.has_backup:
        uid = made["metadata"]["uid"]
        await port.kube.client.create(BACKUPS, backup("nightly", 1, uid))
    if start.deleted:
        await port.delete("nightly")


GONE = {
    "deleteBackup, invalid, backing off, no finalizer": Start(
        {"phase": "BackingOff", "conditions": [REFUSED]},
        {"deleteBackup": True},
        {"includedNamespaces": ["wrong", "wrong-again"]},
        finalizer=False,
    ),
    "deleteBackup, created, no finalizer": Start(CREATED, {"deleteBackup": True}, finalizer=False),
    "deleteBackup, deleting, the backup is gone": Start(
        LEAVING, {"deleteBackup": True}, deleted=True
    ),
    "forceDeleteBackup, created": Start(CREATED, {"forceDeleteBackup": True}, has_backup=True),
    "forceDeleteBackup, deleting, deleted": Start(
        LEAVING, {"forceDeleteBackup": True}, has_backup=True, deleted=True
    ),
    "both words, created": Start(
        CREATED, {"forceDeleteBackup": True, "deleteBackup": True}, has_backup=True
    ),
    "deleted, without any status": Start(deleted=True),
}


@pytest.mark.parametrize("start", GONE)
async def test_it_is_gone(start: str) -> None:
    async with pilot() as port:
        await prepare(port, GONE[start])
        async with port.running():
            await port.gone(f"{nabs()}/nightly")
            assert await port.backups() == {}


WAITING = {
    "created": Start(CREATED, {"deleteBackup": True}, has_backup=True),
    "deleting, not deleted yet": Start(LEAVING, {"deleteBackup": True}, has_backup=True),
    "deleting, deleted": Start(LEAVING, {"deleteBackup": True}, has_backup=True, deleted=True),
}


@pytest.mark.parametrize("start", WAITING)
async def test_with_delete_backup_it_waits_for_the_backup_to_go(start: str) -> None:
    async with pilot() as port:
        await prepare(port, WAITING[start])
        async with port.running():
            one = await port.until(
                "nightly", lambda one: "veleroDeleteBackupRequest" in one.get("status", {})
            )
            await port.quiet()
            assert conditions(one) == [
                "Accepted=True/BackupAccepted",
                "Queued=True/BackupScheduled",
                "Deleting=True/DeletionPending",
            ]
            assert message(one, "Deleting") == "backup accepted for deletion"
            assert "deletionTimestamp" in one["metadata"]
            assert len(await port.backups()) == len(await port.requests()) == 1


BEGINNING = {
    "new, no conditions": Start({"phase": "New"}, finalizer=False),
    "new, accepted": Start({"phase": "New", "conditions": [ACCEPTED]}, finalizer=False),
    "new, accepted, named, with a finalizer": Start(
        {"phase": "New", "conditions": [ACCEPTED], "veleroBackup": REFERENCE}
    ),
    "backing off, and mended": Start({"phase": "BackingOff", "conditions": [REFUSED]}),
    "named, with a backup": Start({"veleroBackup": REFERENCE}, has_backup=True),
}


@pytest.mark.parametrize("start", BEGINNING)
async def test_it_is_created(start: str) -> None:
    async with pilot() as port:
        await prepare(port, BEGINNING[start])
        async with port.running():
            one = await port.until("nightly", is_phase("Created"))
            assert conditions(one)[:2] == [
                "Accepted=True/BackupAccepted",
                "Queued=True/BackupScheduled",
            ]
            assert TENANT in nacuuid(one)
            assert status(one)["veleroBackup"]["namespace"] == HOME
            assert position(one) == 1
            assert list(await port.backups()) == [nacuuid(one)]
            if "veleroBackup" in BEGINNING[start].status:
                assert nacuuid(one) == name_of(1)


REFUSALS = {
    "new": Start({"phase": "New"}, backup_spec={"includedNamespaces": ["not-valid"]}),
    "no status": Start(backup_spec={"includedNamespaces": ["wrong", "wrong-again"]}),
}


@pytest.mark.parametrize("start", REFUSALS)
async def test_it_backs_off(start: str) -> None:
    async with pilot() as port:
        await prepare(port, REFUSALS[start])
        async with port.running():
            one = await port.until("nightly", is_phase("BackingOff"))
            assert conditions(one)[0] == "Accepted=False/InvalidBackupSpec"
            assert "can not contain namespaces other than: shop" in message(one, "Accepted")
            assert await port.backups() == {}


async def test_an_old_position_is_put_right_and_the_conditions_stay() -> None:
    async with pilot() as port:
        old = {**CREATED, "queueInfo": {"estimatedQueuePosition": 5}}
        await prepare(port, Start(old, has_backup=True))
        async with port.running():
            one = await port.until("nightly", lambda one: position(one) == 1)
            await port.quiet()
            one = await port.get("nightly")
            assert status(one)["veleroBackup"]["status"] == {}
            times = {each["lastTransitionTime"] for each in status(one)["conditions"]}
            assert times == {TIME}
            assert phase(one) == "Created"


async def test_nobody_of_that_name_is_no_fault() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly", {"excludedNamespaces": []})
        await port.until("nightly", is_phase("BackingOff"))
        await port.delete("nightly")
        await port.gone(f"{nabs()}/nightly")
        assert await port.backups() == {}
