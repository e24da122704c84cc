"""A NonAdminRestore becomes a Velero Restore, and tells all that becomes of it."""

from datetime import timedelta

import pytest

from kedge.api.crd import crds
from kedge.kube.errors import Invalid
from kedge.selfservice.policies import AGAIN_SECONDS
from kedge.testing import FakeClock, faults
from tests.integration.selfservice.applications import (
    APPLICATION_CRD,
    APPLICATIONS,
    application,
)
from tests.integration.selfservice.mooring import (
    BACKUPS,
    CONFIGS,
    FINALIZER,
    HOME,
    NABS,
    NACUUID,
    NARS,
    RESTORES,
    TENANT,
    VOLUMES,
    conditions,
    make_nab,
    manifest,
    message,
    mooring,
    phase,
    position,
    save,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}
STATUS = "PUT nonadminrestores/status"
FOUR = [STATUS, "PUT nonadminrestores", "POST restores", STATUS]
GONE = (
    "NonAdminRestore is finalized and its associated Velero Restore has been removed. Please "
    "create a new NonAdminRestore to initiate a new Restore"
)
NOT_READY = (
    "NonAdminRestore spec.restoreSpec.backupName is invalid: NonAdminBackup is not ready to be "
    "restored"
)


async def test_a_spec_without_a_restore_spec_is_not_taken() -> None:
    async with mooring() as port:
        with pytest.raises(Invalid, match="Required value"):
            await port.admin.create(NARS, {**manifest("r", None), "spec": {}})


@pytest.mark.parametrize("kinds", KINDS)
async def test_a_valid_one_is_created_with_four_writes(kinds: str) -> None:
    async with mooring(KINDS[kinds]()) as port, port.running():
        await port.nar("r")
        found = await port.created("r")
        await port.quiet()
        assert port.writes() == FOUR
        assert conditions(found) == [
            "Accepted=True RestoreAccepted",
            "Queued=True RestoreScheduled",
        ]
        assert message(found, "Accepted") == "restore accepted"
        assert message(found, "Queued") == "Created Velero Restore object"
        assert {one["observedGeneration"] for one in found["status"]["conditions"]} == {1}
        assert position(found) == 1
        assert found["metadata"]["finalizers"] == [FINALIZER]
        [restore] = await port.restores()
        reference = found["status"]["veleroRestore"]
        name = restore["metadata"]["name"]
        assert name.startswith(f"{TENANT}-r-")
        assert (reference["nacuuid"], reference["name"]) == (name, name)
        assert reference["namespace"] == HOME
        labels, notes = restore["metadata"]["labels"], restore["metadata"]["annotations"]
        assert labels["openshift.io/oadp-nar-origin-nacuuid"] == name
        assert labels["app.kubernetes.io/managed-by"] == "oadp-nac-controller"
        assert notes["openshift.io/oadp-nar-origin-namespace"] == TENANT
        assert notes["openshift.io/oadp-nar-origin-name"] == "r"
        spec = restore["spec"]
        assert spec["backupName"] == NACUUID
        assert spec["includedNamespaces"] == [TENANT]
        assert spec["includeClusterResources"] is False
        assert {"volumesnapshotclasses", "clusterroles"} <= set(spec["excludedResources"])


@pytest.mark.parametrize("kinds", KINDS)
async def test_the_status_is_copied_and_the_end_is_a_condition(kinds: str) -> None:
    async with mooring(KINDS[kinds]()) as port, port.running():
        await port.nar("r")
        made = await port.created("r")
        running = {"phase": "InProgress", "progress": {"totalItems": 9, "itemsRestored": 4}}
        await port.velero(made, **running)
        found = await port.until(
            "r", lambda one: one["status"]["veleroRestore"].get("status") == running
        )
        assert position(found) == 1
        done = {"phase": "Completed", "completionTimestamp": "2030-01-01T00:00:00Z"}
        await port.velero(made, **done)
        found = await port.until("r", lambda one: "Succeeded=True" in str(conditions(one)))
        assert found["status"]["veleroRestore"]["status"] == running | done
        assert position(found) == 0
        assert phase(found) == "Created"
        await port.quiet()
        assert "RestoreCompleted" in port.events.reasons


async def test_a_restore_that_fails_says_so() -> None:
    async with mooring() as port, port.running():
        await port.nar("r")
        made = await port.created("r")
        await port.velero(made, phase="FailedValidation", validationErrors=["no such backup"])
        found = await port.until("r", lambda one: "Failed=True" in str(conditions(one)))
        assert "no such backup" in message(found, "Failed")
        assert position(found) == 0


async def test_a_server_that_does_not_take_the_restore_is_told_of_and_asked_again() -> None:
    async with mooring() as port, port.running():
        taken = faults.matches(method="POST", path=RESTORES)
        refusal = port.proxy.inject(faults.Refuse(faults.bare(403)), taken)
        await port.nar("r")
        one = await port.until("r", lambda one: "can not be created" in str(one.get("status")))
        assert conditions(one) == [
            "Accepted=True RestoreAccepted",
            "Queued=False VeleroRestoreRefused",
        ]
        refusal.remove()
        one = await port.created("r")
        assert conditions(one)[1:] == ["Queued=True RestoreScheduled"]
        assert port.writes().count(STATUS) == 3
        assert port.events.reasons == ["VeleroRestoreRefused"]


async def test_what_is_enforced_is_filled_in_and_can_not_be_overridden() -> None:
    rules = "restorePVs: false\nitemOperationTimeout: 7h\nuploaderConfig: {writeSparseFiles: true}"
    async with mooring() as port:
        config = {"metadata": {"name": "kedge-nonadmin-policy"}}
        config["data"] = {"enforceRestoreSpec": rules}
        await port.admin.create(CONFIGS, config)
        async with port.running():
            await port.nar("good")
            await port.nar("bad", restorePVs=True)
            await port.created("good")
            [restore] = await port.restores()
            assert restore["spec"]["restorePVs"] is False
            assert restore["spec"]["itemOperationTimeout"] == "7h"
            assert restore["spec"]["uploaderConfig"] == {"writeSparseFiles": True}
            bad = await port.until("bad", lambda one: phase(one) == "BackingOff")
            assert message(bad, "Accepted") == (
                "the administrator has restricted spec.restoreSpec.restorePVs field value to false"
            )
            # The rules change, and nobody starts anything anew.
            await port.admin.patch(f"{CONFIGS}/kedge-nonadmin-policy", {"data": None})
            await port.created("bad")


async def test_an_application_that_lets_go_is_heard_by_who_backs_off() -> None:
    async with mooring() as port:
        port.clock = clock = FakeClock()
        await port.kube.define(APPLICATION_CRD)
        made = application(enforceRestoreSpec={"restorePVs": False})
        await port.admin.create(APPLICATIONS, made)
        async with port.running():
            await port.nar("r", restorePVs=True)
            await port.until("r", lambda one: phase(one) == "BackingOff")
            await port.admin.delete(f"{APPLICATIONS}/velero")
            await port.quiet()
            clock.advance(timedelta(seconds=AGAIN_SECONDS))
            await port.created("r")


async def test_one_that_comes_before_its_backup_is_ready_goes_on_when_it_is() -> None:
    async with mooring() as port, port.running():
        await port.nar("r", backupName="later")
        found = await port.until("r", lambda one: phase(one) == "BackingOff")
        assert "not found" in message(found, "Accepted")
        await make_nab(port.admin, "later", {"phase": "New"})
        found = await port.until("r", lambda one: "not ready" in message(one, "Accepted"))
        assert conditions(found)[1] == "Failed=False InvalidRestoreSpec"
        assert "queueInfo" not in found["status"]
        await port.admin.delete(f"{NABS}/later")
        await save(port.admin, "later", "shop-later-1")
        found = await port.created("r")
        assert conditions(found) == [
            "Accepted=True RestoreAccepted",
            "Queued=True RestoreScheduled",
            "Failed=False RestoreAccepted",
        ]
        [restore] = await port.restores()
        assert restore["spec"]["backupName"] == "shop-later-1"


@pytest.mark.parametrize("taken", ["", "New", "InProgress"])
async def test_a_backup_that_is_still_taken_is_waited_for(taken: str) -> None:
    async with mooring() as port, port.running():
        await port.set_status(f"{BACKUPS}/{NACUUID}", {"phase": taken or None})
        await port.quiet()
        await port.nar("r")
        found = await port.until("r", lambda one: phase(one) == "BackingOff")
        assert conditions(found) == ["Accepted=False InvalidRestoreSpec"]
        assert message(found, "Accepted") == NOT_READY
        await port.set_status(f"{BACKUPS}/{NACUUID}", {"phase": "Completed"})
        await port.created("r")


async def test_a_backup_that_is_out_of_reach_is_a_failure_until_it_is_back() -> None:
    told = {"nacuuid": NACUUID, "status": {"phase": "Completed"}}
    backup = f"{BACKUPS}/{NACUUID}"
    async with mooring() as port, port.running():
        await port.set_status(f"{NABS}/saved", {"phase": "Created", "veleroBackup": told})
        found = await port.admin.get(backup)
        await port.admin.delete(backup)
        await port.quiet()
        await port.nar("r")
        lost = await port.until("r", lambda one: phase(one) == "BackingOff")
        assert conditions(lost) == [
            "Accepted=False InvalidRestoreSpec",
            "Failed=True InvalidRestoreSpec",
        ]
        assert "is not there any more" in message(lost, "Accepted")
        meta = {name: found["metadata"][name] for name in ("name", "labels", "annotations")}
        await port.admin.create(BACKUPS, {**found, "metadata": meta, "status": {}})
        await port.set_status(backup, {"phase": "Completed"})
        await port.created("r")


async def test_a_backup_that_was_refused_can_not_be_restored() -> None:
    async with mooring() as port, port.running():
        await make_nab(port.admin, "bad", {"phase": "BackingOff"})
        await port.nar("r", backupName="bad")
        found = await port.until("r", lambda one: phase(one) == "BackingOff")
        assert conditions(found)[0] == "Accepted=False InvalidRestoreSpec"
        assert message(found, "Accepted") == NOT_READY
        assert "queueInfo" not in found["status"]
        await port.quiet()
        assert port.writes() == ["PUT nonadminrestores/status"] * 2


async def test_one_without_a_spec_is_refused_and_can_be_mended() -> None:
    async with mooring() as port, port.running():
        await port.admin.create(NARS, manifest("r", None))
        found = await port.until("r", lambda one: phase(one) == "BackingOff")
        assert message(found, "Accepted") == "RestoreSpec is not defined"
        spec = {"restoreSpec": {"backupName": "saved"}}
        await port.admin.patch(f"{NARS}/r", {"spec": spec})
        found = await port.created("r")
        assert found["status"]["conditions"][0]["observedGeneration"] == 2


async def test_a_bad_edit_after_creation_leaves_the_phase_and_is_mended_by_a_good_one() -> None:
    async with mooring() as port, port.running():
        await port.nar("r")
        await port.created("r")
        await port.admin.patch(f"{NARS}/r", {"spec": {"restoreSpec": {"scheduleName": "s"}}})
        found = await port.until("r", lambda one: "Accepted=False" in str(conditions(one)))
        assert phase(found) == "Created"
        await port.admin.patch(f"{NARS}/r", {"spec": {"restoreSpec": {"scheduleName": None}}})
        found = await port.until("r", lambda one: "Accepted=True" in str(conditions(one)))
        assert phase(found) == "Created"
        assert len(await port.restores()) == 1


async def test_one_that_is_done_does_not_care_for_what_becomes_of_its_backup() -> None:
    async with mooring() as port, port.running():
        await port.nar("r")
        made = await port.created("r")
        await port.velero(made, phase="Completed")
        before = await port.until("r", lambda one: "Succeeded" in str(conditions(one)))
        await port.admin.delete(f"{NABS}/saved")
        await port.admin.delete(f"{BACKUPS}/{NACUUID}")
        await port.quiet()
        assert await port.get("r") == before


@pytest.mark.parametrize("kinds", KINDS)
async def test_a_velero_restore_that_is_gone_is_not_run_again(kinds: str) -> None:
    async with mooring(KINDS[kinds]()) as port:
        async with port.running():
            await port.nar("r")
            made = await port.created("r")
            await port.admin.delete(f"{RESTORES}/{made['status']['veleroRestore']['name']}")
            found = await port.until("r", lambda one: "Accepted=False" in str(conditions(one)))
            assert conditions(found)[:2] == [
                "Accepted=False VeleroRestoreNotFound",
                "Queued=True RestoreScheduled",
            ]
            assert message(found, "Accepted") == GONE
            assert phase(found) == "Created"
        async with port.running():
            await port.admin.patch(f"{NARS}/r", {"spec": {"restoreSpec": {"restorePVs": True}}})
            await port.quiet()
        assert await port.restores() == []


@pytest.mark.parametrize("kinds", KINDS)
async def test_its_deletion_deletes_the_velero_restore_first(kinds: str) -> None:
    async with mooring(KINDS[kinds]()) as port, port.running():
        await port.nar("r")
        made = await port.created("r")
        restore = f"{RESTORES}/{made['status']['veleroRestore']['name']}"
        await port.admin.patch(restore, {"metadata": {"finalizers": ["velero.io/files"]}})
        since = len(port.proxy.calls)
        await port.admin.delete(f"{NARS}/r")
        found = await port.until("r", lambda one: phase(one) == "Deleting")
        assert message(found, "Deleting") == "restore accepted for deletion"
        assert conditions(found)[-1] == "Deleting=True DeletionPending"
        await port.admin.until(restore, lambda one: "deletionTimestamp" in one["metadata"])
        await port.quiet()
        assert port.writes(since) == ["PUT nonadminrestores/status", "DELETE restores"]
        await port.admin.patch(restore, {"metadata": {"finalizers": None}})
        await port.gone(f"{NARS}/r")
        assert port.writes(since)[2:] == ["PUT nonadminrestores"]


async def test_one_that_was_never_made_is_let_go() -> None:
    async with mooring() as port:
        await port.nar("r", {"finalizers": [FINALIZER]}, backupName="nowhere")
        await port.admin.delete(f"{NARS}/r")
        async with port.running():
            await port.gone(f"{NARS}/r")


async def test_a_namespace_that_goes_is_not_held_up_by_a_velero_restore() -> None:
    async with mooring() as port, port.running():
        await port.nar("r")
        made = await port.created("r")
        restore = f"{RESTORES}/{made['status']['veleroRestore']['name']}"
        await port.admin.patch(restore, {"metadata": {"finalizers": ["velero.io/files"]}})
        await port.admin.delete(f"{NARS}/r")
        await port.admin.until(restore, lambda one: "deletionTimestamp" in one["metadata"])
        await port.quiet()
        await port.admin.delete(f"/api/v1/namespaces/{TENANT}")
        await port.gone(f"/api/v1/namespaces/{TENANT}")
        assert len(await port.restores()) == 1


async def test_volumes_are_counted_by_how_far_they_are() -> None:
    async with mooring() as port, port.running():
        await port.nar("r")
        name = (await port.created("r"))["status"]["veleroRestore"]["name"]
        for number, state in enumerate(("InProgress", "Completed", "Prepared")):
            labels = {"velero.io/restore-name": name}
            spec = {
                "pod": {},
                "volume": "v",
                "backupStorageLocation": "b",
                "repoIdentifier": "",
                "snapshotID": "1",
                "sourceNamespace": TENANT,
            }
            volume = {"metadata": {"name": f"v{number}", "labels": labels}, "spec": spec}
            kind = {"apiVersion": "velero.io/v1", "kind": "PodVolumeRestore"}
            await port.admin.create(VOLUMES, {**kind, **volume})
            await port.set_status(f"{VOLUMES}/v{number}", {"phase": state})
        wanted = {"total": 3, "inProgress": 1, "completed": 1}
        await port.until(
            "r", lambda one: one["status"].get("fileSystemPodVolumeRestores") == wanted
        )


@pytest.mark.parametrize("length", [253, 100, 63])
async def test_long_and_dotted_names_are_taken(length: int) -> None:
    name = ("a." * length)[: length - 1] + "z"
    async with mooring() as port, port.running():
        await port.nar(name)
        made = await port.created(name)
        await port.velero(made, phase="InProgress")
        await port.until(name, lambda one: "InProgress" in str(one["status"]))
