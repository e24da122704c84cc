"""The three ways in which a NonAdminBackup goes, and a namespace that goes as a whole."""

from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.kube.kind import Object
from tests.integration.selfservice.pilot import (
    BACKUPS,
    FINALIZER,
    REQUESTS,
    TENANT,
    Pilot,
    conditions,
    is_phase,
    manifest,
    message,
    nabs,
    nacuuid,
    phase,
    pilot,
    status,
)
from tests.unit.api.stock import stock_crds

KEPT = (
    "backup deletion requires setting spec.deleteBackup or spec.forceDeleteBackup to true or "
    "finalizer removal"
)
NIGHTLY = f"{nabs()}/nightly"
KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}


def velero(kinds: str) -> list[Object]:
    return [one for one in KINDS[kinds]() if one["spec"]["group"] == "velero.io"]


async def created(port: Pilot) -> str:
    await port.ask("nightly")
    name = nacuuid(await port.until("nightly", is_phase("Created")))
    await port.quiet()
    return name


@pytest.mark.asyncio
async def test_kubectl_delete_keeps_the_backup_and_says_what_to_do() -> None:
    async with pilot() as port, port.running():
        name = await created(port)
        before = len(port.proxy.calls)
        await port.delete("nightly")
        one = await port.until("nightly", is_phase("Deleting"))
        await port.quiet()
        assert message(one, "Deleting") == KEPT
        assert port.writes(before) == ["PUT nightly/status"]
        assert ("DeletionPending", KEPT) in port.events.told
        await port.set_status(f"{BACKUPS}/{name}", {"phase": "InProgress"})
        await port.quiet()
        assert port.writes(before) == ["PUT nightly/status"]
        assert await port.is_there(f"{BACKUPS}/{name}")
        deleting = [one for one in status(one)["conditions"] if one["type"] == "Deleting"]
        assert deleting[0]["observedGeneration"] == one["metadata"]["generation"]


@pytest.mark.asyncio
@pytest.mark.parametrize("kinds", KINDS)
async def test_delete_backup_asks_for_the_deletion_and_goes_with_the_backup(kinds: str) -> None:
    async with pilot(velero(kinds)) as port, port.running():
        name = await created(port)
        before = len(port.proxy.calls)
        await port.patch("nightly", {"spec": {"deleteBackup": True}})
        one = await port.until(
            "nightly", lambda one: "veleroDeleteBackupRequest" in one.get("status", {})
        )
        await port.quiet()
        assert port.writes(before) == [
            "PUT nightly/status",
            "DELETE nightly",
            "POST requests",
            "PUT nightly/status",
        ]
        assert phase(one) == "Deleting"
        assert message(one, "Deleting") == "backup accepted for deletion"
        [request] = await port.requests()
        backup = await port.kube.client.get(f"{BACKUPS}/{name}")
        assert request["spec"] == {"backupName": name}
        assert request["metadata"]["name"].startswith(f"{name}-")
        assert request["metadata"]["labels"] == {
            "velero.io/backup-name": name,
            "velero.io/backup-uid": backup["metadata"]["uid"],
            "openshift.io/oadp-nab-origin-nacuuid": name,
            "openshift.io/oadp": "True",
            "app.kubernetes.io/managed-by": "oadp-nac-controller",
        }
        reference = status(one)["veleroDeleteBackupRequest"]
        assert (reference["nacuuid"], reference["name"]) == (name, request["metadata"]["name"])
        await port.set_status(f"{REQUESTS}/{request['metadata']['name']}", {"phase": "InProgress"})
        await port.until(
            "nightly",
            lambda one: (
                status(one)["veleroDeleteBackupRequest"]["status"] == {"phase": "InProgress"}
            ),
        )
        await port.kube.client.delete(f"{BACKUPS}/{name}")
        await port.gone(NIGHTLY)


@pytest.mark.asyncio
@pytest.mark.parametrize("kinds", KINDS)
async def test_force_delete_takes_backup_and_requests_along(kinds: str) -> None:
    async with pilot(velero(kinds)) as port, port.running():
        name = await created(port)
        await port.patch("nightly", {"spec": {"deleteBackup": True}})
        await port.until(
            "nightly", lambda one: "veleroDeleteBackupRequest" in one.get("status", {})
        )
        await port.quiet()
        await port.patch("nightly", {"spec": {"forceDeleteBackup": True}})
        await port.gone(NIGHTLY)
        await port.gone(f"{BACKUPS}/{name}")
        assert await port.requests() == []


@pytest.mark.asyncio
async def test_a_word_after_kubectl_delete_is_heard() -> None:
    async with pilot() as port, port.running():
        name = await created(port)
        await port.delete("nightly")
        await port.until("nightly", is_phase("Deleting"))
        await port.patch("nightly", {"spec": {"forceDeleteBackup": True}})
        await port.gone(NIGHTLY)
        await port.gone(f"{BACKUPS}/{name}")


@pytest.mark.asyncio
async def test_a_deletion_that_fails_tells_why_and_is_asked_for_again() -> None:
    async with pilot() as port, port.running():
        name = await created(port)
        await port.patch("nightly", {"spec": {"deleteBackup": True}})
        await port.until(
            "nightly", lambda one: "veleroDeleteBackupRequest" in one.get("status", {})
        )
        errors = {"phase": "Processed", "errors": ["backup is still in progress"]}
        await port.set_status(f"{REQUESTS}/{name}-1", errors)
        one = await port.until("nightly", lambda one: "in progress" in message(one, "Deleting"))
        assert status(one)["veleroDeleteBackupRequest"]["status"] == errors
        assert len(await port.requests()) == 1
        await port.pass_time(seconds=31)
        names = sorted(one["metadata"]["name"] for one in await port.requests())
        assert names == [f"{name}-1", f"{name}-2"]
        one = await port.until(
            "nightly",
            lambda one: status(one)["veleroDeleteBackupRequest"]["name"] == f"{name}-2",
        )
        assert message(one, "Deleting") == "backup accepted for deletion"
        await port.kube.client.delete(f"{BACKUPS}/{name}")
        await port.gone(NIGHTLY)


@pytest.mark.asyncio
@pytest.mark.parametrize("word", ["deleteBackup", "forceDeleteBackup"])
async def test_one_that_backed_off_goes_at_once(word: str) -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly", {"includedNamespaces": ["other"]})
        await port.until("nightly", is_phase("BackingOff"))
        await port.patch("nightly", {"spec": {word: True}})
        await port.gone(NIGHTLY)
        assert await port.backups() == {}


@pytest.mark.asyncio
@pytest.mark.parametrize("spec", [{}, {"deleteBackup": True}, {"forceDeleteBackup": True}])
async def test_a_namespace_that_is_deleted_goes_whatever_the_server_does(spec: Object) -> None:
    async with pilot() as port, port.running():
        name = await created(port)
        if spec:
            await port.patch("nightly", {"spec": spec})
        await port.kube.client.delete(f"/api/v1/namespaces/{TENANT}")
        await port.gone(NIGHTLY)
        assert await port.is_there(f"{BACKUPS}/{name}") is ("forceDeleteBackup" not in spec)
        assert len(await port.requests()) == int("deleteBackup" in spec)


@pytest.mark.asyncio
async def test_a_namespace_that_is_deleted_after_kubectl_delete_goes() -> None:
    async with pilot() as port, port.running():
        name = await created(port)
        await port.delete("nightly")
        await port.until("nightly", is_phase("Deleting"))
        await port.quiet()
        await port.kube.client.delete(f"/api/v1/namespaces/{TENANT}")
        await port.gone(NIGHTLY)
        assert await port.is_there(f"{BACKUPS}/{name}")


@pytest.mark.asyncio
async def test_who_takes_the_finalizer_away_gets_rid_of_the_object_and_keeps_the_backup() -> None:
    async with pilot() as port, port.running():
        name = await created(port)
        await port.delete("nightly")
        one = await port.until("nightly", is_phase("Deleting"))
        assert one["metadata"]["finalizers"] == [FINALIZER]
        await port.patch("nightly", {"metadata": {"finalizers": None}})
        await port.gone(NIGHTLY)
        assert await port.is_there(f"{BACKUPS}/{name}")


async def replace(port: Pilot, **spec: Any) -> None:
    """Put the object as kubectl replace does: nothing is left that the manifest does not have."""
    version = (await port.get("nightly"))["metadata"]["resourceVersion"]
    wanted = manifest("nightly", metadata={"resourceVersion": version}, **spec)
    await port.kube.client.replace(NIGHTLY, wanted)


@pytest.mark.asyncio
async def test_a_replacement_of_the_object_does_not_free_it_from_us() -> None:
    async with pilot() as port, port.running():
        await created(port)
        await replace(port)
        one = await port.until("nightly", lambda one: "finalizers" in one["metadata"])
        assert one["metadata"]["finalizers"] == [FINALIZER]
        await port.delete("nightly")
        await port.until("nightly", is_phase("Deleting"))


@pytest.mark.asyncio
@pytest.mark.parametrize("word", ["deleteBackup", "forceDeleteBackup"])
async def test_a_word_that_comes_with_a_replacement_takes_the_backup_along(word: str) -> None:
    async with pilot() as port, port.running():
        name = await created(port)
        await replace(port, **{word: True})
        if word == "deleteBackup":
            await port.until("nightly", lambda one: "veleroDeleteBackupRequest" in status(one))
            await port.kube.client.delete(f"{BACKUPS}/{name}")
        await port.gone(f"{BACKUPS}/{name}")
        await port.gone(NIGHTLY)


@pytest.mark.asyncio
async def test_where_the_backup_is_gone_kubectl_delete_needs_no_further_word() -> None:
    async with pilot() as port, port.running():
        name = await created(port)
        await port.kube.client.delete(f"{BACKUPS}/{name}")
        one = await port.until("nightly", lambda one: "removed" in message(one, "Accepted"))
        assert conditions(one)[0] == "Accepted=False/VeleroBackupNotFound"
        await port.delete("nightly")
        await port.gone(NIGHTLY)
