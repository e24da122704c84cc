"""A Backup goes through its phases, and its files are in the bucket."""

import asyncio
import gzip
from pathlib import Path

import pytest

from kedge.api.crd import crds
from kedge.controllers.backup import controller
from kedge.engine.backup.run import back_up
from kedge.kube.kind import Object
from kedge.testing import faults
from tests.integration.controllers.quay import (
    BACKUPS,
    BUCKET,
    HOME,
    LOCATIONS,
    Collector,
    Server,
    location,
    metadata,
    phase,
    phases,
    problems,
    quay,
)
from tests.integration.eventually import eventually
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}


@pytest.mark.parametrize("kinds", KINDS)
async def test_a_backup_passes_all_phases_and_its_files_are_there(
    tmp_path: Path, kinds: str
) -> None:
    async with quay(Server(tmp_path), KINDS[kinds]()) as port, port.running():
        async with phases(port) as seen:
            await port.backup("b", {"labels": {"velero.io/schedule-name": "nightly"}})
            status = await port.ended("b")
            await eventually(lambda: seen[-1:] == ["b Completed"])
        order = ["ReadyToStart", "InProgress", "Finalizing", "Completed"]
        assert seen == ["b ", *(f"b {one}" for one in order)]
        assert status["progress"] == {"totalItems": 3, "itemsBackedUp": 3}
        assert (status["errors"], status["warnings"], status["version"]) == (0, 0, 1)
        assert status["formatVersion"] == "1.1.0"
        assert status["hookStatus"] == {"hooksAttempted": 2, "hooksFailed": 0}
        assert not problems(tmp_path, "b")
        backup = await port.get("b")
        kept = metadata(tmp_path, "b")
        assert kept["status"] == backup["status"]
        assert kept["spec"] == backup["spec"]
        assert kept["metadata"]["uid"] == backup["metadata"]["uid"]
        assert backup["spec"]["storageLocation"] == "default"
        assert backup["metadata"]["labels"]["velero.io/storage-location"] == "default"
        assert "velero.io/source-cluster-k8s-gitversion" in backup["metadata"]["annotations"]
        await eventually(lambda: port.events.reasons == ["BackupCompleted"])


async def test_the_engine_itself_backs_up_what_is_there(tmp_path: Path) -> None:
    async with quay(Server(tmp_path, collect=back_up)) as port, port.running():
        config = {"metadata": {"name": "settings"}, "data": {"a": "b"}}
        await port.admin.create("/api/v1/namespaces/default/configmaps", config)
        await port.backup("b")
        status = await port.ended("b")
        assert (status["phase"], status.get("failureReason")) == ("Completed", None)
        assert status["progress"]["itemsBackedUp"] >= 2
        assert not problems(tmp_path, "b")


@pytest.mark.parametrize(("kinds", "writes"), [("our kinds", 5), ("a stock Velero's kinds", 4)])
async def test_a_backup_takes_few_requests(tmp_path: Path, kinds: str, writes: int) -> None:
    async with quay(Server(tmp_path), KINDS[kinds]()) as port, port.running():
        await port.backup("first")
        await port.ended("first")
        before = len(port.proxy.calls)
        await port.backup("b")
        await port.ended("b")
        calls = port.proxy.calls[before:]
        assert len([call for call in calls if call.is_write]) == writes
        assert len([call for call in calls if not call.is_write]) == 2


async def test_an_empty_backup_asks_for_each_thing_once(tmp_path: Path) -> None:
    async with quay(Server(tmp_path, collect=back_up)) as port, port.running():
        await port.admin.create("/api/v1/namespaces", {"metadata": {"name": "empty"}})
        await port.backup("first")
        await port.ended("first")
        before = len(port.proxy.calls)
        await port.backup("b", includedNamespaces=["empty"])
        await port.ended("b")
        calls = port.proxy.calls[before:]
        assert len([call for call in calls if call.is_write]) == 5
        asked = [call.path for call in calls if not call.is_write]
        lists = [path for path in asked if "/namespaces/empty/" in path]
        assert sorted(set(asked)) == sorted(asked)
        assert set(asked) - set(lists) == {
            "/api",
            "/apis",
            "/api/v1/namespaces",
            f"{LOCATIONS}/default",
            f"{HOME}/volumesnapshotlocations",
        }


async def test_errors_make_it_partially_failed(tmp_path: Path) -> None:
    server = Server(tmp_path, collect=Collector(errors=2, warnings=1))
    async with quay(server) as port, port.running(), phases(port) as seen:
        await port.backup("b")
        status = await port.ended("b")
        assert (status["phase"], status["errors"], status["warnings"]) == ("PartiallyFailed", 2, 1)
        await eventually(lambda: seen[-1:] == ["b PartiallyFailed"])
        assert seen[-2] == "b FinalizingPartiallyFailed"
        assert not problems(tmp_path, "b")
        assert metadata(tmp_path, "b")["status"]["phase"] == "PartiallyFailed"
        await eventually(lambda: port.events.reasons[-1:] == ["BackupPartiallyFailed"])


async def test_what_is_wrong_is_told_in_velero_s_words(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port, port.running():
        await port.backup(
            "b",
            storageLocation="elsewhere",
            includedNamespaces=["a["],
            volumeSnapshotLocations=["none"],
            resourcePolicy={"kind": "ConfigMap", "name": "rules"},
        )
        status = await port.ended("b")
        assert status["phase"] == "FailedValidation"
        wrong = "\n".join(status["validationErrors"])
        assert "the default elsewhere was not found" in wrong
        assert 'backupstoragelocations.velero.io "elsewhere" not found' in wrong
        assert "VolumeSnapshotLocation CRD for the location none" in wrong
        assert "Invalid included/excluded namespace lists" in wrong
        assert "fail to get ResourcePolicies velero/rules ConfigMap with error" in wrong
        assert "startTimestamp" not in status
        assert port.files() == []
        await eventually(lambda: port.events.reasons == ["BackupRejected"])


@pytest.mark.parametrize(
    ("spec", "status", "words"),
    [
        ({"accessMode": "ReadOnly"}, "Available", "is currently in read-only mode"),
        ({}, "Unavailable", "is in Unavailable status."),
    ],
)
async def test_a_location_that_can_not_be_used_refuses_a_backup(
    tmp_path: Path, spec: Object, status: str, words: str
) -> None:
    async with quay(Server(tmp_path)) as port, port.running():
        await port.admin.create(LOCATIONS, location("other", default=False, **spec))
        await port.set_status(f"{LOCATIONS}/other", {"phase": status})
        await port.backup("b", storageLocation="other")
        assert words in (await port.ended("b"))["validationErrors"][0]


async def test_a_location_that_is_new_is_waited_for(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port, port.running():
        await port.admin.create(LOCATIONS, location("new", default=False))
        await port.backup("b", storageLocation="new")
        asked = faults.matches(verb="list", resource="volumesnapshotlocations")
        await eventually(lambda: sum(asked(call.request) for call in port.proxy.calls) > 3)
        assert phase(await port.get("b")) == "ReadyToStart"
        await port.set_status(f"{LOCATIONS}/new", {"phase": "Available"})
        assert (await port.ended("b"))["phase"] == "Completed"


async def test_a_location_that_nobody_looks_at_refuses_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, "UNSEEN_SECONDS", 0.5)
    async with quay(Server(tmp_path)) as port, port.running():
        await port.admin.create(LOCATIONS, location("new", default=False))
        await port.backup("b", storageLocation="new")
        (problem,) = (await port.ended("b"))["validationErrors"]
        assert problem.endswith("BackupStorageLocation new is in Unavailable status.")


async def test_namespaces_with_the_label_are_left_out(tmp_path: Path) -> None:
    async with quay(Server(tmp_path, collect=back_up)) as port, port.running():
        labels = {"velero.io/exclude-from-backup": "true"}
        await port.admin.create(
            "/api/v1/namespaces", {"metadata": {"name": "private", "labels": labels}}
        )
        await port.backup("b", includedNamespaces=[], excludedNamespaces=["x"])
        await port.ended("b")
        spec = (await port.get("b"))["spec"]
        assert spec["includedNamespaces"] == ["*"]
        assert spec["excludedNamespaces"] == ["x", "private"]


async def test_a_backup_of_the_same_name_in_the_bucket_is_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / BUCKET / "backups" / "b"
    folder.mkdir(parents=True)
    (folder / "velero-backup.json").write_text('{"metadata": {"name": "b", "uid": "other"}}')
    (folder / "b.tar.gz").write_bytes(b"other")
    async with quay(Server(tmp_path)) as port, port.running():
        await port.backup("b")
        status = await port.ended("b")
        assert status["phase"] == "Failed"
        assert status["failureReason"] == "backup already exists in object storage"
        assert status["completionTimestamp"]
        assert port.files("b") == ["b.tar.gz", "velero-backup.json"]
        assert (folder / "b.tar.gz").read_bytes() == b"other"


async def test_what_fails_as_a_whole_leaves_a_reason_and_a_log(tmp_path: Path) -> None:
    collector = Collector(failure=RuntimeError("no way"))
    async with quay(Server(tmp_path, collect=collector)) as port, port.running():
        await port.backup("b")
        status = await port.ended("b")
        assert (status["phase"], status["failureReason"]) == ("Failed", "RuntimeError: no way")
        await port.until("b", lambda one: "kedge.dev/unfinished-files" not in str(one))
        assert port.files() == []
        await eventually(lambda: port.events.reasons == ["BackupFailed"])
        log = tmp_path / BUCKET / "backups" / "b" / "b-logs.gz"
        await eventually(log.exists)
        assert 'level=error msg="the backup failed"' in gzip.decompress(log.read_bytes()).decode()


async def test_a_backup_that_is_deleted_while_it_runs_stops_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    collector = Collector(gate=asyncio.Event())
    async with quay(Server(tmp_path, collect=collector)) as port, port.running():
        await port.backup("b")
        await port.backup("next")
        await eventually(lambda: collector.begun == ["b"])
        await port.admin.delete(f"{BACKUPS}/b")
        await eventually(lambda: collector.ended == ["b"])
        await eventually(lambda: collector.begun == ["b", "next"])
        collector.gate.set()  # type: ignore[union-attr]
        assert (await port.ended("next"))["phase"] == "Completed"
        assert port.files("b") == []


async def test_a_backup_that_is_being_deleted_while_it_runs_fails(tmp_path: Path) -> None:
    collector = Collector(gate=asyncio.Event())
    async with quay(Server(tmp_path, collect=collector)) as port, port.running():
        await port.backup("b", {"finalizers": ["example.com/slow"]})
        await eventually(lambda: collector.begun == ["b"])
        await port.admin.delete(f"{BACKUPS}/b")
        status = await port.ended("b")
        assert status["phase"] == "Failed"
        assert status["failureReason"] == "the backup was deleted while it was running"
        assert port.files("b") == []


async def test_a_label_that_is_set_while_it_runs_does_no_harm(tmp_path: Path) -> None:
    collector = Collector(gate=asyncio.Event())
    async with quay(Server(tmp_path, collect=collector)) as port, port.running():
        await port.backup("b")
        await eventually(lambda: collector.begun == ["b"])
        await port.admin.patch(f"{BACKUPS}/b", {"metadata": {"labels": {"mine": "yes"}}})
        collector.gate.set()  # type: ignore[union-attr]
        assert (await port.ended("b"))["phase"] == "Completed"
        assert (await port.get("b"))["metadata"]["labels"]["mine"] == "yes"


async def test_the_spec_in_the_bucket_is_the_one_that_was_run(tmp_path: Path) -> None:
    collector = Collector(gate=asyncio.Event())
    async with quay(Server(tmp_path, collect=collector)) as port, port.running():
        await port.backup("b")
        await eventually(lambda: collector.begun == ["b"])
        await port.admin.patch(f"{BACKUPS}/b", {"spec": {"includedNamespaces": ["other"]}})
        collector.gate.set()  # type: ignore[union-attr]
        assert (await port.ended("b"))["phase"] == "Completed"
        assert metadata(tmp_path, "b")["spec"]["includedNamespaces"] == ["default"]


async def test_somebody_else_who_ends_it_has_the_last_word(tmp_path: Path) -> None:
    collector = Collector(gate=asyncio.Event())
    async with quay(Server(tmp_path, collect=collector)) as port, port.running():
        await port.backup("b")
        await eventually(lambda: collector.begun == ["b"])
        await port.until("b", lambda one: phase(one) == "InProgress")
        await port.set_status(f"{BACKUPS}/b", {"phase": "Failed", "failureReason": "I say so"})
        collector.gate.set()  # type: ignore[union-attr]
        await port.backup("next")
        assert (await port.ended("next"))["phase"] == "Completed"
        await eventually(lambda: port.files("b") == [])
        status = (await port.get("b"))["status"]
        assert (status["phase"], status["failureReason"]) == ("Failed", "I say so")


async def test_snapshot_locations_are_resolved_one_for_each_provider(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port, port.running():
        for name in ("one", "two"):
            made = {
                "apiVersion": "velero.io/v1",
                "kind": "VolumeSnapshotLocation",
                "metadata": {"name": name},
                "spec": {"provider": "aws"},
            }
            await port.admin.create(f"{HOME}/volumesnapshotlocations", made)
        await port.backup("open")
        wrong = (await port.ended("open"))["validationErrors"]
        assert wrong == [
            "provider aws has more than one possible volume snapshot location, and none were "
            "specified explicitly or as a default"
        ]
        await port.backup("named", volumeSnapshotLocations=["two"])
        assert (await port.ended("named"))["phase"] == "Completed"
        await port.backup("off", snapshotVolumes=False)
        assert (await port.ended("off"))["phase"] == "Completed"
