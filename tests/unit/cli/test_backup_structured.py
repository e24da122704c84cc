"""A backup as JSON, with the keys that Velero gives it."""

import json
from typing import Any

import pytest

from kedge.cli.backup.gathering import Gathered
from kedge.cli.backup.kind import typed
from kedge.cli.backup.structured import document, structured
from kedge.cli.loaded import Loaded, Result, Results
from tests.unit.cli.test_backup_describe import (
    COMPLETED,
    CSI,
    NATIVE,
    NOTHING,
    POD_VOLUME,
    RUNNING,
    backup,
    deletion,
)


def gathered(plain: dict[str, Any], **parts: Any) -> Gathered:
    return Gathered(plain, typed(plain), **parts)


WHOLE = """\
{
    "metadata": {
        "annotations": null,
        "labels": {
            "a": "<b>"
        },
        "name": "nightly",
        "namespace": "velero"
    },
    "phase": "Completed",
    "spec": {
        "CSISnapshotTimeout": "0s",
        "TTL": "720h0m0s",
        "dataMover": "<none>",
        "labelSelector": "app=x",
        "namespaces": {
            "excluded": "<none>",
            "included": "*"
        },
        "resources": {
            "clusterScoped": "auto",
            "excluded": "<none>",
            "included": "*"
        },
        "storageLocation": "default",
        "veleroNativeSnapshotPVs": "auto",
        "veleroSnapshotMoveData": "auto"
    },
    "status": {
        "backupFormatVersion": "1.1.0",
        "backupVolumes": {
            "csiSnapshots": "<none included>",
            "nativeSnapshots": "<none included>",
            "podVolumeBackups": "<none included>"
        },
        "completed": "2026-03-27 12:00:09 +0000 UTC",
        "expiration": "2026-04-26 12:00:00 +0000 UTC",
        "itemsBackedUp": 12,
        "started": "2026-03-27 12:00:00 +0000 UTC",
        "totalItemsToBeBackedUp": 12
    }
}
"""


def test_one_that_is_completed() -> None:
    spec = {"storageLocation": "default", "ttl": "720h"}
    plain = backup(COMPLETED, **spec, labelSelector={"matchLabels": {"app": "x"}})
    plain["metadata"]["labels"] = {"a": "<b>"}
    assert structured(gathered(plain, volumes=NOTHING)) == WHOLE


def test_text_stays_as_it_is() -> None:
    plain = backup(COMPLETED, storageLocation="büro")
    assert '"storageLocation": "büro"' in structured(gathered(plain))


def test_one_that_runs() -> None:
    status = {"phase": "InProgress", "progress": {"totalItems": 9, "itemsBackedUp": 4}}
    told = document(gathered(backup(status)))["status"]
    assert told["estimatedTotalItemsToBeBackedUp"] == 9
    assert told["itemsBackedUpSoFar"] == 4
    assert (told["started"], told["completed"], told["expiration"]) == ("<n/a>", "<n/a>", "<nil>")


def test_what_there_is_only_sometimes() -> None:
    hook = {"exec": {"container": "db", "command": ["a", "b"], "onError": "Fail", "timeout": "3s"}}
    plain = backup(
        {
            "phase": "FailedValidation",
            "validationErrors": ["bad"],
            "failureReason": "worse",
            "hookStatus": {"hooksAttempted": 2, "hooksFailed": 1},
        },
        resourcePolicy={"kind": "configmap", "name": "rules"},
        orderedResources={"pods": "a/b"},
        hooks={"resources": [{"name": "h", "pre": [hook], "post": [hook, {}]}]},
    )
    told = document(gathered(plain))
    assert told["resourcePolicies"] == {"type": "configmap", "name": "rules"}
    assert told["validationErrors"] == ["bad"]
    assert told["failureReason"] == "worse"
    assert told["spec"]["orderedResources"] == {"pods": "a/b"}
    assert (told["status"]["hooksAttempted"], told["status"]["hooksFailed"]) == (2, 1)
    written = {"container": "db", "command": "a b", "onError:": "Fail", "timeout": "3s"}
    assert told["spec"]["hooks"]["resources"]["h"] == {
        "namespaces": {"included": "*", "excluded": "<none>"},
        "resources": {"included": "*", "excluded": "<none>"},
        "labelSelector": "<none>",
        "preExecHook": [written],
        "postExecHook": [written],
    }


@pytest.mark.parametrize(
    ("loaded", "errors", "warnings"),
    [
        (Loaded(is_absent=True, problem="x"), {"count": 1}, {"count": 2}),
        (
            Loaded(problem="dark"),
            {"errorGettingErrors": "<error getting errors: dark>"},
            {"errorGettingWarnings": "<error getting warnings: dark>"},
        ),
        (
            Loaded(problem="odd", is_unreadable=True),
            {"errorGettingErrors": "<error decoding errors: odd>"},
            {"errorGettingWarnings": "<error decoding warnings: odd>"},
        ),
        (
            Loaded(Results(Result(namespaces={"a": ["w"]}), Result(velero=["v"], cluster=["c"]))),
            {"velero": ["v"], "cluster": ["c"], "namespace": []},
            {"velero": [], "cluster": [], "namespace": {"a": ["w"]}},
        ),
    ],
)
def test_warnings_and_errors(loaded: Loaded, errors: Any, warnings: Any) -> None:
    told = document(gathered(backup({"errors": 1, "warnings": 2}), results=loaded))
    assert (told["errors"], told["warnings"]) == (errors, warnings)


@pytest.mark.parametrize(
    ("loaded", "told"),
    [
        (Loaded({"v1/Pod": ["a/b"]}), {"resourceList": {"v1/Pod": ["a/b"]}}),
        (
            Loaded(is_absent=True, problem="x"),
            {"errorGettingResourceList": "<backup resource list not found>"},
        ),
        (
            Loaded(problem="dark"),
            {"errorGettingResourceList": "<error getting backup resource list: dark>"},
        ),
        (
            Loaded(problem="odd", is_unreadable=True),
            {"errorGettingResourceList": "<error reading backup resource list: odd>"},
        ),
    ],
)
def test_the_list_of_objects(loaded: Loaded, told: dict[str, Any]) -> None:
    status = document(gathered(backup(COMPLETED), resources=loaded, details=True))["status"]
    assert told.items() <= status.items()


def test_volumes() -> None:
    parts: dict[str, Any] = {
        "volumes": Loaded([NATIVE, CSI]),
        "pod_volumes": [POD_VOLUME, RUNNING],
    }
    told = document(gathered(backup(COMPLETED), **parts))["status"]["backupVolumes"]
    more = "specify --details for more information"
    assert told == {
        "nativeSnapshots": {"pv-1": more},
        "csiSnapshots": {
            "db/data": {"snapshot": f"included, {more}", "dataMovement": f"included, {more}"}
        },
        "podVolumeBackups": {
            "uploderType": "kopia",
            "podVolumeBackupsDetails": {"Completed": 1, "In Progress": 1},
        },
    }
    told = document(gathered(backup(COMPLETED), details=True, **parts))["status"]["backupVolumes"]
    assert told == {
        "nativeSnapshots": {
            "pv-1": {
                "snapshotID": "snap-1",
                "type": "gp3",
                "availabilityZone": "eu-1",
                "IOPS": "100",
                "result": "succeeded",
            }
        },
        "csiSnapshots": {
            "db/data": {
                "snapshot": {
                    "snapshotContentName": "vsc",
                    "storageSnapshotID": "h",
                    "snapshotSize(bytes)": 5,
                    "csiDriver": "d",
                    "result": "failed",
                },
                "dataMovement": {
                    "operationID": "op",
                    "dataMover": "velero",
                    "uploaderType": "kopia",
                    "result": "failed",
                    "size": 7,
                    "incrementalSize": 2,
                },
            }
        },
        "podVolumeBackups": {
            "uploderType": "kopia",
            "podVolumeBackupsDetails": {
                "Completed": [{"db/pg-0": "data (size: 9, incremental size: 3)"}],
                "In Progress": [{"db/pg-0": "logs (25.00%)"}],
            },
        },
    }


def test_volumes_that_can_not_be_known() -> None:
    dark = Loaded(problem="dark")
    told = document(gathered(backup(COMPLETED), volumes=dark))["status"]["backupVolumes"]
    assert told == {"errorGetBackupVolumeInfo": "error getting backup volume info: dark"}


def test_attempts_to_delete_it() -> None:
    attempts = [deletion("2026-03-27T12:00:00Z", "locked"), deletion("2026-03-27T13:00:00Z")]
    told = document(gathered(backup(COMPLETED), deletions=attempts))["deletionAttempts"]
    assert told == {
        "failed": 1,
        "deleteBackupRequests": [
            {
                "creationTimestamp": "2026-03-27 12:00:00 +0000 UTC",
                "phase": "Processed",
                "errors": ["locked"],
            },
            {"creationTimestamp": "2026-03-27 13:00:00 +0000 UTC", "phase": "Processed"},
        ],
    }


def test_it_is_json_whatever_is_in_it() -> None:
    plain = backup(COMPLETED, storageLocation='"\n\x1b')
    assert json.loads(structured(gathered(plain)))["spec"]["storageLocation"] == '"\n\x1b'
