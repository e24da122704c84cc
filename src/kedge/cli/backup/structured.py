"""A backup as a document for programs, with the keys that Velero gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kedge.cli.backup.description import UNKNOWN, failed_deletions
from kedge.cli.backup.spec import selector
from kedge.cli.backup.volumes import MORE, UnknownVolumes, infos
from kedge.cli.description import NONE, flag, listed
from kedge.cli.objects import duration_text, part, time_text
from kedge.cli.podvolumes import BACKUP_PHASES, by_phase, by_pod, uploader

if TYPE_CHECKING:
    from kedge.api.velero.backup import BackupHook, BackupHookGroup, BackupSpec
    from kedge.cli.backup.gathering import Gathered
    from kedge.cli.loaded import Result

Document = dict[str, Any]


def structured(found: Gathered) -> str:
    """Write one Backup as JSON."""
    import json

    return json.dumps(document(found), indent=4, sort_keys=True, ensure_ascii=False) + "\n"


def document(found: Gathered) -> Document:
    """Describe one Backup."""
    spec, status = found.backup.spec, found.backup.status
    meta = found.plain.get("metadata") or {}
    made: Document = {
        "metadata": {k: meta.get(k) for k in ("name", "namespace", "labels", "annotations")},
        "phase": status.phase,
        "spec": _spec(spec),
        "status": _status(found),
    }
    if spec.resource_policy is not None:
        policy = spec.resource_policy
        made["resourcePolicies"] = {"type": policy.kind, "name": policy.name}
    if status.validation_errors:
        made["validationErrors"] = status.validation_errors
    if status.failure_reason:
        made["failureReason"] = status.failure_reason
    if status.warnings or status.errors:
        made |= _results(found)
    if found.deletions:
        made["deletionAttempts"] = _deletions(found)
    return made


def _results(found: Gathered) -> Document:
    loaded, status = found.results, found.backup.status
    if loaded.is_absent:
        return {"errors": {"count": status.errors}, "warnings": {"count": status.warnings}}
    if loaded.problem:
        verb = "decoding" if loaded.is_unreadable else "getting"
        return {
            "errors": {"errorGettingErrors": f"<error {verb} errors: {loaded.problem}>"},
            "warnings": {"errorGettingWarnings": f"<error {verb} warnings: {loaded.problem}>"},
        }
    return {
        "errors": _result(loaded.value.errors) if status.errors else {},
        "warnings": _result(loaded.value.warnings) if status.warnings else {},
    }


def _result(result: Result) -> Document:
    return {
        "velero": result.velero or [],
        "cluster": result.cluster or [],
        "namespace": result.namespaces or [],
    }


def _spec(spec: BackupSpec) -> Document:
    scope = flag(spec.include_cluster_resources, "auto", yes="included", no="excluded")
    made: Document = {
        "namespaces": _scope(spec.included_namespaces, spec.excluded_namespaces),
        "resources": _scope(spec.included_resources, spec.excluded_resources)
        | {"clusterScoped": scope},
        "labelSelector": selector(spec.label_selector),
        "storageLocation": spec.storage_location,
        "veleroNativeSnapshotPVs": flag(spec.snapshot_volumes, "auto"),
        "veleroSnapshotMoveData": flag(spec.snapshot_move_data, "auto"),
        "dataMover": spec.datamover or NONE,
        "TTL": duration_text(spec.ttl),
        "CSISnapshotTimeout": duration_text(spec.csi_snapshot_timeout),
    }
    groups = spec.hooks.resources if spec.hooks is not None else None
    if groups:
        made["hooks"] = {"resources": {one.name: _hooks(one) for one in groups}}
    if spec.ordered_resources is not None:
        made["orderedResources"] = spec.ordered_resources
    return made


def _scope(included: list[str] | None, excluded: list[str] | None) -> Document:
    return {"included": listed(included, "*"), "excluded": listed(excluded)}


def _hooks(group: BackupHookGroup) -> Document:
    return {
        "namespaces": _scope(group.included_namespaces, group.excluded_namespaces),
        "resources": _scope(group.included_resources, group.excluded_resources),
        "labelSelector": selector(group.label_selector),
        "preExecHook": [_hook(one) for one in group.pre or () if one.exec is not None],
        "postExecHook": [_hook(one) for one in group.post or () if one.exec is not None],
    }


def _hook(hook: BackupHook) -> Document:
    assert hook.exec is not None
    return {
        "container": hook.exec.container,
        "command": " ".join(hook.exec.command or ()),
        "onError:": hook.exec.on_error,  # with the colon: so it is called there
        "timeout": duration_text(hook.exec.timeout),
    }


def _status(found: Gathered) -> Document:
    status = found.backup.status
    made: Document = {
        "backupFormatVersion": status.format_version,
        "started": time_text(status.start_timestamp, UNKNOWN),
        "completed": time_text(status.completion_timestamp, UNKNOWN),
        "expiration": time_text(status.expiration, "<nil>"),
        "backupVolumes": _volumes(found),
    }
    if status.progress is not None:
        before, after = "totalItemsToBeBackedUp", "itemsBackedUp"
        if status.phase == "InProgress":
            before, after = "estimatedTotalItemsToBeBackedUp", "itemsBackedUpSoFar"
        made[before] = status.progress.total_items
        made[after] = status.progress.items_backed_up
    if found.details:
        made |= _resources(found)
    if status.hook_status is not None:
        made["hooksAttempted"] = status.hook_status.hooks_attempted
        made["hooksFailed"] = status.hook_status.hooks_failed
    return made


def _resources(found: Gathered) -> Document:
    loaded = found.resources
    if loaded.is_absent:
        return {"errorGettingResourceList": "<backup resource list not found>"}
    if loaded.problem:
        verb = "reading" if loaded.is_unreadable else "getting"
        text = f"<error {verb} backup resource list: {loaded.problem}>"
        return {"errorGettingResourceList": text}
    return {"resourceList": loaded.value}


def _volumes(found: Gathered) -> Document:
    try:
        native, csi = infos(found)
    except UnknownVolumes as exc:
        return {exc.key: str(exc)}
    doubt = " or not detectable" if found.volumes.is_absent else ""
    return {
        "nativeSnapshots": {str(one.get("pvName") or ""): _native(one, found) for one in native}
        or "<none included>",
        "csiSnapshots": {_claim(one): _csi(one, found.details) for one in csi}
        or f"<none included{doubt}>",
        "podVolumeBackups": _pod_volumes(found),
    }


def _claim(info: Mapping[str, Any]) -> str:
    return f"{info.get('pvcNamespace') or ''}/{info.get('pvcName') or ''}"


def _native(info: Mapping[str, Any], found: Gathered) -> Document | str:
    if not found.details:
        return MORE
    native = info.get("nativeSnapshotInfo") or {}
    return {
        "snapshotID": native.get("snapshotHandle") or "",
        "type": native.get("volumeType") or "",
        "availabilityZone": native.get("volumeAZ") or "",
        "IOPS": native.get("iops") or "",
        "result": info.get("result") or "",
    }


def _csi(info: Mapping[str, Any], details: bool) -> Document:
    made: Document = {}
    if info.get("preserveLocalSnapshot"):
        made["snapshot"] = _local(info) if details else f"included, {MORE}"
    if info.get("snapshotDataMoved"):
        made["dataMovement"] = _moved(info) if details else f"included, {MORE}"
    return made


def _local(info: Mapping[str, Any]) -> Document:
    csi = info.get("csiSnapshotInfo") or {}
    made = {
        "snapshotContentName": csi.get("vscName") or "",
        "storageSnapshotID": csi.get("snapshotHandle") or "",
        "snapshotSize(bytes)": csi.get("size") or 0,
        "csiDriver": csi.get("driver") or "",
        "result": info.get("result") or "",
    }
    if not info.get("snapshotDataMoved"):
        made["operationID"] = csi.get("operationID") or ""
    return made


def _moved(info: Mapping[str, Any]) -> Document:
    moved = info.get("snapshotDataMovementInfo") or {}
    made = {
        "operationID": moved.get("operationID") or "",
        "dataMover": moved.get("dataMover") or "velero",
        "uploaderType": moved.get("uploaderType") or "",
        "result": info.get("result") or "",
    }
    size, grown = moved.get("size") or 0, moved.get("incrementalSize") or 0
    return made | ({"size": size, "incrementalSize": grown} if size or grown else {})


def _pod_volumes(found: Gathered) -> Document | str:
    if not found.pod_volumes:
        return "<none included>"
    told: Document = {}
    for phase, some in by_phase(found.pod_volumes, BACKUP_PHASES).items():
        pods = by_pod(some, phase)
        each = [{label: ", ".join(volumes)} for label, volumes in pods.items()]
        told[phase] = each if found.details else len(some)
    # The first key is written so there.
    return {"uploderType": uploader(found.pod_volumes), "podVolumeBackupsDetails": told}


def _deletions(found: Gathered) -> Document:
    requests = []
    for one in found.deletions:
        made: Document = {
            "creationTimestamp": time_text(part(one, "metadata", "creationTimestamp"), "<nil>"),
            "phase": part(one, "status", "phase") or "",
        }
        if part(one, "status", "errors"):
            made["errors"] = part(one, "status", "errors")
        requests.append(made)
    count = failed_deletions(found.deletions)
    return {"deleteBackupRequests": requests} | ({"failed": count} if count else {})
