"""A backup in words: whole texts, in the layout of Velero."""

from typing import Any

import pytest

from kedge.cli.backup.description import description
from kedge.cli.backup.gathering import Gathered
from kedge.cli.backup.kind import typed
from kedge.cli.errors import Failure
from kedge.cli.loaded import Loaded, Result, Results
from tests.unit.cli.conftest import look_at_stdout

TIMES = {
    "startTimestamp": "2026-03-27T12:00:00Z",
    "completionTimestamp": "2026-03-27T12:00:09Z",
    "expiration": "2026-04-26T12:00:00Z",
}
NOTHING = Loaded([])


def backup(status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    meta = {"name": "nightly", "namespace": "velero", "uid": "1"}
    return {"metadata": meta, "spec": spec, "status": status or {}}


def text_of(plain: dict[str, Any], **parts: Any) -> str:
    return description(Gathered(plain, typed(plain), **parts))


SPEC = """\
Namespaces:
  Included:  *
  Excluded:  <none>

Resources:
  Included cluster-scoped:    <none>
  Excluded cluster-scoped:    <none>
  Included namespace-scoped:  *
  Excluded namespace-scoped:  <none>

Label selector:  <none>

Or label selector:  <none>

Storage Location:  default

Velero-Native Snapshot PVs:  auto
Snapshot Move Data:          auto
Data Mover:                  velero

TTL:  720h0m0s

CSISnapshotTimeout:    10m0s
ItemOperationTimeout:  4h0m0s

Hooks:  <none>
"""
FILLED: dict[str, Any] = {
    "storageLocation": "default",
    "ttl": "720h0m0s",
    "csiSnapshotTimeout": "10m0s",
    "itemOperationTimeout": "4h0m0s",
}
HEAD = """\
Name:         nightly
Namespace:    velero
Labels:       <none>
Annotations:  <none>

"""
VOLUMES = """\
Backup Volumes:
  Velero-Native Snapshots: <none included>

  CSI Snapshots: <none included>

  Pod Volume Backups: <none included>
"""
DONE = """\
Backup Format Version:  1.1.0

Started:    2026-03-27 12:00:00 +0000 UTC
Completed:  2026-03-27 12:00:09 +0000 UTC

Expiration:  2026-04-26 12:00:00 +0000 UTC

Total items to be backed up:  12
Items backed up:              12

"""
COMPLETED = {
    "phase": "Completed",
    "formatVersion": "1.1.0",
    "progress": {"totalItems": 12, "itemsBackedUp": 12},
    **TIMES,
}


def test_one_that_is_completed() -> None:
    text = text_of(backup(COMPLETED, **FILLED), volumes=NOTHING)
    assert text == f"{HEAD}Phase:  Completed\n\n\n{SPEC}\n{DONE}{VOLUMES}"


NEW = """\
Backup Format Version:  \n
Started:    <n/a>
Completed:  <n/a>

Expiration:  <nil>

"""


def test_one_that_nobody_has_looked_at() -> None:
    unsure = VOLUMES.replace("CSI Snapshots: <none included>", "CSI Snapshots: <none included or not detectable>")  # fmt: skip  # noqa: E501
    assert text_of(backup(**FILLED)) == f"{HEAD}Phase:  New\n\n\n{SPEC}\n{NEW}{unsure}"


def test_one_that_waits_tells_its_position() -> None:
    text = text_of(backup({"phase": "Queued", "queuePosition": 3}, **FILLED))
    assert "\nPhase:           Queued\nQueue position:  3\n\n\nNamespaces:\n" in text


def test_one_that_runs_tells_how_far_it_is() -> None:
    status = {"phase": "InProgress", "progress": {"totalItems": 9, "itemsBackedUp": 4}}
    text = text_of(backup(status, **FILLED))
    assert (
        "\nEstimated total items to be backed up:  9\nItems backed up so far:                 4\n\n"
        in text
    )


@pytest.mark.parametrize("phase", ["Failed", "PartiallyFailed"])
def test_one_that_failed_leads_to_its_log(phase: str) -> None:
    text = text_of(backup({"phase": phase, "failureReason": "no room"}, **FILLED))
    hint = f"Phase:  {phase} (run `kedge backup logs nightly` for more information)\n"
    assert f"\n{hint}\nFailure reason:  no room\n\n\nNamespaces:\n" in text


def test_one_that_was_refused_tells_all_reasons() -> None:
    status = {"phase": "FailedValidation", "validationErrors": ["one", "two"]}
    policy = {"kind": "configmap", "name": "rules"}
    text = text_of(backup(status, resourcePolicy=policy, uploaderConfig={"parallelFilesUpload": 2}))
    assert text.startswith(
        f"{HEAD}Phase:  FailedValidation\n\n"
        "Resource policies:\n  Type:  configmap\n  Name:  rules\n\n"
        "Uploader config:\n  Parallel files upload:  2\n\n"
        "Validation errors:  one\n                    two\n\n\n"
        "Namespaces:\n"
    )


RESULTS = Results(
    Result(velero=["slow\tdisk"], namespaces={"b": ["x", "y"], "a": ["z"]}),
    Result(cluster=["no permission"]),
)


def test_warnings_come_before_errors() -> None:
    status = {"phase": "PartiallyFailed", "warnings": 4, "errors": 1}
    text = text_of(backup(status, **FILLED), results=Loaded(RESULTS), volumes=NOTHING)
    expected = """\
more information)


Warnings:
  Velero:   slow\\tdisk
  Cluster:    <none>
  Namespaces:
    a:  z
    b:  x
        y

Errors:
  Velero:     <none>
  Cluster:  no permission
  Namespaces: <none>

Namespaces:
"""
    assert expected in text


def test_without_warnings_there_is_no_part_for_them() -> None:
    status = {"phase": "PartiallyFailed", "errors": 1}
    text = text_of(backup(status), results=Loaded(RESULTS))
    assert "Warnings:" not in text
    assert "Errors:\n" in text


def test_without_the_file_the_counts_are_told() -> None:
    text = text_of(backup({"phase": "PartiallyFailed", "warnings": 4, "errors": 1}))
    assert "more information)\n\nErrors:    1\nWarnings:  4\n\nNamespaces:\n" in text


@pytest.mark.parametrize(("broken", "verb"), [(False, "getting"), (True, "decoding")])
def test_a_file_that_can_not_be_had_is_told_in_its_place(broken: bool, verb: str) -> None:
    loaded = Loaded(problem="it is dark", is_unreadable=broken)
    status = {"phase": "PartiallyFailed", "warnings": 4, "errors": 1}
    text = text_of(backup(status), results=loaded, volumes=loaded, resources=loaded, details=True)
    assert (
        f"Warnings:  <error {verb} warnings: it is dark>\n\n"
        f"Errors:  <error {verb} errors: it is dark>\n\nNamespaces:\n"
    ) in text
    verb = "reading" if broken else "getting"
    assert f"\nResource List:  <error {verb} backup resource list: it is dark>\n\n" in text
    assert text.endswith(f"Backup Volumes:\n  <error {verb} backup volume info: it is dark>\n")


def test_details_list_all_objects() -> None:
    resources = Loaded({"v1/Pod": ["a/b", "a/c"], "apps/v1/Deployment": ["a/d"]})
    text = text_of(backup(COMPLETED), details=True, resources=resources, volumes=NOTHING)
    assert """
Resource List:
  apps/v1/Deployment:
    - a/d
  v1/Pod:
    - a/b
    - a/c

Backup Volumes:
""" in text  # fmt: skip


def test_details_say_that_there_is_no_list() -> None:
    text = text_of(backup(COMPLETED), details=True)
    assert "\nResource List:  <backup resource list not found>\n\nBackup Volumes:\n" in text


def test_hooks_are_counted() -> None:
    status = COMPLETED | {"hookStatus": {"hooksAttempted": 3, "hooksFailed": 1}}
    text = text_of(backup(status), volumes=NOTHING)
    assert text.endswith("<none included>\n\nHooksAttempted:  3\nHooksFailed:     1\n")


def deletion(time: str, *errors: str, phase: str = "Processed") -> dict[str, Any]:
    status = {"phase": phase, "errors": list(errors)}
    return {"metadata": {"creationTimestamp": time}, "status": status}


def test_attempts_to_delete_it_are_told() -> None:
    attempts = [
        deletion("2026-03-27T12:00:00Z", "it is locked", "it is old"),
        deletion("2026-03-27T13:00:00Z", phase="InProgress"),
    ]
    text = text_of(backup(COMPLETED), deletions=attempts, volumes=NOTHING)
    assert text.endswith("""
Deletion Attempts (1 failed):
  2026-03-27 12:00:00 +0000 UTC: Processed
  Errors:
    it is locked
    it is old

  2026-03-27 13:00:00 +0000 UTC: InProgress
""")
    text = text_of(backup(COMPLETED), deletions=attempts[1:], volumes=NOTHING)
    assert text.endswith("\nDeletion Attempts:\n  2026-03-27 13:00:00 +0000 UTC: InProgress\n")


OPERATION = {
    "spec": {
        "backupItemAction": "velero.io/csi",
        "operationID": "op-1",
        "resourceIdentifier": {
            "Group": "", "Resource": "persistentvolumeclaims", "Namespace": "db", "Name": "data",
        },
        "postOperationItems": [
            {"Group": "snapshot.storage.k8s.io", "Resource": "vs", "Namespace": "db", "Name": "s"}
        ],
    },
    "status": {
        "phase": "Failed",
        "error": "no room",
        "nCompleted": 5,
        "nTotal": 10,
        "operationUnits": "Byte",
        "description": "halfway",
        "created": "2026-03-27T12:00:00Z",
        "started": "2026-03-27T12:00:01Z",
        "updated": "2026-03-27T12:00:02Z",
    },
}  # fmt: skip
OPERATIONS = COMPLETED | {
    "backupItemOperationsAttempted": 2,
    "backupItemOperationsCompleted": 1,
    "backupItemOperationsFailed": 1,
}


def test_operations_are_counted_and_with_details_listed() -> None:
    text = text_of(backup(OPERATIONS), volumes=NOTHING)
    assert (
        "\n\nBackup Item Operations:  1 of 2 completed successfully, 1 failed (specify --details "
        "for more information)\nBackup Volumes:\n"
    ) in text
    found = text_of(
        backup(OPERATIONS),
        volumes=NOTHING,
        details=True,
        resources=Loaded({}),
        operations=Loaded([OPERATION]),
    )
    assert """
Backup Item Operations:
  Operation for persistentvolumeclaims db/data:
    Backup Item Action Plugin:  velero.io/csi
    Operation ID:               op-1
    Items to Update:
                           vs.snapshot.storage.k8s.io db/s
    Phase:                 Failed
    Operation Error:       no room
    Progress:              5 of 10 complete (Byte)
    Progress description:  halfway
    Created:               2026-03-27 12:00:00 +0000 UTC
    Started:               2026-03-27 12:00:01 +0000 UTC
    Updated:               2026-03-27 12:00:02 +0000 UTC
Resource List:

Backup Volumes:
""" in found  # fmt: skip


def test_operations_that_can_not_be_had_are_told_in_their_place() -> None:
    gone = Loaded(problem="it is dark")
    found = text_of(backup(OPERATIONS), details=True, operations=gone)
    assert "\nBackup Item Operations:  <error getting operation info: it is dark>\n" in found


NATIVE = {
    "backupMethod": "NativeSnapshot",
    "pvName": "pv-1",
    "result": "succeeded",
    "nativeSnapshotInfo": {
        "snapshotHandle": "snap-1", "volumeType": "gp3", "volumeAZ": "eu-1", "iops": "100",
    },
}  # fmt: skip
CSI = {
    "backupMethod": "CSISnapshot",
    "pvcNamespace": "db",
    "pvcName": "data",
    "preserveLocalSnapshot": True,
    "snapshotDataMoved": True,
    "result": "failed",
    "csiSnapshotInfo": {"vscName": "vsc", "snapshotHandle": "h", "size": 5, "driver": "d"},
    "snapshotDataMovementInfo": {
        "operationID": "op", "uploaderType": "kopia", "size": 7, "incrementalSize": 2,
    },
}  # fmt: skip
POD_VOLUME: dict[str, Any] = {
    "spec": {
        "uploaderType": "kopia", "volume": "data", "pod": {"namespace": "db", "name": "pg-0"},
    },
    "status": {"phase": "Completed", "progress": {"totalBytes": 9}, "incrementalBytes": 3},
}  # fmt: skip
RUNNING: dict[str, Any] = {
    "spec": {**POD_VOLUME["spec"], "volume": "logs"},
    "status": {"phase": "InProgress", "progress": {"totalBytes": 8, "bytesDone": 2}},
}


def test_volumes_are_named_and_with_details_told_of() -> None:
    parts: dict[str, Any] = {
        "volumes": Loaded([NATIVE, CSI, {"backupMethod": "PodVolumeBackup"}]),
        "pod_volumes": [RUNNING, POD_VOLUME],
    }
    text = text_of(backup(COMPLETED), **parts)
    assert text.endswith("""
Backup Volumes:
  Velero-Native Snapshots:
    pv-1: specify --details for more information

  CSI Snapshots:
    db/data:
      Snapshot: included, specify --details for more information
      Data Movement: included, specify --details for more information

  Pod Volume Backups - kopia (specify --details for more information):
    Completed:    1
    In Progress:  1
""")
    details = text_of(backup(COMPLETED), details=True, resources=Loaded({}), **parts)
    assert details.endswith("""
Backup Volumes:
  Velero-Native Snapshots:
    pv-1:
      Snapshot ID:        snap-1
      Type:               gp3
      Availability Zone:  eu-1
      IOPS:               100
      Result:             succeeded

  CSI Snapshots:
    db/data:
      Snapshot:
        Snapshot Content Name: vsc
        Storage Snapshot ID: h
        Snapshot Size (bytes): 5
        CSI Driver: d
        Result: failed
      Data Movement:
        Operation ID: op
        Data Mover: velero
        Uploader Type: kopia
        Moved data Size (bytes): 7
        Incremental data Size (bytes): 2
        Result: failed

  Pod Volume Backups - kopia:
    Completed:
      db/pg-0: data (size: 9, incremental size: 3)
    In Progress:
      db/pg-0: logs (25.00%)
""")


def test_snapshots_of_older_versions_are_told_of() -> None:
    status = COMPLETED | {"volumeSnapshotsAttempted": 1, "csiVolumeSnapshotsAttempted": 2}
    native = {
        "spec": {"persistentVolumeName": "pv-1", "volumeType": "gp2", "volumeIOPS": 100},
        "status": {"providerSnapshotID": "snap-1"},
    }
    snapshot = {
        "metadata": {"namespace": "db"},
        "spec": {"source": {"persistentVolumeClaimName": "data"}},
        "status": {"boundVolumeSnapshotContentName": "vsc-1"},
    }
    contents = [
        {
            "metadata": {"name": "vsc-1"},
            "spec": {"driver": "d"},
            "status": {"snapshotHandle": "h", "restoreSize": 5},
        },
        {"metadata": {"name": "vsc-2"}, "spec": {"driver": "d"}},
    ]
    text = text_of(
        backup(status),
        details=True,
        resources=Loaded({}),
        native=Loaded([native]),
        csi=Loaded([snapshot, {}]),
        csi_contents=Loaded(contents),
    )
    assert text.endswith("""
Backup Volumes:
  Velero-Native Snapshots:
    pv-1:
      Snapshot ID:        snap-1
      Type:               gp2
      Availability Zone:  \n\
      IOPS:               100
      Result:             \n\

  CSI Snapshots:
    db/data:
      Snapshot:
        Snapshot Content Name: vsc-1
        Storage Snapshot ID: h
        Snapshot Size (bytes): 5
        CSI Driver: d
        Result: \n\
    /<PVC name not found>:
      Snapshot:
        Snapshot Content Name: vsc-2
        Storage Snapshot ID: \n\
        Snapshot Size (bytes): 0
        CSI Driver: d
        Result: \n\

  Pod Volume Backups: <none included>
""")


@pytest.mark.parametrize(
    ("attempted", "told"),
    [
        ("volumeSnapshotsAttempted", "error concluding native snapshot info: dark"),
        ("csiVolumeSnapshotsAttempted", "error concluding CSI snapshot info: dark"),
    ],
)
def test_older_snapshots_that_can_not_be_had_are_told_in_their_place(
    attempted: str, told: str
) -> None:
    dark = Loaded(problem="dark")
    text = text_of(backup(COMPLETED | {attempted: 1}), native=dark, csi=dark)
    assert text.endswith(f"Backup Volumes:\n  <{told}>\n")


@pytest.mark.parametrize(
    ("phase", "colour"), [("Completed", "32"), ("Failed", "31"), ("PartiallyFailed", "31")]
)
def test_the_phase_has_a_colour_and_the_hint_none(
    phase: str, colour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_at_stdout(monkeypatch)
    text = text_of(backup({"phase": phase}))
    assert f"Phase:  \x1b[{colour}m{phase}\x1b[0m" in text


def test_one_that_is_not_what_it_should_be_is_named() -> None:
    with pytest.raises(Failure, match='Backup "nightly" is not one that can be read'):
        typed(backup(ttl=5))
