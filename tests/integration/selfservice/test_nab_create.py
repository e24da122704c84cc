"""The path of a NonAdminBackup from its creation to the end of its backup."""

from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.kube.errors import Invalid
from kedge.kube.kind import Object
from kedge.testing import faults
from tests.integration.selfservice.pilot import (
    BACKUPS,
    FINALIZER,
    HOME,
    TENANT,
    VOLUMES,
    conditions,
    is_phase,
    manifest,
    message,
    nabs,
    nacuuid,
    phase,
    pilot,
    position,
    status,
)
from tests.unit.api.stock import stock_crds

KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}
CREATED = ["Accepted=True/BackupAccepted", "Queued=True/BackupScheduled"]


def velero(kinds: str) -> list[Object]:
    return [one for one in KINDS[kinds]() if one["spec"]["group"] == "velero.io"]


def velero_status(one: Object) -> Any:
    return status(one).get("veleroBackup", {}).get("status")


@pytest.mark.asyncio
async def test_a_valid_one_becomes_a_velero_backup_in_four_writes() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly", {"ttl": "24h0m0s"})
        made = await port.until("nightly", is_phase("Created"))
        await port.quiet()
        assert port.writes() == [
            "PUT nightly/status",
            "PUT nightly",
            "POST backups",
            "PUT nightly/status",
        ]
        assert conditions(made) == CREATED
        assert message(made, "Accepted") == "backup accepted"
        assert message(made, "Queued") == "Created Velero Backup object"
        assert position(made) == 1
        assert made["metadata"]["finalizers"] == [FINALIZER]
        name = nacuuid(made)
        assert name.startswith(f"{TENANT}-nightly-")
        reference = status(made)["veleroBackup"]
        assert (reference["name"], reference["namespace"]) == (name, HOME)
        backup = await port.kube.client.get(f"{BACKUPS}/{name}")
        assert backup["metadata"]["labels"] == {
            "openshift.io/oadp": "True",
            "app.kubernetes.io/managed-by": "oadp-nac-controller",
            "openshift.io/oadp-nab-origin-nacuuid": name,
        }
        assert backup["metadata"]["annotations"] == {
            "openshift.io/oadp-nab-origin-namespace": TENANT,
            "openshift.io/oadp-nab-origin-name": "nightly",
            "kedge.dev/origin-uid": made["metadata"]["uid"],
        }
        assert backup["spec"]["includedNamespaces"] == [TENANT]
        assert backup["spec"]["ttl"] == "24h0m0s"
        assert reference["spec"] == backup["spec"]
        assert {each["observedGeneration"] for each in status(made)["conditions"]} == {1}
        assert phase(made) == "Created"


@pytest.mark.asyncio
@pytest.mark.parametrize("kinds", KINDS)
async def test_all_that_velero_says_is_copied_until_the_end(kinds: str) -> None:
    async with pilot(velero(kinds)) as port, port.running():
        await port.ask("nightly")
        name = nacuuid(await port.until("nightly", is_phase("Created")))
        path = f"{BACKUPS}/{name}"
        running = {
            "phase": "InProgress",
            "startTimestamp": "2030-01-01T00:00:00Z",
            "progress": {"totalItems": 56, "itemsBackedUp": 3},
        }
        await port.set_status(path, running)
        one = await port.until("nightly", lambda one: velero_status(one) == running)
        assert position(one) == 1
        done = {
            **running,
            "phase": "Completed",
            "completionTimestamp": "2030-01-01T00:00:05Z",
            "expiration": "2030-02-01T00:00:00Z",
            "formatVersion": "1.1.0",
            "version": 1,
            "hookStatus": {"hooksAttempted": 1},
            "progress": {"totalItems": 56, "itemsBackedUp": 56},
        }
        before = len(port.proxy.calls)
        await port.set_status(path, done)
        one = await port.until("nightly", lambda one: velero_status(one) == done)
        await port.quiet()
        assert port.writes(before) == ["PUT nightly/status"]
        assert position(one) == 0
        assert conditions(one) == [*CREATED, "Succeeded=True/BackupCompleted"]
        assert port.events.told == [("BackupCompleted", "the backup is completed")]


@pytest.mark.asyncio
async def test_a_failed_backup_tells_why() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly")
        await port.until("nightly", is_phase("Created"))
        await port.set_status(
            f"{BACKUPS}/{nacuuid(await port.get('nightly'))}",
            {"phase": "Failed", "failureReason": "unable to get credentials"},
        )
        one = await port.until("nightly", lambda one: message(one, "Failed") != "")
        assert conditions(one) == [*CREATED, "Failed=True/BackupFailed"]
        assert message(one, "Failed") == "the backup has failed: unable to get credentials"
        assert position(one) == 0
        await port.quiet()
        assert "BackupFailed" in port.events.reasons


@pytest.mark.asyncio
async def test_an_invalid_one_is_new_and_then_backs_off_until_it_is_mended() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly", {"includedNamespaces": ["other"]})
        one = await port.until("nightly", is_phase("BackingOff"))
        await port.quiet()
        assert port.writes() == ["PUT nightly/status", "PUT nightly/status"]
        assert conditions(one) == [
            "Accepted=False/InvalidBackupSpec",
            "Failed=True/InvalidBackupSpec",
        ]
        assert message(one, "Accepted") == (
            "NonAdminBackup spec.backupSpec.includedNamespaces is restricted, can not contain "
            "namespaces other than: shop"
        )
        assert "finalizers" not in one["metadata"]
        assert "veleroBackup" not in status(one)
        assert await port.backups() == {}
        assert port.events.reasons == ["InvalidBackupSpec"]
        await port.patch("nightly", {"spec": {"backupSpec": {"includedNamespaces": None}}})
        one = await port.until("nightly", is_phase("Created"))
        assert conditions(one) == [*CREATED, "Failed=False/BackupAccepted"]
        assert {each["observedGeneration"] for each in status(one)["conditions"]} == {2}


@pytest.mark.asyncio
async def test_a_bad_edit_of_a_created_one_is_told_and_changes_nothing() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly")
        await port.until("nightly", is_phase("Created"))
        backups = await port.backups()
        await port.patch("nightly", {"spec": {"backupSpec": {"excludedNamespaces": []}}})
        one = await port.until("nightly", lambda one: "restricted" in message(one, "Accepted"))
        await port.quiet()
        assert (phase(one), conditions(one)) == (
            "Created",
            ["Accepted=False/InvalidBackupSpec", CREATED[1]],
        )
        assert await port.backups() == backups
        await port.patch("nightly", {"spec": {"backupSpec": {"excludedNamespaces": None}}})
        one = await port.until("nightly", lambda one: conditions(one) == CREATED)
        assert phase(one) == "Created"


@pytest.mark.asyncio
async def test_a_backup_that_was_removed_is_not_run_again_not_even_by_a_restart() -> None:
    async with pilot() as port:
        async with port.running():
            await port.ask("nightly")
            await port.until("nightly", is_phase("Created"))
            name = nacuuid(await port.get("nightly"))
            await port.kube.client.delete(f"{BACKUPS}/{name}")
            one = await port.until("nightly", lambda one: "removed" in message(one, "Accepted"))
            await port.quiet()
        before = len(port.proxy.calls)
        async with port.running():
            await port.patch("nightly", {"spec": {"backupSpec": {"ttl": "1h0m0s"}}})
            await port.until(
                "nightly",
                lambda one: status(one)["conditions"][0]["observedGeneration"] == 2,
            )
            await port.quiet()
        assert port.writes(before) == ["PUT nightly/status"]
        assert await port.backups() == {}
        assert phase(one) == "Created"
        assert conditions(one) == [
            "Accepted=False/VeleroBackupNotFound",
            CREATED[1],
            "Failed=True/VeleroBackupNotFound",
        ]


@pytest.mark.asyncio
async def test_an_object_without_a_spec_backs_off_and_one_without_a_backup_spec_is_refused() -> (
    None
):
    async with pilot() as port, port.running():
        bare = {**manifest("bare"), "spec": None}
        del bare["spec"]
        await port.kube.client.create(nabs(), bare)
        one = await port.until("bare", is_phase("BackingOff"))
        assert message(one, "Accepted") == "BackupSpec is not defined"
        with pytest.raises(Invalid, match="Required value"):
            await port.kube.client.create(nabs(), {**manifest("empty"), "spec": {}})


@pytest.mark.asyncio
async def test_a_restart_finds_nothing_to_do() -> None:
    async with pilot() as port:
        async with port.running():
            await port.ask("nightly")
            await port.ask("bad", {"excludedNamespaces": []})
            await port.until("nightly", is_phase("Created"))
            await port.until("bad", is_phase("BackingOff"))
            await port.finish("nightly")
            await port.until("nightly", lambda one: position(one) == 0)
            await port.ask("gone")
            await port.until("gone", is_phase("Created"))
            await port.delete("gone")
            await port.until("gone", is_phase("Deleting"))
        before = len(port.proxy.calls)
        async with port.running():
            await port.quiet()
        assert port.writes(before) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["a" * 253, "db11.prod.example", "x." * 60 + "x"])
async def test_names_of_every_length_and_with_dots_come_through(name: str) -> None:
    async with pilot() as port, port.running():
        await port.ask(name)
        one = await port.until(name, is_phase("Created"))
        assert len(nacuuid(one)) <= 63
        await port.finish(name)
        await port.until(name, lambda one: position(one) == 0)


@pytest.mark.asyncio
async def test_a_server_that_does_not_take_the_backup_is_told_of_and_asked_again() -> None:
    async with pilot() as port, port.running():
        refusal = faults.Refuse(faults.bare(403))
        port.proxy.inject(refusal, faults.matches(method="POST", path=BACKUPS), times=3)
        await port.ask("nightly")
        one = await port.until(
            "nightly", lambda one: "can not be created" in message(one, "Queued")
        )
        await port.quiet()
        assert conditions(one)[1] == "Queued=False/VeleroBackupRefused"
        assert "VeleroBackupRefused" in port.events.reasons
        for _ in range(10):
            await port.pass_time(seconds=1)
        one = await port.until("nightly", is_phase("Created"))
        assert conditions(one) == CREATED


@pytest.mark.asyncio
async def test_the_data_of_volumes_is_counted() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly")
        name = nacuuid(await port.until("nightly", is_phase("Created")))
        for number, state in enumerate(["New", "InProgress", "Completed", "Canceled"]):
            volume = {
                "apiVersion": "velero.io/v1",
                "kind": "PodVolumeBackup",
                "metadata": {"name": f"v{number}", "labels": {"velero.io/backup-name": name}},
                "spec": {
                    "backupStorageLocation": "default",
                    "node": "n",
                    "pod": {},
                    "repoIdentifier": "r",
                    "uploaderType": "kopia",
                    "volume": "data",
                },
            }
            await port.kube.client.create(VOLUMES, volume)
            await port.set_status(f"{VOLUMES}/v{number}", {"phase": state})
        one = await port.until(
            "nightly",
            lambda one: status(one).get("fileSystemPodVolumeBackups", {}).get("completed") == 1,
        )
        await port.quiet()
        one = await port.get("nightly")
        assert status(one)["fileSystemPodVolumeBackups"] == {
            "total": 4,
            "new": 1,
            "inProgress": 1,
            "completed": 1,
        }
