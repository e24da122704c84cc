"""A Velero Backup that another's bucket has brought is nobody's, though all its marks are right."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from kedge.client import Client
from kedge.controllers.nab.wiring import NabSettings
from kedge.controllers.nab.wiring import add_to as add_nab
from kedge.controllers.nabgc.controller import NabGcSettings
from kedge.controllers.nabgc.controller import add_to as add_gc
from kedge.controllers.nar.controller import NarSettings
from kedge.controllers.nar.controller import add_to as add_nar
from kedge.runtime import Manager
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.quay import (
    BACKUPS,
    HOME,
    LOCATIONS,
    NEEDED,
    OTHER,
    RESTORES,
    SYNCED,
    TENANT,
    UUID,
    Quay,
    conditions,
    is_phase,
    marks,
    message,
    own,
    phase,
    quay,
    status,
)

pytestmark = pytest.mark.asyncio

NABS = own("backups")
NARS = own("restores")
MINE, THEIRS = f"{TENANT}-mine-{UUID}", f"{OTHER}-theirs-{UUID}"
STORAGE = {"provider": "aws", "objectStorage": {"bucket": "x"}}
FOREIGN = "related Velero Backup does not point to NonAdminBackup namespace"
REQUESTS = f"/apis/velero.io/v1/namespaces/{HOME}/deletebackuprequests"
KINDS = (*NEEDED, "deletebackuprequests", "podvolumebackups", "podvolumerestores")
DONE = {"phase": "Completed", "completionTimestamp": "2029-01-01T00:00:00Z"}


def adding(manager: Manager, client: Client, events: Events) -> None:
    add_nab(manager, client, events, NabSettings(HOME))
    add_nar(manager, client, events, NarSettings(HOME))


def adding_gc(manager: Manager, client: Client, events: Events) -> None:
    add_gc(manager, client, events, NabGcSettings(HOME))


@dataclass
class Raid(Quay):
    """A cluster with a bucket of the tenant's, one of a rival's, and the administrator's."""

    async def locate(self, name: str, namespace: str = "", owner: str = "") -> None:
        """Make a location."""
        meta = marks("nabsl", name, namespace, owner) if namespace else {}
        await self.make(LOCATIONS, {"metadata": {"name": name, **meta}, "spec": STORAGE})

    async def made(self, name: str = "nightly") -> tuple[str, str]:
        """Have a NonAdminBackup made; give the name of its Velero Backup, and its uid."""
        await self.make(NABS, {"metadata": {"name": name}, "spec": {"backupSpec": {}}})
        one = await self.until(f"{NABS}/{name}", is_phase("Created"))
        return status(one)["veleroBackup"]["nacuuid"], one["metadata"]["uid"]

    async def bring(self, name: str, location: str, uid: str = "", nab: str = "nightly") -> None:
        """Bring a Velero Backup as a server does that has found it in a bucket."""
        meta = marks("nab", name, TENANT, nab, uid)
        spec = {"storageLocation": location, "includedNamespaces": [TENANT]}
        await self.make(BACKUPS, {"metadata": {"name": name, **meta}, "spec": spec})
        await self.set_status(f"{BACKUPS}/{name}", {**DONE, "failureReason": "forged"})

    async def is_untouched(self, name: str) -> bool:
        """Tell whether a Velero Backup is there, and nobody has asked for its end."""
        await self.quiet()
        there = await self.get(f"{BACKUPS}/{name}")
        return "deletionTimestamp" not in there["metadata"] and not await self.names(REQUESTS)


@asynccontextmanager
async def raid() -> AsyncIterator[Raid]:
    async with quay(adding, KINDS) as port:
        found = Raid(port.kube, port.clock, port.proxy, port.adding)
        await found.locate(MINE, TENANT, "mine")
        await found.locate(THEIRS, OTHER, "theirs")
        await found.locate("default")
        yield found


async def swapped(port: Raid, location: str = THEIRS) -> str:
    """Have a Velero Backup deleted by the administrator, and a forged one come in its place."""
    name, uid = await port.made()
    await port.delete(f"{BACKUPS}/{name}")
    await port.until(f"{NABS}/nightly", lambda one: "VeleroBackupNotFound" in str(status(one)))
    # Even the uid, which nobody outside can know, does not help.
    await port.bring(name, location, uid)
    await port.quiet()
    return name


async def test_a_backup_of_a_rivals_bucket_is_not_adopted_in_place_of_one_that_is_gone() -> None:
    async with raid() as port, port.running():
        await swapped(port)
        one = await port.until(f"{NABS}/nightly", lambda one: message(one, "Accepted") == FOREIGN)
        assert "forged" not in str(one)
        assert not any(each.startswith("Succeeded") for each in conditions(one))


@pytest.mark.parametrize("location", [MINE, "default"])
async def test_a_backup_that_comes_back_from_ones_own_bucket_is(location: str) -> None:
    async with raid() as port, port.running():
        await swapped(port, location)
        one = await port.until(f"{NABS}/nightly", lambda one: "forged" in str(one))
        assert "Succeeded=True/BackupCompleted" in conditions(one)


async def test_nothing_is_restored_from_a_rivals_bucket() -> None:
    async with raid() as port, port.running():
        await swapped(port)
        spec = {"restoreSpec": {"backupName": "nightly"}}
        await port.make(NARS, {"metadata": {"name": "back"}, "spec": spec})
        one = await port.until(f"{NARS}/back", is_phase("BackingOff"))
        assert "not ready to be restored" in message(one, "Accepted")
        assert await port.names(RESTORES) == []


@pytest.mark.parametrize("word", ["deleteBackup", "forceDeleteBackup"])
async def test_a_backup_of_a_rivals_bucket_is_not_deleted(word: str) -> None:
    async with raid() as port, port.running():
        name = await swapped(port)
        await port.patch(f"{NABS}/nightly", {"spec": {word: True}})
        await port.gone(f"{NABS}/nightly")
        assert await port.is_untouched(name)


async def test_a_label_does_not_lead_into_a_rivals_bucket() -> None:
    async with raid() as port, port.running():
        forged = f"{TENANT}-forged-{UUID}"
        await port.bring(forged, THEIRS, nab="synced")
        meta = {"name": "synced", "labels": {SYNCED: forged}}
        await port.make(NABS, {"metadata": meta, "spec": {"backupSpec": {}}})
        one = await port.until(f"{NABS}/synced", is_phase("BackingOff"))
        assert message(one, "Accepted") == "related Velero Backup to be synced from does not exist"
        await port.patch(f"{NABS}/synced", {"spec": {"deleteBackup": True}})
        await port.gone(f"{NABS}/synced")
        assert await port.is_untouched(forged)


async def test_a_location_that_comes_later_is_seen() -> None:
    late = f"{TENANT}-late-{UUID}"
    async with raid() as port, port.running():
        name, _ = await port.made()
        await port.delete(f"{BACKUPS}/{name}")
        await port.until(f"{NABS}/nightly", lambda one: "VeleroBackupNotFound" in str(status(one)))
        await port.bring(name, late)
        await port.until(f"{NABS}/nightly", lambda one: message(one, "Accepted") == FOREIGN)
        spec = {"restoreSpec": {"backupName": "nightly"}}
        await port.make(NARS, {"metadata": {"name": "back"}, "spec": spec})
        await port.until(f"{NARS}/back", is_phase("BackingOff"))
        await port.locate(late, TENANT, "late")
        await port.until(f"{NABS}/nightly", lambda one: "forged" in str(one))
        await port.until(f"{NARS}/back", is_phase("Created"))


async def test_a_location_that_is_gone_does_not_hold_up_what_was_made_here() -> None:
    async with raid() as port, port.running():
        name, _ = await port.made()
        await port.patch(f"{BACKUPS}/{name}", {"spec": {"storageLocation": "default"}})
        await port.quiet()
        await port.delete(f"{LOCATIONS}/default")
        await port.quiet()
        assert phase(await port.get(f"{NABS}/nightly")) == "Created"
        await port.patch(f"{NABS}/nightly", {"spec": {"forceDeleteBackup": True}})
        await port.gone(f"{NABS}/nightly")
        assert await port.names(BACKUPS) == []


async def excluded_of(port: Raid, name: str) -> set[str]:
    """Restore from a NonAdminBackup; give the kinds that do not come back."""
    spec = {"restoreSpec": {"backupName": "nightly"}}
    await port.make(NARS, {"metadata": {"name": name}, "spec": spec})
    one = await port.until(f"{NARS}/{name}", is_phase("Created"))
    made = await port.get(f"{RESTORES}/{status(one)['veleroRestore']['name']}")
    return set(made["spec"]["excludedResources"])


async def test_an_archive_of_ones_own_bucket_gives_no_rights_unless_it_was_agreed_to() -> None:
    roles = {"roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io"}
    async with raid() as port, port.running():
        name, _ = await port.made()
        for number, (location, approval, agreed, wanted) in enumerate(
            (
                ("default", "false", None, set()),
                (MINE, "false", None, roles),
                (MINE, "true", None, roles),
                (MINE, "true", "true", set()),
                (MINE, "false", "true", roles),
            )
        ):
            await port.enforce(requireApprovalForBSL=approval)
            notes = {"annotations": {"kedge.dev/administrator-asked": agreed}}
            await port.patch(f"{LOCATIONS}/{MINE}", {"metadata": notes})
            await port.patch(f"{BACKUPS}/{name}", {"spec": {"storageLocation": location}})
            await port.set_status(f"{BACKUPS}/{name}", DONE)
            await port.quiet()
            assert (await excluded_of(port, f"r{number}")) & roles == wanted


async def test_a_backup_that_moves_into_a_rivals_bucket_is_let_go() -> None:
    async with raid() as port, port.running():
        name, _ = await port.made()
        await port.patch(f"{BACKUPS}/{name}", {"spec": {"storageLocation": "moved"}})
        await port.locate("moved")
        await port.quiet()
        made = marks("nabsl", "moved", OTHER, "theirs")
        await port.patch(f"{LOCATIONS}/moved", {"metadata": made})
        await port.until(f"{NABS}/nightly", lambda one: message(one, "Accepted") == FOREIGN)


async def test_positions_are_not_told_of_what_a_bucket_has_brought() -> None:
    async with raid() as port, port.running():
        name, uid = await port.made()
        before = await port.get(f"{NABS}/nightly")
        await port.delete(f"{BACKUPS}/{name}")
        await port.until(f"{NABS}/nightly", lambda one: "VeleroBackupNotFound" in str(status(one)))
        meta = marks("nab", name, TENANT, "nightly", uid)
        spec = {"storageLocation": THEIRS}
        await port.make(BACKUPS, {"metadata": {"name": name, **meta}, "spec": spec})
        await port.pass_time(seconds=10)
        one = await port.get(f"{NABS}/nightly")
        assert status(before)["queueInfo"] == {"estimatedQueuePosition": 1}
        assert status(one)["queueInfo"] == {"estimatedQueuePosition": 0}


async def test_the_removal_of_orphans_leaves_what_is_in_a_rivals_bucket() -> None:
    async with quay(adding_gc) as found:
        port = Raid(found.kube, found.clock, found.proxy, found.adding)
        await port.locate(MINE, TENANT, "mine")
        await port.locate(THEIRS, OTHER, "theirs")
        owners = (own("backupstoragelocations"), own("backupstoragelocations", OTHER))
        for path, name in zip(owners, ("mine", "theirs"), strict=True):
            spec = {"backupStorageLocationSpec": STORAGE}
            await port.make(path, {"metadata": {"name": name}, "spec": spec})
        names = {place: f"{TENANT}-{number}-{UUID}" for number, place in enumerate((MINE, THEIRS))}
        for place, name in names.items():
            await port.bring(name, place)
        await port.bring("gone", "gone")
        async with port.running():
            await port.pass_time(hours=25)
            assert await port.names(BACKUPS) == [names[THEIRS]]
