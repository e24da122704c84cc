"""Self-service with the original as the engine, live: what tenants ask for, Velero does.

Skipped without the original: `python tools/velero/build.py` builds it.
"""

import asyncio
import gzip
import urllib.request
from contextlib import aclosing

import pytest

from kedge.kube.kind import Object
from tests.velero.beside import (
    ADMINS,
    CONFIG_MAPS,
    NAB,
    NABSL,
    NADR,
    NAR,
    OWN,
    SHOP,
    VELERO,
    Beside,
    conditions,
    copied,
    message,
    of_tenant,
    position,
)
from tests.velero.server import NAMESPACE

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


async def test_a_request_is_told_all_that_velero_does(place: Beside) -> None:
    await place.backup("nightly", ttl="1h", labelSelector={"matchLabels": {"app": "shop"}})
    phases, places = [], []
    async with aclosing(place.tenant.watch(of_tenant(NAB))) as events:
        async for event in events:
            nab = event.object
            phases.append(copied(nab).get("phase", ""))
            places.append(position(nab))
            if phases[-1] == "Completed" and places[-1] == 0:
                break
    order = ["", "New", "Queued", "ReadyToStart", "InProgress", "Finalizing", "Completed"]
    assert [order.index(one) for one in phases] == sorted(order.index(one) for one in phases)
    assert {one for one in places if one is not None} == {0, 1}

    nab = await place.ended(NAB, "nightly")
    status, backup = nab["status"], nab["status"]["veleroBackup"]
    velero = await place.velero("backups", backup["name"])
    assert status["phase"] == "Created"
    assert backup["nacuuid"] == backup["name"]
    assert backup["namespace"] == NAMESPACE
    assert backup["status"] == velero["status"]
    assert backup["spec"] == velero["spec"]
    assert velero["spec"]["includedNamespaces"] == [SHOP]
    assert backup["status"]["progress"]["itemsBackedUp"] >= 100
    found = conditions(nab)
    assert list(found)[:2] == ["Accepted", "Queued"]
    assert found["Accepted"] == ("True", "BackupAccepted")
    assert found["Queued"] == ("True", "BackupScheduled")
    assert found["Succeeded"][0] == "True"
    assert place.keys(ADMINS, f"{backup['name']}.tar.gz")


async def test_what_was_deleted_comes_back(place: Beside) -> None:
    await place.saved("morning")
    for name in ("price-001", "price-002"):
        await place.tenant.delete(f"{CONFIG_MAPS}/{name}")
    await place.make(NAR, "back", {"restoreSpec": {"backupName": "morning"}})
    nar = await place.ended(NAR, "back")
    assert conditions(nar)["Succeeded"][0] == "True", nar["status"]
    assert copied(nar, "veleroRestore")["phase"] == "Completed"
    assert position(nar) == 0
    for name in ("price-001", "price-002"):
        assert (await place.tenant.get(f"{CONFIG_MAPS}/{name}"))["data"] == {"tea": "4"}
    velero = nar["status"]["veleroRestore"]["name"]
    restore = await place.velero("restores", velero)
    assert copied(nar, "veleroRestore") == restore["status"]
    assert restore["spec"]["includedNamespaces"] == [SHOP]
    await place.tenant.delete(of_tenant(NAR, "back"))
    await place.gone(of_tenant(NAR, "back"))
    await place.gone(f"{VELERO}/restores/{velero}")


async def test_delete_backup_has_velero_delete_the_data(place: Beside) -> None:
    name = await place.saved("unwanted")
    assert place.keys(ADMINS, name)
    await place.set("unwanted", deleteBackup=True)
    await place.gone(of_tenant(NAB, "unwanted"))
    assert not await place.is_there(f"{VELERO}/backups/{name}")
    assert place.keys(ADMINS, name) == []


async def test_force_delete_leaves_the_data(place: Beside) -> None:
    name = await place.saved("forced")
    await place.set("forced", forceDeleteBackup=True)
    await place.gone(of_tenant(NAB, "forced"))
    assert not await place.is_there(f"{VELERO}/backups/{name}")
    assert place.keys(ADMINS, name)


async def test_a_plain_delete_waits_for_a_word_on_the_data(place: Beside) -> None:
    name = await place.saved("kept")
    await place.tenant.delete(of_tenant(NAB, "kept"))
    nab = await place.until(NAB, "kept", lambda one: "Deleting" in conditions(one))
    assert nab["status"]["phase"] == "Deleting"
    assert "requires setting spec.deleteBackup" in message(nab, "Deleting")
    assert await place.is_there(f"{VELERO}/backups/{name}")
    await place.set("kept", deleteBackup=True)
    await place.gone(of_tenant(NAB, "kept"))
    assert not await place.is_there(f"{VELERO}/backups/{name}")
    assert place.keys(ADMINS, name) == []


async def test_what_was_lost_comes_back_from_the_bucket(place: Beside) -> None:
    name = await place.saved("lost")
    place.engine.stop()
    await place.tenant.patch(of_tenant(NAB, "lost"), {"metadata": {"finalizers": None}})
    await place.tenant.delete(of_tenant(NAB, "lost"))
    await place.admin.delete(f"{VELERO}/backups/{name}")
    assert not await place.is_there(of_tenant(NAB, "lost"))
    place.engine.start()
    nab = await place.ended(NAB, "lost")
    assert nab["status"]["veleroBackup"]["name"] == name
    assert nab["status"]["phase"] == "Created"
    assert position(nab) == 0
    await place.set("lost", deleteBackup=True)
    await place.gone(of_tenant(NAB, "lost"))
    assert place.keys(ADMINS, name) == []


async def downloaded(place: Beside, kind: str, name: str) -> str:
    """Ask for a file of a backup or a restore, and fetch it from where Velero says."""
    await place.make(NADR, kind.lower(), {"target": {"kind": kind, "name": name}})
    nadr = await place.until(NADR, kind.lower(), lambda one: "Processed" in conditions(one))
    return await asyncio.to_thread(fetched, copied(nadr, "velero")["downloadURL"])


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=20) as answer:
        return gzip.decompress(answer.read()).decode()


async def approved(place: Beside, name: str, keys: str, config: dict[str, str]) -> Object:
    """Ask for a bucket, and have the administrator agree."""
    await place.locate(name, keys, config)
    nabsl = await place.until(NABSL, name, lambda one: "ClusterAdminApproved" in conditions(one))
    assert conditions(nabsl)["ClusterAdminApproved"] == ("False", "BslSpecApprovalPending")
    nacuuid = nabsl["status"]["veleroBackupStorageLocation"]["nacuuid"]
    group = f"/apis/oadp.openshift.io/v1alpha1/namespaces/{NAMESPACE}"
    path = f"{group}/nonadminbackupstoragelocationrequests/{nacuuid}"
    await place.admin.patch(path, {"spec": {"approvalDecision": "approve"}})
    return await place.until(
        NABSL, name, lambda one: conditions(one)["ClusterAdminApproved"][0] == "True"
    )


async def test_a_bucket_of_ones_own_is_used_after_an_approval(place: Beside) -> None:
    s3 = place.stage.s3
    await approved(place, "mine", s3.credentials, s3.config)
    nabsl = await place.until(
        NABSL, "mine", lambda one: "phase" in copied(one, "veleroBackupStorageLocation")
    )
    assert copied(nabsl, "veleroBackupStorageLocation")["phase"] == "Available"
    name = await place.saved("away", storageLocation="mine")
    assert all(key.startswith(f"{SHOP}/") for key in place.keys(OWN, name))
    assert place.keys(OWN, f"{name}.tar.gz")
    assert place.keys(ADMINS, name) == []

    assert f"backup=velero/{name}" in await downloaded(place, "BackupLog", "away")

    await place.tenant.delete(f"{CONFIG_MAPS}/price-003")
    await place.make(NAR, "from-away", {"restoreSpec": {"backupName": "away"}})
    nar = await place.ended(NAR, "from-away")
    assert conditions(nar)["Succeeded"][0] == "True", nar["status"]
    await place.tenant.get(f"{CONFIG_MAPS}/price-003")
    restore = nar["status"]["veleroRestore"]["name"]
    assert f"restore=velero/{restore}" in await downloaded(place, "RestoreLog", "from-away")

    await place.tenant.delete(of_tenant(NABSL, "mine"))
    await place.gone(of_tenant(NABSL, "mine"))
    location = nabsl["status"]["veleroBackupStorageLocation"]["name"]
    assert not await place.is_there(f"{VELERO}/backupstoragelocations/{location}")
    await place.gone(of_tenant(NAB, "away"))
    await place.gone(f"{VELERO}/backups/{name}")
    assert place.keys(OWN, name)


async def test_nothing_is_downloaded_from_the_administrator_s_bucket(place: Beside) -> None:
    await place.saved("closed")
    await place.make(NADR, "closed", {"target": {"kind": "BackupContents", "name": "closed"}})
    nadr = await place.until(NADR, "closed", lambda one: conditions(one) != {})
    assert list(conditions(nadr)) == ["NonAdminBackupStorageLocationNotUsed"]
    found = (await place.admin.get(f"{VELERO}/downloadrequests"))["items"]
    assert [one for one in found if one["spec"]["target"]["kind"] == "BackupContents"] == []


async def test_what_velero_says_of_a_bucket_is_told(place: Beside) -> None:
    wrong = place.stage.s3.credentials.replace(place.stage.s3.secret, "wrong")
    await approved(place, "shut", wrong, place.stage.s3.config)
    nabsl = await place.until(
        NABSL, "shut", lambda one: "phase" in copied(one, "veleroBackupStorageLocation")
    )
    told = copied(nabsl, "veleroBackupStorageLocation")
    assert told["phase"] == "Unavailable"
    assert "SignatureDoesNotMatch" in told["message"]
    await place.backup("shut-out", storageLocation="shut")
    nab = await place.ended(NAB, "shut-out")
    assert conditions(nab)["Accepted"] == ("False", "InvalidBackupSpec")
    assert "is not in available state" in message(nab, "Accepted")


async def test_what_has_lost_its_origin_is_cleared_away(place: Beside) -> None:
    await place.saved("origin")
    await place.make(NAR, "orphan", {"restoreSpec": {"backupName": "origin"}})
    nar = await place.ended(NAR, "orphan")
    await place.tenant.patch(of_tenant(NAR, "orphan"), {"metadata": {"finalizers": None}})
    await place.tenant.delete(of_tenant(NAR, "orphan"))
    await place.gone(f"{VELERO}/restores/{nar['status']['veleroRestore']['name']}")


async def test_credentials_do_not_lead_velero_to_another_address(place: Beside) -> None:
    s3 = place.stage.s3
    leading = f"{s3.credentials}endpoint_url = {s3.url}\n"
    # What the administrator sees, and agrees to, is a bucket of Amazon's.
    amazon = {"region": s3.region, "s3ForcePathStyle": "true"}
    await approved(place, "leading", leading, amazon)
    nabsl = await place.until(NABSL, "leading", lambda one: "SecretSynced" in conditions(one))
    assert conditions(nabsl)["SecretSynced"] == ("False", "SecretSyncFailed")
    assert "endpoint_url" in message(nabsl, "SecretSynced")
    location = nabsl["status"]["veleroBackupStorageLocation"]["name"]
    assert not await place.is_there(f"{VELERO}/backupstoragelocations/{location}")
