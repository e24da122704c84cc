"""Caches that lag, others who write, and two controllers at once: nothing is done twice."""

import asyncio

import pytest

from kedge.client import Selection
from kedge.controllers.nab.heads import BACKUPS as BACKUP_KIND
from kedge.controllers.nab.rights import EVERYWHERE, RIGHTS
from kedge.runtime import Keeping, Key
from kedge.testing import faults
from tests.integration.definitions import anything
from tests.integration.eventually import pause
from tests.integration.selfservice.pilot import (
    BACKUPS,
    HOME,
    SYNCED,
    Pilot,
    conditions,
    controlling,
    is_phase,
    message,
    nabs,
    nacuuid,
    phase,
    pilot,
    position,
    status,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

WORKING = "WaitingForPluginOperations"
MOVED = {"backupItemOperationsAttempted": 3}
UPLOADS = f"/apis/velero.io/v2alpha1/namespaces/{HOME}/datauploads"
UPLOAD_KIND = anything("velero.io", "v2alpha1", "datauploads", "DataUpload")

NABS = faults.matches(watch=True, resource="nonadminbackups")
BACKUP_WATCH = faults.matches(watch=True, resource="backups")
FOUR = ["PUT nightly/status", "PUT nightly", "POST backups", "PUT nightly/status"]


@pytest.mark.parametrize("fault", [faults.AnswerFirst(), faults.EventFirst()])
async def test_an_answer_before_its_event_and_an_event_before_its_answer_are_the_same(
    fault: faults.Fault,
) -> None:
    async with pilot() as port, port.running():
        port.proxy.inject(fault, faults.matches(write=True))
        await port.ask("nightly")
        await port.until("nightly", is_phase("Created"))
        await port.quiet()
        assert port.writes() == FOUR
        assert {code for call in port.proxy.calls for code in call.answered} <= {200, 201, 404}


async def test_a_cache_of_ours_that_lags_leads_to_no_second_write_and_no_conflict() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly")
        await port.until("nightly", lambda one: "status" in one)
        hold = port.proxy.hold(NABS)
        name = nacuuid(await port.until("nightly", is_phase("Created")))
        await port.set_status(f"{BACKUPS}/{name}", {"phase": "InProgress"})
        await port.until(
            "nightly",
            lambda one: status(one)["veleroBackup"].get("status") == {"phase": "InProgress"},
        )
        await port.quiet()
        hold.release()
        await port.quiet()
        assert port.writes() == [*FOUR, "PUT nightly/status"]
        assert 409 not in {code for call in port.proxy.calls for code in call.answered}


async def test_a_cache_of_backups_that_lags_does_not_make_one_lost_or_made_twice() -> None:
    async with pilot() as port, port.running():
        hold = port.proxy.hold(BACKUP_WATCH)
        await port.ask("nightly")
        await port.until("nightly", is_phase("Created"))
        await port.patch("nightly", {"spec": {"backupSpec": {"ttl": "1h"}}})
        one = await port.until(
            "nightly", lambda one: status(one)["conditions"][0]["observedGeneration"] == 2
        )
        assert conditions(one) == ["Accepted=True/BackupAccepted", "Queued=True/BackupScheduled"]
        hold.release()
        await port.quiet()
        assert len(await port.backups()) == 1


LOST = {"phase": None, "conditions": None, "veleroBackup": None, "queueInfo": None}


async def test_a_status_that_is_lost_is_no_reason_to_run_a_backup_again() -> None:
    async with pilot() as port:
        async with port.running():
            await port.ask("nightly")
            await port.ask("other")
            name = nacuuid(await port.until("nightly", is_phase("Created")))
            await port.until("other", is_phase("Created"))
            await port.finish("nightly")
        await port.kube.client.patch(f"{nabs()}/nightly/status", {"status": LOST})
        async with port.running():
            one = await port.until("nightly", is_phase("Created"))
        assert nacuuid(one) == name
        assert conditions(one)[-1] == "Succeeded=True/BackupCompleted"
        assert len(await port.backups()) == 2


async def test_who_has_lost_its_status_can_still_have_its_backup_deleted() -> None:
    async with pilot() as port:
        async with port.running():
            await port.ask("nightly")
            name = nacuuid(await port.until("nightly", is_phase("Created")))
        await port.kube.client.patch(f"{nabs()}/nightly/status", {"status": LOST})
        await port.patch("nightly", {"spec": {"deleteBackup": True}})
        async with port.running():
            one = await port.until(
                "nightly", lambda one: "veleroDeleteBackupRequest" in status(one)
            )
            assert status(one)["veleroDeleteBackupRequest"]["nacuuid"] == name
            [request] = await port.requests()
            assert request["spec"] == {"backupName": name}
            await port.kube.client.delete(f"{BACKUPS}/{name}")
            await port.gone(f"{nabs()}/nightly")


async def test_a_request_that_no_cache_shows_yet_goes_with_its_backup() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly")
        await port.until("nightly", is_phase("Created"))
        hold = port.proxy.hold(faults.matches(watch=True, resource="deletebackuprequests"))
        await port.patch("nightly", {"spec": {"deleteBackup": True}})
        await port.until("nightly", lambda one: "veleroDeleteBackupRequest" in status(one))
        await port.patch("nightly", {"spec": {"forceDeleteBackup": True}})
        await port.gone(f"{nabs()}/nightly")
        assert await port.requests() == []
        hold.release()


async def test_a_backup_of_a_cache_that_lags_is_not_kept_from_its_deletion() -> None:
    async with pilot() as port, port.running():
        hold = port.proxy.hold(BACKUP_WATCH)
        await port.ask("nightly")
        await port.until("nightly", is_phase("Created"))
        await port.patch("nightly", {"spec": {"forceDeleteBackup": True}})
        await port.gone(f"{nabs()}/nightly")
        assert await port.backups() == {}
        hold.release()


@pytest.mark.parametrize("word", ["deleteBackup", "forceDeleteBackup"])
async def test_a_word_that_was_taken_back_before_it_was_heard_has_no_effect(word: str) -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly")
        await port.until("nightly", is_phase("Created"))
        await port.quiet()
        hold = port.proxy.hold(NABS)
        await port.patch("nightly", {"spec": {word: True}})
        await port.patch("nightly", {"spec": {word: False}})
        hold.release()
        await port.quiet()
        one = await port.get("nightly")
        assert phase(one) == "Created"
        assert "deletionTimestamp" not in one["metadata"]
        assert len(await port.backups()) == 1
        assert await port.requests() == []


async def test_an_object_that_was_made_anew_under_its_name_is_another_one() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly", {"excludedNamespaces": []})
        await port.until("nightly", is_phase("BackingOff"))
        await port.quiet()
        hold = port.proxy.hold(NABS)
        await port.delete("nightly")
        await port.ask("nightly")
        hold.release()
        one = await port.until("nightly", is_phase("Created"))
        assert conditions(one) == ["Accepted=True/BackupAccepted", "Queued=True/BackupScheduled"]


async def test_somebody_who_writes_all_the_time_is_not_overwritten() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly")
        for number in range(20):
            await port.patch("nightly", {"metadata": {"annotations": {"n": str(number)}}})
        await port.pass_time(seconds=1)
        one = await port.until("nightly", is_phase("Created"))
        await port.quiet()
        one = await port.get("nightly")
        assert one["metadata"]["annotations"] == {"n": "19"}
        assert len(await port.backups()) == 1


async def test_two_controllers_at_once_make_each_backup_and_each_request_once() -> None:
    async with (
        pilot() as port,
        port.running(),
        controlling(port.proxy.url, port.clock, port.events, port.settings),
    ):
        for number in range(6):
            await port.ask(f"n{number}")
        names = [
            nacuuid(await port.until(f"n{number}", is_phase("Created"))) for number in range(6)
        ]
        for _ in range(5):
            await port.pass_time(seconds=1)
        assert sorted(await port.backups()) == sorted(names)
        await port.patch("n0", {"spec": {"deleteBackup": True}})
        await port.patch("n1", {"spec": {"forceDeleteBackup": True}})
        await port.gone(f"{nabs()}/n1")
        for _ in range(5):
            await port.pass_time(seconds=1)
        assert [one["spec"]["backupName"] for one in await port.requests()] == [names[0]]
        await port.kube.client.delete(f"{BACKUPS}/{names[0]}")
        await asyncio.wait_for(port.gone(f"{nabs()}/n0"), 30)
        for _ in range(8):
            await port.pass_time(seconds=1)
        found = [position(await port.get(f"n{number}")) for number in range(2, 6)]
        assert sorted(found, key=str) == [1, 2, 3, 4]


async def test_all_rights_are_used_and_no_others_are_needed() -> None:
    asked: set[tuple[str, str, str]] = set()
    for kinds in (None, stock_crds()):
        async with pilot(kinds) as port:
            async with port.running():
                await port.ask("bad", {"excludedNamespaces": []})
                await port.ask("nightly")
                await port.ask("weekly")
                await port.ask("spoof", metadata={"labels": {SYNCED: "nobody"}})
                for name in ("nightly", "weekly"):
                    await port.until(name, is_phase("Created"))
                await port.patch("nightly", {"spec": {"deleteBackup": True}})
                await port.until(
                    "nightly", lambda one: "veleroDeleteBackupRequest" in one.get("status", {})
                )
                hold = port.proxy.hold(faults.matches(watch=True, resource="deletebackuprequests"))
                for one in await port.requests():
                    path = f"/apis/velero.io/v1/namespaces/{HOME}/deletebackuprequests"
                    await port.kube.client.delete(f"{path}/{one['metadata']['name']}")
                hold.release()
                await port.quiet()
                await port.patch("nightly", {"spec": {"forceDeleteBackup": True}})
                await port.gone(f"{nabs()}/nightly")
            for call in port.proxy.calls:
                aim = call.request.aim
                if aim.plural:
                    resource = f"{aim.plural}/{aim.subresource}" if aim.subresource else aim.plural
                    asked.add((aim.group, resource, aim.verb))
                    is_home = aim.group == "velero.io" or aim.plural == "configmaps"
                    assert aim.namespace == HOME if is_home else True
    granted = {
        (one.group, one.resource, verb) for one in (*EVERYWHERE, *RIGHTS) for verb in one.verbs
    }
    assert asked == granted - {("velero.io", "datauploads", "list")}


def uploads_asked(port: Pilot) -> int:
    return len([call for call in port.proxy.calls if "datauploads" in call.path])


async def test_data_uploads_are_asked_for_where_data_is_moved_and_not_again_where_none_are() -> (
    None
):
    async with pilot() as port, port.running():
        await port.ask("nightly")
        name = nacuuid(await port.until("nightly", is_phase("Created")))
        await port.set_status(f"{BACKUPS}/{name}", {"phase": "InProgress"})
        await port.quiet()
        assert uploads_asked(port) == 0
        for done in range(5):
            told = {"phase": WORKING, **MOVED, "backupItemOperationsCompleted": done}
            await port.set_status(f"{BACKUPS}/{name}", told)
            await port.quiet()
        # The cluster does not have that kind.
        assert uploads_asked(port) == 1
        assert "dataMoverDataUploads" not in status(await port.get("nightly"))
        await port.pass_time(seconds=59)
        assert uploads_asked(port) == 1


async def test_data_uploads_are_counted_while_data_is_moved() -> None:
    async with pilot() as port:
        await port.kube.define(UPLOAD_KIND)
        async with port.running():
            await port.ask("nightly")
            name = nacuuid(await port.until("nightly", is_phase("Created")))
            for number, state in enumerate(["Accepted", "InProgress", "Completed"]):
                meta = {"name": f"u{number}", "labels": {"velero.io/backup-name": name}}
                made = {"apiVersion": "velero.io/v2alpha1", "kind": "DataUpload", "metadata": meta}
                await port.kube.client.create(UPLOADS, {**made, "status": {"phase": state}})
            await port.set_status(f"{BACKUPS}/{name}", {"phase": WORKING, **MOVED})
            await port.quiet()
            counted = {"total": 3, "accepted": 1, "inProgress": 1, "completed": 1}
            assert status(await port.get("nightly"))["dataMoverDataUploads"] == counted
            await port.kube.client.patch(f"{UPLOADS}/u0", {"status": {"phase": "Completed"}})
            await port.pass_time(seconds=6)
            counted = {"total": 3, "inProgress": 1, "completed": 2}
            assert status(await port.get("nightly"))["dataMoverDataUploads"] == counted
            await port.finish("nightly")
            await port.pass_time(seconds=6)
            before = uploads_asked(port)
            await port.pass_time(seconds=60)
            assert uploads_asked(port) == before


async def test_a_message_tells_the_user_what_was_wrong_in_the_words_of_the_rule() -> None:
    async with pilot() as port, port.running():
        await port.ask("nightly", {"volumeSnapshotLocations": ["x"]})
        one = await port.until("nightly", is_phase("BackingOff"))
        assert message(one, "Accepted") == (
            "NonAdminBackup spec.backupSpec.volumeSnapshotLocations is restricted"
        )


@pytest.mark.parametrize("is_replaced", [True, False])
@pytest.mark.parametrize("is_edited", [True, False])
async def test_one_that_is_gone_before_its_answer_has_come_is_not_made_again(
    is_replaced: bool, is_edited: bool
) -> None:
    async with pilot() as port, port.running() as manager:
        seen = manager.cache(BACKUP_KIND, Keeping(Selection(HOME)))
        hold = port.proxy.hold(faults.matches(method="POST", resource="backups"))
        await port.ask("nightly")
        name = nacuuid(await port.until("nightly", lambda one: "veleroBackup" in status(one)))
        while not await port.backups():
            await pause(0.01)
        await port.kube.client.delete(f"{BACKUPS}/{name}")
        stranger = {"apiVersion": "velero.io/v1", "kind": "Backup", "spec": {}}
        if is_replaced:
            await port.kube.client.create(BACKUPS, {**stranger, "metadata": {"name": name}})
        await port.kube.client.create(BACKUPS, {**stranger, "metadata": {"name": "later"}})
        while Key(HOME, "later") not in seen:
            await pause(0.01)
        if is_edited:  # so that it can not be told at once that it was made
            await port.patch("nightly", {"metadata": {"annotations": {"seen": "yes"}}})
        hold.release()
        found = await port.until("nightly", lambda one: "NotFound" in str(conditions(one)))
        assert "Queued=True/BackupScheduled" in conditions(found)
        if is_replaced:
            await port.kube.client.delete(f"{BACKUPS}/{name}")
        await port.quiet()
        assert port.writes().count("POST backups") == 1
