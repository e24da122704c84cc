"""Downloads of one's own backups and restores, and of nobody else's."""

import pytest

from kedge.client import Client
from kedge.controllers.nadr.controller import NadrSettings, add_to
from kedge.controllers.nadr.rights import AT_HOME, RIGHTS
from kedge.kube.kind import Object
from kedge.runtime import Manager
from tests.integration.controllers.harbour import Events
from tests.integration.selfservice.quay import (
    BACKUPS,
    DOWNLOADS,
    HOME,
    LOCATIONS,
    OTHER,
    RESTORES,
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

NEEDED_HERE = (
    "backups",
    "restores",
    "backupstoragelocations",
    "downloadrequests",
    "nonadminbackups",
    "nonadminrestores",
    "nonadmindownloadrequests",
)
NADRS = own("downloadrequests")
NABS = own("backups")
NARS = own("restores")
MINE = f"{TENANT}-mine-{UUID}"
"""The location of the tenant's."""
URL = "https://example.com/file?signature=x"


def adding(manager: Manager, client: Client, events: Events) -> None:
    add_to(manager, client, events, NadrSettings(HOME))


async def save(port: Quay, name: str, location: str, namespace: str = TENANT) -> str:
    """Make a NonAdminBackup and its Velero Backup, as they are when it is done."""
    nabs, nacuuid = own("backups", namespace), f"{namespace}-{name}-{UUID}"
    spec = {"backupSpec": {"storageLocation": "mine"}}
    made = await port.make(nabs, {"metadata": {"name": name}, "spec": spec})
    told = {"nacuuid": nacuuid, "name": nacuuid, "spec": {"storageLocation": location}}
    now = {"phase": "Created", "veleroBackup": told}
    meta = marks("nab", nacuuid, namespace, name, made["metadata"]["uid"])
    backup = {"metadata": {"name": nacuuid, **meta}, "spec": {"storageLocation": location}}
    await port.make(BACKUPS, backup)
    await port.patch(f"{nabs}/{name}/status", {"status": now})
    return nacuuid


async def prepare(port: Quay) -> None:
    """Make a bucket of the tenant's, one of the rival's, and one of the administrator's."""
    storage = {"provider": "aws", "objectStorage": {"bucket": "x"}}
    theirs = f"{OTHER}-mine-{UUID}"
    for name, meta in (
        (MINE, marks("nabsl", MINE, TENANT, "mine")),
        (theirs, marks("nabsl", theirs, OTHER, "mine")),
        ("default", {}),
    ):
        await port.make(LOCATIONS, {"metadata": {"name": name, **meta}, "spec": storage})


async def ask(port: Quay, name: str, kind: str, target: str) -> Object:
    spec = {"target": {"kind": kind, "name": target}}
    return await port.make(NADRS, {"metadata": {"name": name}, "spec": spec})


async def answer(port: Quay, made: Object, url: str = URL) -> Object:
    """Answer as the server does; give the DownloadRequest."""
    path = f"{DOWNLOADS}/nadr-{made['metadata']['uid']}"
    found = await port.appears(path)
    now = {"phase": "Processed", "downloadURL": url, "expiration": "2030-01-01T00:10:00Z"}
    await port.set_status(path, now)
    return found


async def test_a_url_is_passed_on_and_goes_when_its_time_is_over() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        nacuuid = await save(port, "nightly", MINE)
        made = await ask(port, "log", "BackupLog", "nightly")
        found = await answer(port, made)
        assert found["spec"] == {"target": {"kind": "BackupLog", "name": nacuuid}}
        one = await port.until(f"{NADRS}/log", is_phase("Created"))
        assert conditions(one) == ["Processed=True/Success"]
        assert status(one)["velero"]["status"]["downloadURL"] == URL
        await port.quiet()
        assert port.writes() == [
            "POST downloadrequests",
            "PATCH nonadmindownloadrequests/status",
        ]
        await port.pass_time(minutes=9)
        assert await port.is_there(f"{NADRS}/log")
        await port.pass_time(minutes=2)
        await port.gone(f"{NADRS}/log")
        await port.gone(f"{DOWNLOADS}/{found['metadata']['name']}")


@pytest.mark.parametrize("is_answered", [False, True])
async def test_an_edit_asks_for_another_file_and_gets_no_url_of_the_first(
    is_answered: bool,
) -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        nacuuid = await save(port, "nightly", MINE)
        made = await ask(port, "file", "BackupLog", "nightly")
        path = f"{DOWNLOADS}/nadr-{made['metadata']['uid']}"
        first = await port.appears(path)
        if is_answered:
            await answer(port, made)
            await port.until(f"{NADRS}/file", is_phase("Created"))
        await port.quiet()
        await port.patch(f"{NADRS}/file", {"spec": {"target": {"kind": "BackupResults"}}})
        await port.quiet()
        second = await port.get(path)
        assert second["spec"] == {"target": {"kind": "BackupResults", "name": nacuuid}}
        assert second["metadata"]["uid"] != first["metadata"]["uid"]
        await answer(port, made, "https://example.com/results")
        one = await port.until(f"{NADRS}/file", lambda one: "results" in str(status(one)))
        assert status(one)["velero"]["status"]["downloadURL"] == "https://example.com/results"
        assert status(one)["conditions"][0]["observedGeneration"] == 2


async def test_an_edit_to_what_there_is_not_leaves_no_url() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        await save(port, "nightly", MINE)
        made = await ask(port, "file", "BackupLog", "nightly")
        await answer(port, made)
        await port.until(f"{NADRS}/file", is_phase("Created"))
        await port.patch(f"{NADRS}/file", {"spec": {"target": {"name": "nobody"}}})
        await port.quiet()
        one = await port.get(f"{NADRS}/file")
        assert conditions(one) == ["NonAdminBackupNotAvailable=True/Error"]
        assert "velero" not in status(one)
        assert await port.names(DOWNLOADS) == []


async def test_the_end_of_a_request_is_that_of_the_servers_even_after_a_restart() -> None:
    async with quay(adding, NEEDED_HERE) as port:
        async with port.running():
            await prepare(port)
            await save(port, "nightly", MINE)
            first = await ask(port, "first", "BackupLog", "nightly")
            second = await ask(port, "second", "BackupLog", "nightly")
            await port.appears(f"{DOWNLOADS}/nadr-{first['metadata']['uid']}")
            await port.appears(f"{DOWNLOADS}/nadr-{second['metadata']['uid']}")
            await port.quiet()
            await port.delete(f"{NADRS}/first")
            await port.gone(f"{DOWNLOADS}/nadr-{first['metadata']['uid']}")
        await port.delete(f"{NADRS}/second")
        await port.make(DOWNLOADS, {"metadata": {"name": "velero-own"}, "spec": {
            "target": {"kind": "BackupLog", "name": "x"}}})  # fmt: skip
        async with port.running():
            await port.gone(f"{DOWNLOADS}/nadr-{second['metadata']['uid']}")
            assert await port.names(DOWNLOADS) == ["velero-own"]


async def test_files_of_restores_are_those_of_what_was_really_restored() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        mine = await save(port, "nightly", MINE)
        admins = await save(port, "weekly", "default")
        for name, backup in (("good", mine), ("bad", admins)):
            nacuuid = f"{TENANT}-{name}-{UUID}"
            spec = {"restoreSpec": {"backupName": "nightly"}}
            made = await port.make(NARS, {"metadata": {"name": name}, "spec": spec})
            meta = marks("nar", nacuuid, TENANT, name, made["metadata"]["uid"])
            restore = {"metadata": {"name": nacuuid, **meta}, "spec": {"backupName": backup}}
            await port.make(RESTORES, restore)
            now = {"phase": "Created", "veleroRestore": {"nacuuid": nacuuid}}
            await port.patch(f"{NARS}/{name}/status", {"status": now})
        good = await ask(port, "good", "RestoreLog", "good")
        found = await answer(port, good)
        name = f"{TENANT}-good-{UUID}"
        assert found["spec"] == {"target": {"kind": "RestoreLog", "name": name}}
        await ask(port, "bad", "RestoreResults", "bad")
        one = await port.until(f"{NADRS}/bad", is_phase("BackingOff"))
        assert conditions(one) == ["NonAdminBackupStorageLocationNotUsed=True/Error"]
        await port.make(NARS, {"metadata": {"name": "new"}, "spec": {
            "restoreSpec": {"backupName": "nightly"}}})  # fmt: skip
        await ask(port, "new", "RestoreLog", "new")
        one = await port.until(f"{NADRS}/new", is_phase("BackingOff"))
        assert message(one, "NonAdminRestoreNotAvailable") == "cannot get nonadminrestore"


async def test_a_bucket_that_is_not_ones_own_is_closed_whatever_the_spec_says() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        # Their specs all name the tenant's own bucket: they can be edited, the backups can not.
        await save(port, "admins", "default")
        await save(port, "theirs", f"{OTHER}-mine-{UUID}")
        await save(port, "nowhere", "gone")
        for name in ("admins", "theirs", "nowhere"):
            await ask(port, name, "BackupContents", name)
            one = await port.until(f"{NADRS}/{name}", is_phase("BackingOff"))
            assert message(one, "NonAdminBackupStorageLocationNotUsed") == (
                "backup does not use nonadminbackupstoragelocation, recreate nadr to process"
            )
        assert await port.names(DOWNLOADS) == []


async def test_a_backup_of_a_bucket_is_ones_own_though_the_label_is_gone() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        name = await save(port, "nightly", MINE)
        note = {"kedge.dev/origin-uid": "of-an-earlier-life"}
        await port.patch(f"{BACKUPS}/{name}", {"metadata": {"annotations": note}})
        await ask(port, "early", "BackupLog", "nightly")
        refused = await port.until(f"{NADRS}/early", is_phase("BackingOff"))
        assert conditions(refused) == ["NonAdminBackupNotAvailable=True/Error"]
        told = {
            "type": "Queued",
            "status": "True",
            "reason": "BackupScheduled",
            "message": "Created Velero Backup object",
            "lastTransitionTime": "2029-01-01T00:00:00Z",
        }
        await port.patch(f"{NABS}/nightly/status", {"status": {"conditions": [told]}})
        await answer(port, await ask(port, "log", "BackupLog", "nightly"))
        await port.until(f"{NADRS}/log", is_phase("Created"))


async def test_a_status_that_was_forged_opens_nothing() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        theirs = await save(port, "nightly", f"{OTHER}-mine-{UUID}", OTHER)
        neighbour = await save(port, "other", MINE)
        for name, forged in (("a", theirs), ("b", neighbour), ("c", "../x"), ("d", "gone")):
            await port.make(NABS, {"metadata": {"name": name}, "spec": {"backupSpec": {}}})
            now = {"phase": "Created", "veleroBackup": {"nacuuid": forged}}
            await port.patch(f"{NABS}/{name}/status", {"status": now})
            await ask(port, name, "BackupContents", name)
            one = await port.until(f"{NADRS}/{name}", is_phase("BackingOff"))
            assert message(one, "NonAdminBackupNotAvailable") == "cannot get nonadminbackup"
        assert await port.names(DOWNLOADS) == []


async def test_what_comes_later_is_waited_for_and_odd_requests_do_no_harm() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        await port.make(NADRS, {"metadata": {"name": "bare"}})
        made = await ask(port, "log", "BackupLog", "nightly")
        one = await port.until(f"{NADRS}/log", is_phase("BackingOff"))
        assert conditions(one) == ["NonAdminBackupNotAvailable=True/Error"]
        await save(port, "nightly", MINE)
        await answer(port, made)
        one = await port.until(f"{NADRS}/log", is_phase("Created"))
        assert conditions(one) == ["Processed=True/Success"]
        assert phase(await port.get(f"{NADRS}/bare")) == ""


async def test_all_rights_are_used_and_no_others_are_needed() -> None:
    async with quay(adding, NEEDED_HERE) as port, port.running():
        await prepare(port)
        await save(port, "nightly", MINE)
        await answer(port, await ask(port, "log", "BackupLog", "nightly"))
        await port.until(f"{NADRS}/log", is_phase("Created"))
        await port.make(NARS, {"metadata": {"name": "r"}, "spec": {"restoreSpec": {}}})
        now = {"phase": "Created", "veleroRestore": {"nacuuid": "gone"}}
        await port.patch(f"{NARS}/r/status", {"status": now})
        await ask(port, "restore", "RestoreLog", "r")
        await port.until(f"{NADRS}/restore", is_phase("BackingOff"))
        await port.pass_time(minutes=11)
        await port.gone(f"{NADRS}/log")
        granted = {(one.group, one.resource, verb) for one in RIGHTS for verb in one.verbs}
        assert port.asked() == granted
        home = {(one.group, one.resource) for one in AT_HOME}
        for call in port.proxy.calls:
            aim = call.request.aim
            assert (aim.group, aim.plural) not in home or aim.namespace == HOME
