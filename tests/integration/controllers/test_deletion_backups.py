"""A DeleteBackupRequest takes a Backup with its files and its Restores, or says why not."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.api.velero.labels import RESTORE_FINALIZER
from kedge.archive.files import gz_json
from kedge.controllers.deletion import controller
from kedge.controllers.deletion.controller import DeletionSettings
from kedge.controllers.deletion.metrics import DeletionMetrics
from kedge.kube.kind import Object
from tests.integration.controllers.storehouse import (
    BACKUPS,
    LOCATIONS,
    REQUESTS,
    RESTORES,
    Adder,
    Parts,
    Storehouse,
    backup,
    deletion,
    keep,
    status_of,
    storehouse,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

NEEDS = ("schedules", "backups", "backupstoragelocations", "deletebackuprequests", "restores")
KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}


def add(metrics: DeletionMetrics | None = None) -> Adder:
    """Add the controller."""

    def to(parts: Parts) -> None:
        settings = DeletionSettings()
        controller.add_to(
            parts.manager, parts.client, parts.events, settings, parts.stores, metrics
        )

    return to


async def ask(port: Storehouse, name: str, of: str = "nightly", **metadata: Any) -> None:
    """Make a request, and wait until nothing more happens."""
    await port.kube.client.create(REQUESTS, deletion(name, of, **metadata))
    await port.quiet()


async def backed_up(port: Storehouse, name: str = "nightly", **status: Any) -> Object:
    """Make a Backup that has ended, with its files."""
    made = await port.kube.client.create(BACKUPS, backup(name))
    done = await port.say(f"{BACKUPS}/{name}", **{"phase": "Completed", **status})
    await keep(port.store(), done)
    return made


async def restored(port: Storehouse, name: str, of: str = "nightly", **metadata: Any) -> Object:
    """Make a Restore."""
    made = {"apiVersion": "velero.io/v1", "kind": "Restore", "spec": {"backupName": of}}
    meta = {"name": name, **metadata}
    return await port.kube.client.create(RESTORES, {**made, "metadata": meta})


async def errors(port: Storehouse, name: str) -> Sequence[str]:
    """Give the errors of a request that was processed."""
    found = await port.read(f"{REQUESTS}/{name}")
    assert status_of(found)["phase"] == "Processed"
    told: Sequence[str] = status_of(found)["errors"]
    return told


@pytest.mark.parametrize("kinds", KINDS)
async def test_a_backup_goes_with_its_files_and_its_restores(kinds: str, tmp_path: Path) -> None:
    metrics = DeletionMetrics()
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port:
        await port.available()
        await backed_up(port)
        await backed_up(port, "other")
        await restored(port, "one")
        await restored(port, "two", of="other")
        async with port.working(add(metrics)):
            await ask(port, "go")
            assert await port.names(BACKUPS) == ["other"]
            assert await port.names(RESTORES) == ["two"]
            assert await port.names(REQUESTS) == []
            assert await port.store().backups() == ["other"]
            assert port.events.reasons == ["Deleted"]
    samples = {one.name: one.value for family in metrics.collect() for one in family.samples}
    assert samples == {
        "velero_backup_deletion_attempt_total": 1,
        "velero_backup_deletion_success_total": 1,
        "velero_backup_deletion_failure_total": 0,
    }


async def test_the_backup_goes_last_and_its_restores_are_waited_for(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        made = await backed_up(port)
        await restored(port, "slow", finalizers=[RESTORE_FINALIZER])
        async with port.working(add()):
            await ask(port, "go")
            assert await port.store().backups() == []
            found = await port.read(f"{BACKUPS}/nightly")
            assert status_of(found)["phase"] == "Deleting"
            asked = await port.read(f"{REQUESTS}/go")
            assert asked is not None
            assert status_of(asked) == {"phase": "InProgress"}
            assert asked["metadata"]["labels"] == {
                "velero.io/backup-name": "nightly",
                "velero.io/backup-uid": made["metadata"]["uid"],
            }
            await port.pass_time(seconds=59)
            restore = f"{RESTORES}/slow"
            await port.kube.client.patch(restore, {"metadata": {"finalizers": None}})
            await port.quiet()
            assert await port.names(BACKUPS) == []
            assert await port.names(REQUESTS) == []


async def test_restores_that_do_not_go_within_a_minute_are_told(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port)
        await restored(port, "stuck", finalizers=[RESTORE_FINALIZER])
        async with port.working(add()):
            await ask(port, "go")
            await port.pass_time(seconds=60)
            (error,) = await errors(port, "go")
            assert error.startswith("error deleting restore velero/stuck:")
            assert status_of(await port.read(f"{BACKUPS}/nightly"))["phase"] == "Deleting"
            # Once it is gone, another request comes to the end.
            await port.kube.client.patch(f"{RESTORES}/stuck", {"metadata": {"finalizers": None}})
            await ask(port, "again")
            assert await port.names(BACKUPS) == []
            assert await port.names(REQUESTS) == []


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "no name": ("", {}, "spec.backupName is required"),
    "no such backup": ("nobody", {}, "backup not found"),
    "a path": ("../nightly", {}, "backup not found"),
    "no such location": (
        "nightly",
        {"spec": {"storageLocation": "gone"}},
        "backup storage location gone not found",
    ),
    **{
        phase: ("nightly", {"phase": phase}, "backup is still in progress")
        for phase in (
            "InProgress",
            "WaitingForPluginOperations",
            "WaitingForPluginOperationsPartiallyFailed",
            "Finalizing",
            "FinalizingPartiallyFailed",
        )
    },
    "read-only": (
        "nightly",
        {"location": {"accessMode": "ReadOnly"}},
        "cannot delete backup because backup storage location default is currently in read-only "
        "mode",
    ),
    "unavailable": (
        "nightly",
        {"location_phase": "Unavailable"},
        "cannot delete backup because backup storage location default is currently in Unavailable "
        "state",
    ),
    "never looked at": (
        "nightly",
        {"location_phase": None},
        "cannot delete backup because backup storage location default is currently in Unavailable "
        "state",
    ),
}


async def test_what_can_not_be_deleted_is_told_in_veleros_words(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port)
        async with port.working(add()):
            for number, (of, given, told) in enumerate(REFUSED.values()):
                phase = given.get("location_phase", "Available")
                await port.say(f"{LOCATIONS}/default", phase=phase)
                mode = given.get("location", {"accessMode": None})
                await port.kube.client.patch(f"{LOCATIONS}/default", {"spec": mode})
                spec = given.get("spec", {"storageLocation": "default"})
                await port.kube.client.patch(f"{BACKUPS}/nightly", {"spec": spec})
                await port.say(f"{BACKUPS}/nightly", phase=given.get("phase", "Completed"))
                await ask(port, f"go{number}", of)
                assert await errors(port, f"go{number}") == [told]
            assert await port.names(BACKUPS) == ["nightly"]
            assert await port.store().has_backup("nightly")
            assert set(port.events.reasons) == {"DeletionFailed"}


async def test_a_request_that_failed_goes_after_a_day(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        await ask(port, "go", "nobody")
        await port.pass_time(hours=23, minutes=59, seconds=59)
        assert await port.names(REQUESTS) == ["go"]
        await port.pass_time(seconds=1)
        assert await port.names(REQUESTS) == []


@pytest.mark.parametrize(
    "phase", ["", "New", "Queued", "ReadyToStart", "Failed", "PartiallyFailed"]
)
async def test_backups_that_nobody_works_on_can_go(phase: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await port.kube.client.create(BACKUPS, backup("nightly"))
        if phase:
            await port.say(f"{BACKUPS}/nightly", phase=phase)
        async with port.working(add()):
            await ask(port, "go")
            assert await port.names(BACKUPS) == []


async def test_a_backup_without_a_location_can_go(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.kube.client.create(BACKUPS, backup("nightly", {"storageLocation": ""}))
        await port.say(f"{BACKUPS}/nightly", phase="FailedValidation")
        async with port.working(add()):
            await ask(port, "go")
            assert await port.names(BACKUPS) == []


async def test_of_several_requests_one_does_it_and_none_is_left(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        made = await backed_up(port)
        await restored(port, "slow", finalizers=[RESTORE_FINALIZER])
        labels = {
            "velero.io/backup-name": "nightly",
            "velero.io/backup-uid": made["metadata"]["uid"],
        }
        async with port.working(add()):
            await ask(port, "first", labels=labels)
            await ask(port, "second", labels=labels)
            assert status_of(await port.read(f"{REQUESTS}/first")) == {"phase": "InProgress"}
            assert status_of(await port.read(f"{REQUESTS}/second")) == {}
            await port.kube.client.patch(f"{RESTORES}/slow", {"metadata": {"finalizers": None}})
            await port.quiet()
            assert await port.names(BACKUPS) == []
            assert await port.names(REQUESTS) == []
            assert port.events.reasons == ["Deleted"]


async def test_a_new_request_takes_the_place_of_one_that_failed(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port, port.working(add()):
        labels = {"velero.io/backup-name": "nobody"}
        await ask(port, "first", "nobody", labels=labels)
        await ask(port, "second", "nobody")
        assert await port.names(REQUESTS) == ["second"]


async def test_a_deletion_that_was_begun_is_gone_on_with(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        made = await backed_up(port)
        labels = {
            "velero.io/backup-name": "nightly",
            "velero.io/backup-uid": made["metadata"]["uid"],
        }
        await port.kube.client.create(REQUESTS, deletion("go", labels=labels))
        await port.say(f"{REQUESTS}/go", phase="InProgress")
        await port.pass_time(days=3)
        async with port.working(add()):
            await port.quiet()
            assert await port.names(BACKUPS) == []
            assert await port.names(REQUESTS) == []


async def test_a_deletion_that_was_begun_spares_a_later_namesake(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port)
        labels = {"velero.io/backup-name": "nightly", "velero.io/backup-uid": "another"}
        await port.kube.client.create(REQUESTS, deletion("go", labels=labels))
        await port.say(f"{REQUESTS}/go", phase="InProgress")
        async with port.working(add()):
            await port.quiet()
            assert await port.names(BACKUPS) == ["nightly"]
            assert await port.store().has_backup("nightly")
            assert await port.names(REQUESTS) == []


async def test_a_backup_that_was_refused_its_name_leaves_the_files_of_the_other(
    tmp_path: Path,
) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        other = backup("nightly")
        started = {"phase": "Completed", "startTimestamp": "2029-01-01T00:00:00Z"}
        await keep(port.store(), {**other, "status": started})
        await port.kube.client.create(BACKUPS, other)
        await port.say(f"{BACKUPS}/nightly", phase="FailedValidation")
        async with port.working(add()):
            await ask(port, "go")
            assert await port.names(BACKUPS) == []
            assert await port.store().has_backup("nightly")


async def test_volume_data_that_would_be_lost_keeps_its_backup(tmp_path: Path) -> None:
    snapshots = gz_json([{"status": {"providerSnapshotID": "snap-1"}}, "nonsense", {}])
    volumes = gz_json([{"status": {"snapshotID": "kopia-1"}}])
    moved = {"pvcName": "data", "backupMethod": "CSISnapshot", "snapshotDataMoved": True}
    infos = gz_json([moved, {**moved, "pvcName": "left-out", "skipped": True}, None])
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await port.kube.client.create(BACKUPS, backup("nightly"))
        done = await port.say(f"{BACKUPS}/nightly", phase="Completed")
        await keep(
            port.store(),
            done,
            {
                "nightly-volumesnapshots.json.gz": snapshots,
                "nightly-podvolumebackups.json.gz": volumes,
                "nightly-volumeinfo.json.gz": infos,
            },
        )
        async with port.working(add()):
            await ask(port, "go")
            told = await errors(port, "go")
            assert [one.split(":")[0] for one in told] == [
                "error deleting snapshot snap-1",
                "error deleting pod volume snapshot kopia-1",
                "error deleting CSI snapshot of data",
            ]
            assert all("kedge.dev/volume-data=abandon" in one for one in told)
            assert await port.store().has_backup("nightly")
            mark = {"metadata": {"annotations": {"kedge.dev/volume-data": "abandon"}}}
            await port.kube.client.patch(f"{BACKUPS}/nightly", mark)
            await ask(port, "again")
            assert await port.names(BACKUPS) == []
            assert await port.store().backups() == []


async def test_lists_of_volumes_that_can_not_be_read_keep_nothing(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await port.kube.client.create(BACKUPS, backup("nightly"))
        done = await port.say(f"{BACKUPS}/nightly", phase="Completed")
        files = {
            "nightly-volumesnapshots.json.gz": b"no gzip",
            "nightly-podvolumebackups.json.gz": gz_json({"a": "map"}),
        }
        await keep(port.store(), done, files)
        async with port.working(add()):
            await ask(port, "go")
            assert await port.names(BACKUPS) == []
            assert await port.store().backups() == []


async def test_a_store_that_can_not_be_opened_is_told(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available(provider="nobody")
        await port.kube.client.create(BACKUPS, backup("nightly"))
        await port.say(f"{BACKUPS}/nightly", phase="Completed")
        async with port.working(add()):
            await ask(port, "go")
            (error,) = await errors(port, "go")
            assert error.startswith("error getting the backup store: ")
            assert await port.names(BACKUPS) == ["nightly"]


async def test_files_that_can_not_be_deleted_are_told_and_the_backup_stays(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await backed_up(port)
        folder = tmp_path / "boats" / "backups" / "nightly" / "nightly.tar.gz"
        folder.unlink()
        (tmp_path / "boats" / "backups" / "nightly").rename(tmp_path / "aside")
        (tmp_path / "boats" / "backups" / "nightly").symlink_to(tmp_path / "aside")
        async with port.working(add()):
            await ask(port, "go")
            (error,) = await errors(port, "go")
            assert "link" in error
            assert await port.names(BACKUPS) == ["nightly"]
