"""Nobody gets at what is not theirs by a NonAdminRestore."""

from typing import Any

import pytest

from kedge.kube.kind import Object
from tests.integration.selfservice.mooring import (
    BACKUPS,
    FINALIZER,
    GROUP,
    HOME,
    NACUUID,
    NARS,
    OTHER,
    RESTORES,
    TENANT,
    conditions,
    make_nab,
    manifest,
    marks,
    message,
    mooring,
    phase,
)

pytestmark = pytest.mark.asyncio

VICTIM = "rival-r-victim"
THEIRS = f"{GROUP}/namespaces/{OTHER}/nonadminrestores"


def velero(kind: str, name: str, metadata: Object, **spec: Any) -> Object:
    meta = {"name": name, **metadata}
    return {"apiVersion": "velero.io/v1", "kind": kind, "metadata": meta, "spec": spec}


@pytest.mark.parametrize(
    "spec",
    [
        {"namespaceMapping": {TENANT: "kube-system"}},
        {"namespaceMapping": {}},
        {"includedNamespaces": [OTHER]},
        {"excludedNamespaces": []},
        {"scheduleName": "nightly"},
        {"includeClusterResources": True},
        {"resourceModifier": {"kind": "ConfigMap", "name": "velero-secrets"}},
    ],
)
async def test_what_reaches_out_of_the_namespace_makes_nothing(spec: Object) -> None:
    async with mooring() as port, port.running():
        await port.nar("r", **spec)
        found = await port.until("r", lambda one: phase(one) == "BackingOff")
        assert conditions(found)[0] == "Accepted=False InvalidRestoreSpec"
        assert f"{next(iter(spec))} is restricted" in message(found, "Accepted")
        await port.quiet()
        assert await port.restores() == []


async def test_a_backup_of_another_namespace_is_not_found() -> None:
    async with mooring() as port, port.running():
        wanted = manifest("r", {"backupName": "saved"})
        await port.admin.create(THEIRS, wanted)
        found = await port.admin.until(f"{THEIRS}/r", lambda one: phase(one) == "BackingOff")
        assert '"saved" not found' in message(found, "Accepted")
        assert await port.restores() == []


async def test_a_status_that_points_at_anothers_backup_does_not_help() -> None:
    async with mooring() as port, port.running():
        # Both the name and, in an object that a bucket brought, the label are those of a victim.
        status = {"phase": "Created", "veleroBackup": {"nacuuid": NACUUID, "name": NACUUID}}
        await make_nab(port.admin, "forged", status, OTHER)
        await make_nab(port.admin, "alias", status)
        await port.admin.create(THEIRS, manifest("r", {"backupName": "forged"}))
        await port.nar("r", backupName="alias")
        for path in (f"{THEIRS}/r", f"{NARS}/r"):
            found = await port.admin.until(path, lambda one: phase(one) == "BackingOff")
            assert "not ready to be restored" in message(found, "Accepted")
        assert await port.restores() == []


async def test_a_second_backup_with_the_same_label_is_not_taken_for_the_first() -> None:
    async with mooring() as port, port.running():
        forged = marks("nab", NACUUID, TENANT, "saved")
        await port.admin.create(BACKUPS, velero("Backup", "evil", forged))
        await port.nar("r")
        await port.created("r")
        [restore] = await port.restores()
        assert restore["spec"]["backupName"] == NACUUID


async def test_a_backup_with_the_annotations_but_not_the_label_is_not_taken() -> None:
    async with mooring() as port, port.running():
        forged = marks("nab", "another", TENANT, "mine")
        await port.admin.create(BACKUPS, velero("Backup", "shop-mine-1", forged))
        status = {"phase": "Created", "veleroBackup": {"nacuuid": "shop-mine-1"}}
        await make_nab(port.admin, "mine", status)
        await port.nar("r", backupName="mine")
        found = await port.until("r", lambda one: phase(one) == "BackingOff")
        assert "not ready" in message(found, "Accepted")


@pytest.mark.parametrize("owner", [(OTHER, "r"), (TENANT, "another")])
async def test_the_restore_of_another_is_neither_shown_nor_deleted(owner: tuple[str, str]) -> None:
    async with mooring() as port:
        theirs = velero("Restore", VICTIM, marks("nar", VICTIM, *owner), backupName="b")
        await port.admin.create(RESTORES, theirs)
        await port.set_status(f"{RESTORES}/{VICTIM}", {"phase": "Completed", "errors": 7})
        reference = {"nacuuid": VICTIM, "name": VICTIM, "namespace": HOME}
        for name in ("plain", "queued"):
            await port.nar(name, {"finalizers": [FINALIZER]})
            status: Object = {"phase": "New", "veleroRestore": reference}
            if name == "queued":
                queued = {"type": "Queued", "status": "True", "reason": "X", "message": ""}
                status["conditions"] = [{**queued, "lastTransitionTime": "2030-01-01T00:00:00Z"}]
            await port.admin.patch(f"{NARS}/{name}/status", {"status": status})
        async with port.running():
            for name in ("plain", "queued"):
                found = await port.until(name, lambda one: "Accepted=False" in str(conditions(one)))
                assert "does not point to this NonAdminRestore" in message(found, "Accepted")
                assert "status" not in found["status"]["veleroRestore"]
                await port.admin.delete(f"{NARS}/{name}")
                await port.gone(f"{NARS}/{name}")
            [left] = await port.restores()
            assert left["metadata"]["name"] == VICTIM
            assert "deletionTimestamp" not in left["metadata"]


async def test_a_namesake_that_came_later_does_not_get_what_was_its_predecessors() -> None:
    async with mooring() as port:
        async with port.running():
            await port.nar("r")
            first = await port.created("r")
        await port.admin.patch(f"{NARS}/r", {"metadata": {"finalizers": None}})
        await port.admin.delete(f"{NARS}/r")
        await port.nar("r", {"finalizers": [FINALIZER]})
        reference = {"nacuuid": first["status"]["veleroRestore"]["nacuuid"]}
        await port.admin.patch(f"{NARS}/r/status", {"status": {"veleroRestore": reference}})
        async with port.running():
            found = await port.until("r", lambda one: "Accepted=False" in str(conditions(one)))
            assert conditions(found)[0] == "Accepted=False VeleroRestoreNotFound"
            await port.admin.delete(f"{NARS}/r")
            await port.gone(f"{NARS}/r")
            assert len(await port.restores()) == 1


@pytest.mark.parametrize("nacuuid", ["../secrets", "a/b", "x" * 64, "UPPER", ".."])
async def test_a_unique_name_that_is_none_leads_nowhere(nacuuid: str) -> None:
    async with mooring() as port:
        status = {"phase": "Created", "veleroBackup": {"nacuuid": nacuuid}}
        await make_nab(port.admin, "odd", status)
        await port.nar("r", backupName="odd")
        async with port.running():
            found = await port.until("r", lambda one: phase(one) == "BackingOff")
            assert "not ready" in message(found, "Accepted")


async def test_a_lost_status_does_not_run_a_restore_twice() -> None:
    async with mooring() as port:
        async with port.running():
            await port.nar("r")
            first = await port.created("r")
            await port.quiet()
        whole = await port.get("r")
        await port.admin.replace(f"{NARS}/r/status", {**whole, "status": {}})
        async with port.running():
            found = await port.created("r")
            same = found["status"]["veleroRestore"]["nacuuid"]
            assert same == first["status"]["veleroRestore"]["nacuuid"]
            assert len(await port.restores()) == 1


async def test_labels_of_a_nonadminrestore_mean_nothing() -> None:
    async with mooring() as port:
        theirs = velero("Restore", VICTIM, marks("nar", VICTIM, OTHER, "r"), backupName="b")
        await port.admin.create(RESTORES, theirs)
        await port.nar("r", marks("nar", VICTIM, OTHER, "r"))
        async with port.running():
            await port.created("r")
            await port.admin.delete(f"{NARS}/r")
            await port.gone(f"{NARS}/r")
            [left] = await port.restores()
            assert left["metadata"]["name"] == VICTIM
