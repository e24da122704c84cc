"""Objects of every kind: as Velero's command line writes them, and with every field set."""

from typing import Any

Object = dict[str, Any]


def made(kind: str, name: str, spec: Object, **more: Any) -> Object:
    """Put an object together, with the empty parts that Go's encoder leaves in."""
    metadata = {"name": name, "namespace": "velero", "creationTimestamp": None}
    head = {"apiVersion": "velero.io/v1", "kind": kind, "metadata": metadata}
    return {**head, "spec": spec, "status": {}, **more}


GO_TEMPLATE: Object = {
    "metadata": {},
    "includedNamespaces": ["*"],
    "includeClusterResources": None,
    "labelSelector": None,
    "ttl": "0s",
    "hooks": {},
    "csiSnapshotTimeout": "0s",
    "itemOperationTimeout": "0s",
    "snapshotVolumes": None,
    "defaultVolumesToFsBackup": None,
}

EXAMPLES: dict[str, Object] = {
    "schedules": made(
        "Schedule",
        "nightly",
        {
            "template": GO_TEMPLATE,
            "schedule": "30 2 * * *",
            "useOwnerReferencesInBackup": False,
            "skipImmediately": True,
        },
    ),
    "backups": made("Backup", "nightly-20240501023000", GO_TEMPLATE),
    "restores": made(
        "Restore",
        "back",
        {
            "backupName": "nightly-20240501023000",
            "hooks": {},
            "itemOperationTimeout": "0s",
            "uploaderConfig": {"writeSparseFiles": None},
            "includedNamespaces": ["*"],
        },
    ),
    "deletebackuprequests": made("DeleteBackupRequest", "gone-x7k2p", {"backupName": "gone"}),
    "backupstoragelocations": made(
        "BackupStorageLocation",
        "default",
        {
            "provider": "aws",
            "objectStorage": {"bucket": "b"},
            "config": {"region": "minio", "s3ForcePathStyle": "true"},
            "default": True,
            "backupSyncPeriod": None,
        },
    ),
    "volumesnapshotlocations": made("VolumeSnapshotLocation", "default", {"provider": "aws"}),
    "downloadrequests": made(
        "DownloadRequest", "logs", {"target": {"kind": "BackupLog", "name": "nightly"}}
    ),
    "serverstatusrequests": made("ServerStatusRequest", "velero-cli-abcde", {}),
    "podvolumebackups": made(
        "PodVolumeBackup",
        "nightly-abcde",
        {
            "node": "n",
            "pod": {"kind": "Pod", "namespace": "a", "name": "p", "uid": "u"},
            "volume": "data",
            "backupStorageLocation": "default",
            "repoIdentifier": "",
            "uploaderType": "kopia",
        },
    ),
    "podvolumerestores": made(
        "PodVolumeRestore",
        "back-abcde",
        {
            "pod": {"kind": "Pod", "namespace": "a", "name": "p"},
            "volume": "data",
            "backupStorageLocation": "default",
            "repoIdentifier": "",
            "snapshotID": "abc",
            "sourceNamespace": "a",
            "uploaderType": "",
        },
    ),
    "backuprepositories": made(
        "BackupRepository",
        "a-default-kopia",
        {
            "volumeNamespace": "a",
            "backupStorageLocation": "default",
            "resticIdentifier": "",
            "maintenanceFrequency": "1h0m0s",
        },
    ),
}
"""As Velero's programs write them, by plural."""

SELECTOR: Object = {
    "matchLabels": {"app": "web"},
    "matchExpressions": [
        {"key": "tier", "operator": "In", "values": ["front", "back"]},
        {"key": "old", "operator": "DoesNotExist"},
    ],
}
EXEC: Object = {"container": "db", "command": ["sync"], "onError": "Fail", "timeout": "30s"}
SCOPE: Object = {
    "name": "flush",
    "includedNamespaces": ["a"],
    "excludedNamespaces": ["b"],
    "includedResources": ["pods"],
    "excludedResources": ["jobs"],
    "labelSelector": SELECTOR,
}
FULL_TEMPLATE: Object = {
    "metadata": {"labels": {"team": "sea"}},
    "includedNamespaces": ["a", "b-*"],
    "excludedNamespaces": ["b-x"],
    "includedResources": ["configmaps"],
    "excludedResources": ["secrets"],
    "includeClusterResources": False,
    "includedClusterScopedResources": ["storageclasses"],
    "excludedClusterScopedResources": ["nodes"],
    "includedNamespaceScopedResources": ["pods"],
    "excludedNamespaceScopedResources": ["events"],
    "labelSelector": SELECTOR,
    "orLabelSelectors": [SELECTOR, {}],
    "snapshotVolumes": False,
    "ttl": "720h0m0s",
    "volumeGroupSnapshotLabelKey": "velero.io/volume-group",
    "hooks": {"resources": [{**SCOPE, "pre": [{"exec": EXEC}], "post": [{"exec": EXEC}]}]},
    "storageLocation": "default",
    "volumeSnapshotLocations": ["default"],
    "defaultVolumesToRestic": False,
    "defaultVolumesToFsBackup": True,
    "orderedResources": {"pods": "a/p1,a/p2"},
    "csiSnapshotTimeout": "10m0s",
    "itemOperationTimeout": "4h0m0s",
    "resourcePolicy": {"apiGroup": "", "kind": "configmap", "name": "rules"},
    "snapshotMoveData": True,
    "datamover": "velero",
    "uploaderConfig": {"parallelFilesUpload": 4},
}
MOMENT = "2024-05-01T02:30:00Z"
FULL: dict[str, Object] = {
    "schedules": made(
        "Schedule",
        "full",
        {
            "template": FULL_TEMPLATE,
            "schedule": "CRON_TZ=Europe/Vienna 30 2 * * *",
            "useOwnerReferencesInBackup": True,
            "paused": True,
            "skipImmediately": False,
        },
        status={
            "phase": "Enabled",
            "lastBackup": MOMENT,
            "lastSkipped": MOMENT,
            "nextRun": "2034-05-02T02:30:00Z",
            "validationErrors": ["e"],
            "observedGeneration": 3,
            "conditions": [
                {
                    "type": "Ready",
                    "status": "False",
                    "reason": "Paused",
                    "message": "it is paused",
                    "lastTransitionTime": MOMENT,
                    "observedGeneration": 3,
                }
            ],
        },
    ),
    "backups": made(
        "Backup",
        "full",
        FULL_TEMPLATE,
        status={
            "version": 1,
            "formatVersion": "1.1.0",
            "expiration": "2034-05-31T02:30:00Z",
            "phase": "PartiallyFailed",
            "queuePosition": 2,
            "validationErrors": ["e"],
            "startTimestamp": MOMENT,
            "completionTimestamp": MOMENT,
            "volumeSnapshotsAttempted": 2,
            "volumeSnapshotsCompleted": 1,
            "failureReason": "r",
            "warnings": 3,
            "errors": 4,
            "progress": {"totalItems": 9, "itemsBackedUp": 8},
            "csiVolumeSnapshotsAttempted": 2,
            "csiVolumeSnapshotsCompleted": 1,
            "backupItemOperationsAttempted": 3,
            "backupItemOperationsCompleted": 2,
            "backupItemOperationsFailed": 1,
            "hookStatus": {"hooksAttempted": 2, "hooksFailed": 1},
        },
    ),
    "restores": made(
        "Restore",
        "full",
        {
            "backupName": "b",
            "scheduleName": "s",
            "includedNamespaces": ["a"],
            "excludedNamespaces": ["b"],
            "includedResources": ["pods"],
            "excludedResources": ["nodes"],
            "namespaceMapping": {"a": "b"},
            "labelSelector": SELECTOR,
            "orLabelSelectors": [SELECTOR],
            "restorePVs": False,
            "restoreStatus": {"includedResources": ["a"], "excludedResources": ["b"]},
            "preserveNodePorts": True,
            "includeClusterResources": True,
            "hooks": {
                "resources": [
                    {
                        **SCOPE,
                        "postHooks": [
                            {
                                "exec": {
                                    "container": "db",
                                    "command": ["load"],
                                    "onError": "Continue",
                                    "execTimeout": "1m0s",
                                    "waitTimeout": "2m0s",
                                    "waitForReady": True,
                                }
                            },
                            {
                                "init": {
                                    "initContainers": [{"name": "i", "image": "x", "env": []}],
                                    "timeout": "1m0s",
                                }
                            },
                        ],
                    }
                ]
            },
            "existingResourcePolicy": "update",
            "itemOperationTimeout": "4h0m0s",
            "resourceModifier": {"kind": "configmap", "name": "m"},
            "uploaderConfig": {"writeSparseFiles": True, "parallelFilesDownload": 2},
        },
        status={
            "phase": "WaitingForPluginOperationsPartiallyFailed",
            "validationErrors": ["e"],
            "warnings": 1,
            "errors": 2,
            "failureReason": "r",
            "startTimestamp": MOMENT,
            "completionTimestamp": MOMENT,
            "progress": {"totalItems": 2, "itemsRestored": 1},
            "restoreItemOperationsAttempted": 3,
            "restoreItemOperationsCompleted": 2,
            "restoreItemOperationsFailed": 1,
            "hookStatus": {"hooksAttempted": 2, "hooksFailed": 1},
        },
    ),
    "deletebackuprequests": made(
        "DeleteBackupRequest",
        "full",
        {"backupName": "b"},
        status={"phase": "Processed", "errors": ["e"]},
    ),
    "backupstoragelocations": made(
        "BackupStorageLocation",
        "full",
        {
            "provider": "velero.io/aws",
            "config": {"region": "r"},
            "credential": {"name": "s", "key": "cloud", "optional": True},
            "objectStorage": {
                "bucket": "b",
                "prefix": "p",
                "caCert": "Y2E=",
                "caCertRef": {"name": "s", "key": "ca"},
            },
            "default": True,
            "accessMode": "ReadOnly",
            "backupSyncPeriod": "0s",
            "validationFrequency": "1m0s",
        },
        status={
            "phase": "Unavailable",
            "message": "m",
            "lastSyncedTime": MOMENT,
            "lastValidationTime": MOMENT,
            "lastSyncedRevision": "r",
            "accessMode": "ReadWrite",
        },
    ),
    "volumesnapshotlocations": made(
        "VolumeSnapshotLocation",
        "full",
        {"provider": "aws", "config": {"a": "b"}, "credential": {"name": "s", "key": "k"}},
        status={"phase": "Available"},
    ),
    "downloadrequests": made(
        "DownloadRequest",
        "full",
        {"target": {"kind": "CSIBackupVolumeSnapshotContents", "name": "n"}},
        status={"phase": "Processed", "downloadURL": "https://x/y?z", "expiration": MOMENT},
    ),
    "serverstatusrequests": made(
        "ServerStatusRequest",
        "full",
        {},
        status={
            "phase": "Processed",
            "processedTimestamp": MOMENT,
            "serverVersion": "v1",
            "plugins": [{"name": "velero.io/aws", "kind": "ObjectStore"}],
        },
    ),
    "podvolumebackups": made(
        "PodVolumeBackup",
        "full",
        {
            "node": "n",
            "pod": {
                "apiVersion": "v1",
                "kind": "Pod",
                "namespace": "a",
                "name": "p",
                "uid": "u",
                "resourceVersion": "7",
                "fieldPath": "spec.containers{c}",
            },
            "volume": "data",
            "backupStorageLocation": "default",
            "repoIdentifier": "s3:x",
            "uploaderType": "restic",
            "uploaderSettings": {"a": "b"},
            "tags": {"a": "b"},
            "cancel": True,
        },
        status={
            "phase": "Canceling",
            "message": "m",
            "path": "/host",
            "snapshotID": "abc",
            "incrementalBytes": 1 << 40,
            "acceptedTimestamp": MOMENT,
            "startTimestamp": MOMENT,
            "completionTimestamp": MOMENT,
            "progress": {"totalBytes": 1 << 41, "bytesDone": 1 << 40},
        },
    ),
    "podvolumerestores": made(
        "PodVolumeRestore",
        "full",
        {
            "pod": {"name": "p"},
            "volume": "data",
            "backupStorageLocation": "default",
            "repoIdentifier": "s3:x",
            "uploaderType": "kopia",
            "uploaderSettings": {"a": "b"},
            "snapshotID": "abc",
            "snapshotSize": 1 << 40,
            "sourceNamespace": "a",
            "cancel": True,
        },
        status={
            "phase": "Accepted",
            "message": "m",
            "node": "n",
            "acceptedTimestamp": MOMENT,
            "startTimestamp": MOMENT,
            "completionTimestamp": MOMENT,
            "progress": {"totalBytes": 2, "bytesDone": 1},
        },
    ),
    "backuprepositories": made(
        "BackupRepository",
        "full",
        {
            "volumeNamespace": "a",
            "backupStorageLocation": "default",
            "repositoryType": "kopia",
            "resticIdentifier": "r",
            "maintenanceFrequency": "1h0m0s",
            "repositoryConfig": {"a": "b"},
        },
        status={
            "phase": "NotReady",
            "message": "m",
            "lastMaintenanceTime": MOMENT,
            "recentMaintenance": [
                {
                    "result": "Failed",
                    "startTimestamp": MOMENT,
                    "completeTimestamp": MOMENT,
                    "message": "m",
                }
            ],
        },
    ),
}
"""With every field that a stock Velero has, and those of ours, by plural."""
