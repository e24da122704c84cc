"""A restore in words: whole texts, in the layout of Velero."""

from typing import Any

import pytest

from kedge.cli.loaded import Loaded, Result, Results
from kedge.cli.restore.description import description
from kedge.cli.restore.gathering import Gathered
from kedge.cli.restore.kind import typed
from tests.unit.cli.conftest import look_at_stdout


def restore(status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    meta = {"name": "back", "namespace": "velero", "uid": "1"}
    return {"metadata": meta, "spec": {"backupName": "nightly", **spec}, "status": status or {}}


def text_of(plain: dict[str, Any], **parts: Any) -> str:
    return description(Gathered(plain, typed(plain), **parts))


HEAD = """\
Name:         back
Namespace:    velero
Labels:       <none>
Annotations:  <none>

"""
NEW = """\
Phase:  New

Started:    <n/a>
Completed:  <n/a>

Backup:  nightly

Namespaces:
  Included:  all namespaces found in the backup
  Excluded:  <none>

Resources:
  Included:        *
  Excluded:        <none>
  Cluster-scoped:  auto

Namespace mappings:  <none>

Label selector:  <none>

Or label selector:  <none>

Restore PVs:  auto

Existing Resource Policy:   <none>
ItemOperationTimeout:       0s

Preserve Service NodePorts:  auto

"""


def test_one_that_nobody_has_looked_at() -> None:
    assert text_of(restore()) == HEAD + NEW


FULL_SPEC = {
    "includedNamespaces": ["a", "b"],
    "excludedNamespaces": ["c"],
    "includedResources": ["pods"],
    "excludedResources": ["nodes", "events"],
    "includeClusterResources": False,
    "namespaceMapping": {"b": "y", "a": "x"},
    "labelSelector": {"matchLabels": {"app": "x"}},
    "orLabelSelectors": [{"matchLabels": {"a": "b"}}, {"matchLabels": {"c": "d"}}],
    "restorePVs": True,
    "existingResourcePolicy": "update",
    "itemOperationTimeout": "4h0m0s",
    "preserveNodePorts": True,
    "resourceModifier": {"kind": "configmap", "name": "rules"},
    "uploaderConfig": {"writeSparseFiles": True, "parallelFilesDownload": 4},
}
FULL = """\
Phase:                       PartiallyFailed (run 'kedge restore logs back' for more information)
Total items to be restored:  7
Items restored:              6

Started:    2026-03-27 12:00:00 +0000 UTC
Completed:  2026-03-27 12:00:09 +0000 UTC

Validation errors:  odd

Failure reason:  no room

Warnings:
  Velero:     <none>
  Cluster:  one
            two
  Namespaces: <none>

Errors:
  Velero:     <none>
  Cluster:    <none>
  Namespaces:
    a:  three

Backup:  nightly

Namespaces:
  Included:  a, b
  Excluded:  c

Resources:
  Included:        pods
  Excluded:        nodes, events
  Cluster-scoped:  excluded

Namespace mappings:  a=x
                     b=y

Label selector:  app=x

Or label selector:  a=b or c=d

Restore PVs:  true

kopia Restores:
  Completed:
    db/pg-0: data (size: 9)

CSI Snapshot Restores: <none included>

Existing Resource Policy:   update
ItemOperationTimeout:       4h0m0s

Preserve Service NodePorts:  true

Resource modifier:
  Type:  configmap
  Name:  rules

Uploader config:
  Write Sparse Files:  true
  Parallel Restore:    4

Restore Item Operations:
  Operation for persistentvolumeclaims db/data:
    Restore Item Action Plugin:  velero.io/csi
    Operation ID:                op-1
    Phase:                       Completed

HooksAttempted:   2
HooksFailed:      1

Resource List:
  v1/Pod:
    - a/b(created)
    - a/c(failed)
"""


def test_one_with_all_there_can_be() -> None:
    status = {
        "phase": "PartiallyFailed",
        "progress": {"totalItems": 7, "itemsRestored": 6},
        "startTimestamp": "2026-03-27T12:00:00Z",
        "completionTimestamp": "2026-03-27T12:00:09Z",
        "validationErrors": ["odd"],
        "failureReason": "no room",
        "warnings": 2,
        "errors": 1,
        "restoreItemOperationsAttempted": 1,
        "hookStatus": {"hooksAttempted": 2, "hooksFailed": 1},
    }
    volume = {
        "spec": {
            "uploaderType": "kopia", "volume": "data", "pod": {"namespace": "db", "name": "pg-0"},
        },
        "status": {"phase": "Completed", "progress": {"totalBytes": 9}},
    }  # fmt: skip
    operation = {
        "spec": {
            "restoreItemAction": "velero.io/csi",
            "operationID": "op-1",
            "resourceIdentifier": {
                "Resource": "persistentvolumeclaims", "Namespace": "db", "Name": "data",
            },
        },
        "status": {"phase": "Completed"},
    }  # fmt: skip
    results = Results(Result(cluster=["one", "two"]), Result(namespaces={"a": ["three"]}))
    text = text_of(
        restore(status, **FULL_SPEC),
        details=True,
        pod_volumes=[volume],
        results=Loaded(results),
        operations=Loaded([operation]),
        resources=Loaded({"v1/Pod": ["a/b(created)", "a/c(failed)"]}),
        volumes=Loaded([]),
    )
    assert text == HEAD + FULL


def test_one_that_runs_tells_how_far_it_is() -> None:
    status = {"phase": "InProgress", "progress": {"totalItems": 9, "itemsRestored": 4}}
    assert """
Phase:                                 InProgress
Estimated total items to be restored:  9
Items restored so far:                 4

Started:    <n/a>
""" in text_of(restore(status))  # fmt: skip


def test_one_that_is_being_deleted_says_so() -> None:
    plain = restore({"phase": "Completed"})
    plain["metadata"]["deletionTimestamp"] = "2026-03-27T12:00:00Z"
    assert "\nPhase:  Completed (Deleting)\n" in text_of(plain)


def test_all_namespaces_are_told_in_words() -> None:
    text = text_of(restore(includedNamespaces=["*"]))
    assert "  Included:  all namespaces found in the backup\n" in text


@pytest.mark.parametrize(("broken", "verb"), [(False, "getting"), (True, "decoding")])
def test_files_that_can_not_be_had_are_told_in_their_place(broken: bool, verb: str) -> None:
    dark = Loaded(problem="dark", is_unreadable=broken)
    status = {"phase": "Completed", "warnings": 1, "restoreItemOperationsAttempted": 1}
    text = text_of(
        restore(status), details=True, results=dark, volumes=dark, operations=dark, resources=dark
    )
    assert (
        f"Completed:  <n/a>\nWarnings:   <error {verb} warnings: dark>\n\n"
        f"Errors:  <error {verb} errors: dark>\n\nBackup:  nightly\n"
    ) in text
    verb = "reading" if broken else "getting"
    told = f"<error {verb} restore volume info: dark>"
    assert f"Restore PVs:  auto\n              {told}\n\nExisting" in text
    assert f"\nRestore Item Operations:  <error {verb} operation info: dark>\n" in text
    assert text.endswith(f"Resource List:  <error {verb} restore resource list: dark>\n")


def test_operations_are_counted() -> None:
    status = {
        "restoreItemOperationsAttempted": 3,
        "restoreItemOperationsCompleted": 2,
        "restoreItemOperationsFailed": 1,
    }
    assert text_of(restore(status)).endswith(
        "auto\n\nRestore Item Operations:  2 of 3 completed successfully, 1 failed "
        "(specify --details for more information)\n"
    )


CSI = {
    "restoreMethod": "CSISnapshot",
    "pvcNamespace": "db",
    "pvcName": "a",
    "csiSnapshotInfo": {"vscName": "vsc", "snapshotHandle": "h", "driver": "d"},
}
MOVED = {
    "restoreMethod": "CSISnapshot",
    "pvcNamespace": "db",
    "pvcName": "b",
    "snapshotDataMoved": True,
    "snapshotDataMovementInfo": {"operationID": "op", "dataMover": "velero", "uploaderType": "k"},
}


def test_snapshots_come_before_data_that_was_moved() -> None:
    loaded = Loaded([MOVED, CSI, {"restoreMethod": "PodVolumeRestore"}])
    assert """
Restore PVs:  auto

CSI Snapshot Restores:
  db/a:
    Snapshot: specify --details for more information
  db/b:
    Data Movement: specify --details for more information

Existing""" in text_of(restore(), volumes=loaded)  # fmt: skip
    assert """
CSI Snapshot Restores:
  db/a:
    Snapshot:
      Snapshot Content Name: vsc
      Storage Snapshot ID: h
      CSI Driver: d
  db/b:
    Data Movement:
      Operation ID: op
      Data Mover: velero
      Uploader Type: k

Existing""" in text_of(restore(), volumes=loaded, details=True)  # fmt: skip


def test_volumes_of_pods_are_counted_without_details() -> None:
    volumes = [
        {"spec": {"uploaderType": "kopia"}, "status": {"phase": phase}}
        for phase in ("InProgress", "", "Completed", "Completed")
    ]
    assert """
kopia Restores (specify --details for more information):
  Completed:    2
  In Progress:  1
  New:          1
""" in text_of(restore(), pod_volumes=volumes)  # fmt: skip


def test_the_phase_has_a_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    look_at_stdout(monkeypatch)
    assert "Phase:  \x1b[32mCompleted\x1b[0m\n" in text_of(restore({"phase": "Completed"}))
    assert "Phase:  \x1b[31mFailed\x1b[0m (run" in text_of(restore({"phase": "Failed"}))
