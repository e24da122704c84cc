"""Nobody reaches what is another's: neither by labels, nor by a status, nor by a bucket."""

from typing import Any

import pytest

from kedge.kube.kind import Object
from tests.integration.selfservice.passage import backup, name_of
from tests.integration.selfservice.pilot import (
    BACKUPS,
    HOME,
    SYNCED,
    TENANT,
    Pilot,
    conditions,
    is_phase,
    manifest,
    message,
    nabs,
    nacuuid,
    observed,
    phase,
    pilot,
    position,
    status,
)

pytestmark = pytest.mark.asyncio

NO_SOURCE = "related Velero Backup to be synced from does not exist"


async def victim_of(port: Pilot) -> str:
    """Make a NonAdminBackup in another namespace; give the name of its Velero Backup."""
    await port.ask("nightly", namespace="other")
    return nacuuid(await port.until("nightly", is_phase("Created"), "other"))


async def is_untouched(port: Pilot, name: str) -> bool:
    await port.quiet()
    return await port.is_there(f"{BACKUPS}/{name}") and not await port.requests()


@pytest.mark.parametrize("spec", [{}, {"deleteBackup": True}, {"forceDeleteBackup": True}])
async def test_a_label_does_not_lead_to_the_backup_of_another_namespace(spec: Object) -> None:
    async with pilot() as port, port.running():
        name = await victim_of(port)
        meta = {"labels": {SYNCED: name}}
        await port.ask("nightly", metadata=meta, **spec)
        if spec:
            await port.gone(f"{nabs()}/nightly")
        else:
            one = await port.until("nightly", is_phase("BackingOff"))
            assert message(one, "Accepted") == NO_SOURCE
            assert "veleroBackup" not in status(one)
            await port.delete("nightly")
            await port.gone(f"{nabs()}/nightly")
        assert await is_untouched(port, name)
        assert phase(await port.get("nightly", "other")) == "Created"


async def test_a_label_for_a_backup_that_there_is_says_no_more_than_one_for_none() -> None:
    async with pilot() as port, port.running():
        name = await victim_of(port)
        await port.ask("real", metadata={"labels": {SYNCED: name}})
        await port.ask("made-up", metadata={"labels": {SYNCED: "nobody"}})
        real = await port.until("real", is_phase("BackingOff"))
        made_up = await port.until("made-up", is_phase("BackingOff"))
        assert message(real, "Accepted") == message(made_up, "Accepted") == NO_SOURCE


async def test_a_label_does_not_lead_to_the_backup_of_a_neighbour() -> None:
    async with pilot() as port, port.running():
        await port.ask("first")
        name = nacuuid(await port.until("first", is_phase("Created")))
        await port.ask("second", metadata={"labels": {SYNCED: name}}, forceDeleteBackup=True)
        await port.gone(f"{nabs()}/second")
        assert await is_untouched(port, name)


@pytest.mark.parametrize("word", ["deleteBackup", "forceDeleteBackup"])
async def test_a_status_that_was_forged_does_not_lead_to_anothers_backup(word: str) -> None:
    async with pilot() as port:
        async with port.running():
            name = await victim_of(port)
        words: dict[str, Any] = {word: True}
        await port.ask("nightly", metadata={"finalizers": [finalizer()]}, **words)
        forged = {
            "phase": "Created",
            "veleroBackup": {"nacuuid": name, "name": name, "namespace": HOME},
        }
        await port.kube.client.patch(f"{nabs()}/nightly/status", {"status": forged})
        async with port.running():
            await port.gone(f"{nabs()}/nightly")
            assert await is_untouched(port, name)


def finalizer() -> str:
    return "nonadminbackup.oadp.openshift.io/finalizer"


@pytest.mark.parametrize("forged", ["victim", "../..", "a/b", "", "x" * 300])
async def test_a_status_that_was_forged_shows_nothing_of_anothers_backup(forged: str) -> None:
    async with pilot() as port:
        async with port.running():
            name = await victim_of(port)
            await port.finish_of(name, failureReason="their secret")
        forged = name if forged == "victim" else forged
        await port.ask("nightly")
        now = {"veleroBackup": {"nacuuid": forged, "name": forged, "namespace": HOME}}
        await port.kube.client.patch(f"{nabs()}/nightly/status", {"status": now})
        async with port.running():
            one = await port.until("nightly", lambda one: phase(one) in ("BackingOff", "Created"))
            await port.quiet()
            assert "their secret" not in str(await port.get("nightly"))
            if forged:
                assert message(one, "Accepted") == (
                    "related Velero Backup does not point to NonAdminBackup namespace"
                )
                assert port.writes()[-1] != "POST backups"


async def test_the_status_of_a_backup_is_not_told_to_who_forges_an_origin_in_a_bucket() -> None:
    """A bucket of one's own can hold a Backup that names another's object as its origin."""
    async with pilot() as port, port.running():
        await port.ask("nightly")
        mine = nacuuid(await port.until("nightly", is_phase("Created")))
        forged = backup("nightly", 1, "")
        forged["metadata"]["labels"]["openshift.io/oadp-nab-origin-nacuuid"] = mine
        await port.kube.client.create(BACKUPS, forged)
        await port.set_status(f"{BACKUPS}/{name_of(1)}", {"phase": "Failed"})
        await port.quiet()
        await port.finish("nightly")
        one = await port.until("nightly", lambda one: position(one) == 0)
        assert "Succeeded=True/BackupCompleted" in conditions(one)
        await port.patch("nightly", {"spec": {"forceDeleteBackup": True}})
        await port.gone(f"{nabs()}/nightly")
        assert await port.is_there(f"{BACKUPS}/{name_of(1)}")
        assert not await port.is_there(f"{BACKUPS}/{mine}")


async def test_a_namesake_of_an_earlier_object_has_no_claim_on_its_backup() -> None:
    async with pilot() as port:
        await port.ask("nightly", metadata={"finalizers": [finalizer()]}, forceDeleteBackup=True)
        await port.kube.client.create(BACKUPS, backup("nightly", 1, "of-an-earlier-one"))
        forged = {"veleroBackup": {"nacuuid": name_of(1), "name": name_of(1), "namespace": HOME}}
        await port.kube.client.patch(f"{nabs()}/nightly/status", {"status": forged})
        async with port.running():
            await port.gone(f"{nabs()}/nightly")
            assert await is_untouched(port, name_of(1))


async def test_a_backup_that_is_there_is_taken_up_by_who_it_names() -> None:
    async with pilot() as port, port.running():
        await port.kube.client.create(BACKUPS, backup("old", 1, "of-another-life"))
        await port.set_status(f"{BACKUPS}/{name_of(1)}", {"phase": "Completed"})
        before = len(port.proxy.calls)
        await port.kube.client.create(
            nabs(), manifest("old", {"ttl": "1h"}, {"labels": {SYNCED: name_of(1)}})
        )
        one = await port.until("old", is_phase("Created"))
        await port.quiet()
        assert conditions(one) == [
            "Queued=True/BackupScheduled",
            "Succeeded=True/BackupCompleted",
        ]
        assert position(one) == 0
        assert port.writes(before) == ["PUT old/status", "PUT old"]
        assert list(await port.backups()) == [name_of(1)]
        await port.patch("old", {"spec": {"deleteBackup": True}})
        await port.until("old", lambda one: "veleroDeleteBackupRequest" in one.get("status", {}))
        await port.kube.client.delete(f"{BACKUPS}/{name_of(1)}")
        await port.gone(f"{nabs()}/old")


async def test_whose_label_is_taken_off_keeps_its_backup_and_can_delete_it() -> None:
    async with pilot() as port, port.running():
        await port.kube.client.create(BACKUPS, backup("old", 1, "of-another-life"))
        await port.finish_of(name_of(1))
        await port.ask("old", metadata={"labels": {SYNCED: name_of(1)}})
        await port.until("old", is_phase("Created"))
        await port.patch("old", {"metadata": {"labels": None}})
        await port.patch("old", {"spec": {"backupSpec": {"ttl": "1h"}}})
        one = await port.until("old", lambda one: observed(one, "Succeeded") == 2)
        assert conditions(one)[-1] == "Succeeded=True/BackupCompleted"
        await port.delete("old")
        one = await port.until("old", is_phase("Deleting"))
        await port.quiet()
        assert await port.is_there(f"{nabs()}/old")
        await port.patch("old", {"spec": {"deleteBackup": True}})
        await port.until("old", lambda one: "veleroDeleteBackupRequest" in one.get("status", {}))
        await port.kube.client.delete(f"{BACKUPS}/{name_of(1)}")
        await port.gone(f"{nabs()}/old")


async def test_a_label_that_is_put_on_later_changes_nothing() -> None:
    async with pilot() as port, port.running():
        name = await victim_of(port)
        await port.ask("nightly")
        mine = nacuuid(await port.until("nightly", is_phase("Created")))
        await port.patch("nightly", {"metadata": {"labels": {SYNCED: name}}})
        await port.quiet()
        one = await port.get("nightly")
        assert (phase(one), nacuuid(one)) == ("Created", mine)
        await port.patch("nightly", {"spec": {"forceDeleteBackup": True}})
        await port.gone(f"{nabs()}/nightly")
        assert not await port.is_there(f"{BACKUPS}/{mine}")
        assert await is_untouched(port, name)


async def test_the_name_of_its_backup_can_not_be_changed_once_it_is_told() -> None:
    async with pilot() as port, port.running():
        name = await victim_of(port)
        await port.ask("nightly")
        await port.until("nightly", is_phase("Created"))
        with pytest.raises(Exception, match="never changes"):
            await port.kube.client.patch(
                f"{nabs()}/nightly/status", {"status": {"veleroBackup": {"nacuuid": name}}}
            )
        with pytest.raises(Exception, match="never returns"):
            await port.kube.client.patch(f"{nabs()}/nightly/status", {"status": {"phase": "New"}})


async def test_the_origin_of_every_backup_is_the_object_that_asked_for_it() -> None:
    async with pilot() as port, port.running():
        for namespace in (TENANT, "other"):
            await port.ask("nightly", namespace=namespace)
            await port.until("nightly", is_phase("Created"), namespace)
        for backup in (await port.backups()).values():
            notes = backup["metadata"]["annotations"]
            namespace = notes["openshift.io/oadp-nab-origin-namespace"]
            assert backup["spec"]["includedNamespaces"] == [namespace]
            origin = await port.get("nightly", namespace)
            assert notes["kedge.dev/origin-uid"] == origin["metadata"]["uid"]
