"""Backups of a bucket come into the cluster, and those whose files are gone leave it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from kedge.api.crd import crds
from kedge.archive import layout
from kedge.archive.files import gz_json
from kedge.controllers.sync import controller
from kedge.controllers.sync.controller import SyncSettings
from kedge.kube.kind import Object
from tests.integration.controllers.storehouse import (
    BACKUPS,
    LOCATIONS,
    SCHEDULES,
    VOLUMES,
    Adder,
    Parts,
    Storehouse,
    backup,
    keep,
    status_of,
    storehouse,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

NEEDS = ("backups", "backupstoragelocations", "schedules", "podvolumebackups")
KINDS = {"our kinds": crds, "a stock Velero's kinds": stock_crds}
DONE = {
    "phase": "Completed",
    "formatVersion": "1.1.0",
    "version": 1,
    "startTimestamp": "2029-12-01T00:00:00Z",
    "completionTimestamp": "2029-12-01T00:01:00Z",
    "expiration": "2030-06-01T00:00:00Z",
    "progress": {"totalItems": 3, "itemsBackedUp": 3},
}


def add(**settings: Any) -> Adder:
    """Add the controller."""

    def to(parts: Parts) -> None:
        wanted = SyncSettings(**settings)
        controller.add_to(parts.manager, parts.client, parts.events, wanted, parts.stores)

    return to


def found(name: str, status: Object | None = None, **metadata: Any) -> Object:
    """Write a Backup as another cluster has left it in the bucket."""
    there: Object = {
        "uid": "11111111-2222-3333-4444-555555555555",
        "resourceVersion": "4711",
        "generation": 7,
        "creationTimestamp": "2029-12-01T00:00:00Z",
        "managedFields": [],
        "labels": {"team": "deck", "velero.io/storage-location": "elsewhere"},
        "annotations": {"velero.io/source-cluster-k8s-major-version": "1"},
    }
    made = backup(
        name, {"storageLocation": "elsewhere", "ttl": "720h0m0s"}, **{**there, **metadata}
    )
    made["metadata"]["namespace"] = "far-away"
    return {**made, "status": DONE if status is None else status}


def told(port: Storehouse) -> list[str]:
    """Give the words about what was not synced."""
    return [words for reason, words in port.events.told if reason == "BackupNotSynced"]


@pytest.mark.parametrize("kinds", KINDS)
async def test_a_backup_of_the_bucket_comes_into_the_cluster(kinds: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port:
        await port.available()
        await keep(port.store(), found("nightly"))
        async with port.working(add()):
            await port.quiet()
            one = await port.read(f"{BACKUPS}/nightly")
            assert one is not None
            assert one["status"] == DONE
            assert one["spec"] == {"storageLocation": "default", "ttl": "720h0m0s"}
            meta = one["metadata"]
            assert meta["namespace"] == "velero"
            assert meta["uid"] != found("nightly")["metadata"]["uid"]
            assert meta["labels"] == {"team": "deck", "velero.io/storage-location": "default"}
            assert meta["annotations"] == {
                "velero.io/source-cluster-k8s-major-version": "1",
                "kedge.dev/synced-from": "default/nightly",
            }
            location = await port.read(f"{LOCATIONS}/default")
            assert status_of(location)["lastSyncedTime"] == "2030-01-01T00:00:00Z"
            assert port.events.reasons == ["Synced"]


async def test_it_syncs_at_the_exact_time_and_writes_no_more_than_that(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available(backupSyncPeriod="5m")
        async with port.working(add()):
            await port.quiet()
            assert len(port.writes()) == 1
            await keep(port.store(), found("nightly"))
            await port.pass_time(minutes=4, seconds=59)
            assert await port.names(BACKUPS) == []
            assert len(port.writes()) == 1
            await port.pass_time(seconds=1)
            assert await port.names(BACKUPS) == ["nightly"]
            await port.pass_time(minutes=5)
            location = await port.read(f"{LOCATIONS}/default")
            assert status_of(location)["lastSyncedTime"] == "2030-01-01T00:10:00Z"
            writes = [one.split(" ")[0] for one in port.writes()]
            assert writes == ["PATCH", "POST", "PATCH", "PATCH", "PATCH"]


async def test_a_period_of_zero_is_never(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available(backupSyncPeriod="0s")
        await keep(port.store(), found("nightly"))
        async with port.working(add()):
            await port.pass_time(days=1)
            assert await port.names(BACKUPS) == []
            assert port.writes() == []


@pytest.mark.parametrize("text", [None, "-1h"])
async def test_without_a_period_of_its_own_it_is_the_servers(
    text: str | None, tmp_path: Path
) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available(**({} if text is None else {"backupSyncPeriod": text}))
        async with port.working(add()):
            await port.quiet()
            await keep(port.store(), found("nightly"))
            await port.pass_time(minutes=1)
            assert await port.names(BACKUPS) == ["nightly"]


async def test_a_location_is_synced_as_soon_as_it_is_available(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.location()
        await keep(port.store(), found("nightly"))
        async with port.working(add()):
            await port.pass_time(minutes=3)
            assert await port.names(BACKUPS) == []
            await port.say(f"{LOCATIONS}/default", phase="Available")
            await port.quiet()
            assert await port.names(BACKUPS) == ["nightly"]


async def test_a_backup_that_the_cluster_has_is_left_alone(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await port.kube.client.create(BACKUPS, backup("nightly", {"ttl": "1h0m0s"}))
        await keep(port.store(), found("nightly"))
        async with port.working(add()):
            await port.quiet()
            one = await port.read(f"{BACKUPS}/nightly")
            assert one is not None
            assert one["spec"]["ttl"] == "1h0m0s"
            assert status_of(one) == {}


async def test_a_folder_without_metadata_is_no_backup(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await port.store().put_file(layout.backup_contents("half"), b"...")
        async with port.working(add()):
            await port.quiet()
            assert await port.names(BACKUPS) == []
            assert port.events.told == []


@pytest.mark.parametrize(
    "phase",
    [
        "WaitingForPluginOperations",
        "WaitingForPluginOperationsPartiallyFailed",
        "Finalizing",
        "FinalizingPartiallyFailed",
    ],
)
async def test_what_is_still_being_made_comes_when_it_has_expired(
    phase: str, tmp_path: Path
) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        status = {**DONE, "phase": phase, "expiration": "2030-01-01T00:10:00Z"}
        await keep(port.store(), found("nightly", status))
        await keep(port.store(), found("endless", {"phase": phase}))
        async with port.working(add()):
            await port.pass_time(minutes=9)
            assert await port.names(BACKUPS) == []
            await port.pass_time(minutes=1)
            assert await port.names(BACKUPS) == ["nightly"]
            one = await port.read(f"{BACKUPS}/nightly")
            assert status_of(one) == {**status, "phase": "PartiallyFailed"}
            assert told(port) == []


@pytest.mark.parametrize("phase", ["Failed", "PartiallyFailed"])
async def test_backups_that_have_failed_come_too(phase: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await keep(port.store(), found("nightly", {**DONE, "phase": phase}))
        async with port.working(add()):
            await port.quiet()
            assert status_of(await port.read(f"{BACKUPS}/nightly"))["phase"] == phase


def bent(**changes: Any) -> Object:
    """Write a Backup that is not as it should be."""
    return {**found("bad"), **changes}


BAD: dict[str, bytes | Object] = {
    "no JSON": b"{",
    "no object": b"[]",
    "no UTF-8": b'{"kind": "\xff"}',
    "nothing": b"",
    "deep": b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "another kind": bent(kind="Restore"),
    "another group": bent(apiVersion="v1"),
    "no kind": bent(kind=None),
    "another name": bent(metadata={"name": "nightly"}),
    "no name": bent(metadata={}),
    "no metadata": bent(metadata=None),
    "metadata of a wrong type": bent(metadata="bad"),
    "a name of a wrong type": bent(metadata={"name": 5}),
    "labels of a wrong type": bent(metadata={"name": "bad", "labels": {"a": 1}}),
    "labels that are none": bent(metadata={"name": "bad", "labels": {"a b": "c"}}),
    "a spec of a wrong type": bent(spec=[]),
    "a field of a wrong type": bent(spec={"includedNamespaces": "all"}),
    "a status of a wrong type": bent(status="Completed"),
    "no status": bent(status=None),
    "a phase that would make it run": bent(status={"phase": "New"}),
    "a phase that nobody knows": bent(status={"phase": "Done"}),
    "a phase of a deletion": bent(status={"phase": "Deleting"}),
    "a time that is none": bent(status={"phase": "Completed", "expiration": "soon"}),
    "a duration that is none": bent(spec={"ttl": "forever"}),
    "a number that is none": bent(status={"phase": "Completed", "errors": "many"}),
    "larger than any object": bent(spec={"orderedResources": {"a": "b" * 4_000_000}}),
    "larger than any file": b'{"a": "' + b"b" * 17_000_000 + b'"}',
}


async def test_what_is_no_backup_is_told_by_name_and_keeps_nothing_else_out(
    tmp_path: Path,
) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        store = port.store()
        await keep(store, found("zulu"))
        names = {}
        for number, (what, bad) in enumerate(BAD.items()):
            name = f"bad-{number}"
            names[name] = what
            if isinstance(bad, dict) and isinstance(bad.get("metadata"), dict):
                is_own = bad["metadata"].get("name") == "bad"
                bad["metadata"] = {**bad["metadata"], **({"name": name} if is_own else {})}
            await store.put_file(layout.backup_metadata(name), as_bytes(bad))
        async with port.working(add()):
            await port.quiet()
            assert await port.names(BACKUPS) == ["zulu"]
            about = {words.split('"')[1] for words in told(port)}
            assert {names[name] for name in set(names) - about} == set()
            before = len(port.events.told)
            await port.pass_time(minutes=1)
            assert len(port.events.told) == before


def as_bytes(bad: bytes | Object) -> bytes:
    """Write what was found."""
    return bad if isinstance(bad, bytes) else msgspec.json.encode(bad)


async def test_names_that_no_object_can_have_are_told(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        for name in ("Upper_Case", "a" * 200, "sp ace"):
            await keep(port.store(), found(name))
        await keep(port.store(), found("-"))
        async with port.working(add()):
            await port.quiet()
            names = await port.names(BACKUPS)
            assert names == ["a" * 200]
            assert len(told(port)) == 3


@pytest.mark.parametrize("kinds", KINDS)
async def test_only_owners_that_this_cluster_has_are_kept(kinds: str, tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port:
        await port.available()
        spec = {"schedule": "@daily", "template": {}}
        made = await port.kube.client.create(
            SCHEDULES,
            {
                "apiVersion": "velero.io/v1",
                "kind": "Schedule",
                "metadata": {"name": "daily"},
                "spec": spec,
            },
        )
        owner = {"apiVersion": "velero.io/v1", "kind": "Schedule", "controller": True}
        right = {**owner, "name": "daily", "uid": made["metadata"]["uid"]}
        wrong = [
            {**owner, "name": "daily", "uid": "another"},
            {**owner, "name": "gone", "uid": "x"},
            {**owner, "name": "../daily", "uid": "x"},
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "daily", "uid": "x"},
        ]
        await keep(port.store(), found("one", ownerReferences=[right]))
        await keep(port.store(), found("two", ownerReferences=wrong))
        async with port.working(add()):
            await port.quiet()
            one, two = [await port.read(f"{BACKUPS}/{name}") for name in ("one", "two")]
            assert one is not None
            assert two is not None
            assert one["metadata"]["ownerReferences"] == [right]
            assert "ownerReferences" not in two["metadata"]


async def test_finalizers_and_what_is_on_its_way_out_do_not_come(tmp_path: Path) -> None:
    marks: dict[str, Any] = {"finalizers": ["a/b"], "deletionTimestamp": "2029-12-01T00:00:00Z"}
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await keep(port.store(), found("nightly", **marks))
        async with port.working(add()):
            await port.quiet()
            one = await port.read(f"{BACKUPS}/nightly")
            assert one is not None
            assert not {"finalizers", "deletionTimestamp"} & set(one["metadata"])


async def test_backups_whose_files_are_gone_leave_the_cluster(tmp_path: Path) -> None:
    phases = (
        "Completed",
        "PartiallyFailed",
        "Failed",
        "InProgress",
        "Deleting",
        "FailedValidation",
    )
    label = {"velero.io/storage-location": "default"}
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        for phase in phases:
            await port.kube.client.create(BACKUPS, backup(phase.lower(), labels=label))
            await port.say(f"{BACKUPS}/{phase.lower()}", phase=phase)
        other = {"velero.io/storage-location": "other"}
        for name, labels in (("unlabelled", {}), ("other", other), ("there", label)):
            await port.kube.client.create(BACKUPS, backup(name, labels=labels))
            await port.say(f"{BACKUPS}/{name}", phase="Completed")
        await port.store().put_file(layout.backup_contents("there"), b"...")
        async with port.working(add()):
            await port.quiet()
            left = await port.names(BACKUPS)
            assert set(left) == {
                "failed",
                "inprogress",
                "deleting",
                "failedvalidation",
                "unlabelled",
                "other",
                "there",
            }
            assert port.events.reasons == ["OrphanRemoved"] * 2


async def test_a_bucket_that_is_gone_removes_nothing(tmp_path: Path) -> None:
    label = {"velero.io/storage-location": "default"}
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available(config={"path": str(tmp_path / "not-mounted")})
        await port.kube.client.create(BACKUPS, backup("nightly", labels=label))
        await port.say(f"{BACKUPS}/nightly", phase="Completed")
        async with port.working(add()):
            await port.pass_time(minutes=2)
            assert await port.names(BACKUPS) == ["nightly"]
            assert "lastSyncedTime" not in status_of(await port.read(f"{LOCATIONS}/default"))
            (tmp_path / "not-mounted" / "boats").mkdir(parents=True)
            await port.pass_time(minutes=1)
            assert await port.names(BACKUPS) == []


@pytest.mark.parametrize("is_there", [True, False])
async def test_what_was_begun_is_completed_or_removed(is_there: bool, tmp_path: Path) -> None:
    mark = {"kedge.dev/synced-from": "default/nightly"}
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await port.kube.client.create(BACKUPS, backup("nightly", annotations=mark))
        if is_there:
            await keep(port.store(), found("nightly"))
        async with port.working(add()):
            await port.quiet()
            one = await port.read(f"{BACKUPS}/nightly")
            assert status_of(one) == (DONE if is_there else {})
            assert (one is not None) == is_there


async def test_a_clone_of_what_was_brought_is_a_backup_of_its_own(tmp_path: Path) -> None:
    mark = {"kedge.dev/synced-from": "default/nightly"}
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available()
        await port.kube.client.create(BACKUPS, backup("copy", annotations=mark))
        async with port.working(add()):
            await port.quiet()
            assert await port.names(BACKUPS) == ["copy"]


async def test_of_two_of_a_name_that_of_the_default_location_comes(tmp_path: Path) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available("aaa", objectStorage={"bucket": "first"})
        await port.available("mmm", default=True)
        await port.available("zzz", objectStorage={"bucket": "last"})
        for bucket in ("first", "boats", "last"):
            await keep(port.store(bucket), found("nightly"))
        await keep(port.store("last"), found("other"))
        async with port.working(add()):
            await port.pass_time(seconds=2)
            assert await port.names(BACKUPS) == ["nightly", "other"]
            one = await port.read(f"{BACKUPS}/nightly")
            assert one is not None
            assert one["spec"]["storageLocation"] == "mmm"


async def test_a_default_location_that_fails_does_not_keep_the_others_waiting(
    tmp_path: Path,
) -> None:
    async with storehouse(tmp_path, NEEDS) as port:
        await port.available("broken", default=True, provider="nobody")
        await port.available("good")
        await keep(port.store(), found("nightly"))
        async with port.working(add()):
            await port.pass_time(seconds=2)
            assert await port.names(BACKUPS) == ["nightly"]


def volume(name: str, **changes: Any) -> Object:
    """Write a PodVolumeBackup as it is found."""
    owner = {"apiVersion": "velero.io/v1", "kind": "Backup", "name": "nightly", "uid": "old"}
    return {
        "metadata": {
            "name": name,
            "namespace": "far-away",
            "resourceVersion": "5",
            "labels": {"velero.io/backup-uid": "old", "velero.io/backup-name": "nightly"},
            "ownerReferences": [owner, {**owner, "kind": "Pod"}],
        },
        "spec": {
            "backupStorageLocation": "elsewhere",
            "node": "n",
            "pod": {"name": "p", "namespace": "ns"},
            "repoIdentifier": "r",
            "volume": "v",
        },
        "status": {"phase": "Completed", "snapshotID": "kopia-1"},
        **changes,
    }


@pytest.mark.parametrize("kinds", KINDS)
async def test_the_volumes_of_a_backup_come_with_it(kinds: str, tmp_path: Path) -> None:
    volumes = [volume("one"), volume("new", status={"phase": "New"}), "nonsense", volume("two")]
    async with storehouse(tmp_path, NEEDS, KINDS[kinds]()) as port:
        await port.available()
        files = {"nightly-podvolumebackups.json.gz": gz_json(volumes)}
        await keep(port.store(), found("nightly"), files)
        async with port.working(add()):
            await port.quiet()
            assert await port.names(VOLUMES) == ["one", "two"]
            parent, one = [await port.read(p) for p in (f"{BACKUPS}/nightly", f"{VOLUMES}/one")]
            assert parent is not None
            assert one is not None
            uid = parent["metadata"]["uid"]
            assert status_of(parent) == DONE
            assert status_of(one) == {"phase": "Completed", "snapshotID": "kopia-1"}
            assert one["spec"]["backupStorageLocation"] == "default"
            assert one["metadata"]["labels"]["velero.io/backup-uid"] == uid
            assert [owner["uid"] for owner in one["metadata"]["ownerReferences"]] == [uid]
