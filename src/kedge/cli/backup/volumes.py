"""What became of the volumes of a backup, in words; laid out as Velero does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kedge.cli.podvolumes import BACKUP_PHASES, describe_pod_volumes, uploader

if TYPE_CHECKING:
    from kedge.cli.backup.gathering import Gathered
    from kedge.cli.description import Description

MORE = "specify --details for more information"
Info = Mapping[str, Any]


class UnknownVolumes(Exception):
    """Why it is not known what became of the volumes."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key
        """What Velero calls it in JSON."""


def infos(found: Gathered) -> tuple[list[Info], list[Info]]:
    """Give what is known of native snapshots and of those of CSI; raises UnknownVolumes."""
    loaded = found.volumes
    if loaded.is_absent:
        return _older_native(found), _older_csi(found)
    if loaded.problem:
        verb, key = ("reading", "Read") if loaded.is_unreadable else ("getting", "Get")
        text = f"error {verb} backup volume info: {loaded.problem}"
        raise UnknownVolumes(f"error{key}BackupVolumeInfo", text)
    native = [one for one in loaded.value if one.get("backupMethod") == "NativeSnapshot"]
    return native, [one for one in loaded.value if one.get("backupMethod") == "CSISnapshot"]


def describe_volumes(text: Description, found: Gathered) -> None:
    """Add the snapshots, and the volumes of pods whose files were saved."""
    text.line("Backup Volumes:")
    try:
        native, csi = infos(found)
    except UnknownVolumes as exc:
        text.line(f"<{exc}>", depth=1)
        return
    _native(text, native, found.details)
    text.blank()
    _csi(text, csi, found)
    text.blank()
    if not found.pod_volumes:
        text.line("Pod Volume Backups: <none included>", depth=1)
        return
    more = "" if found.details else f" ({MORE})"
    text.line(f"Pod Volume Backups - {uploader(found.pod_volumes)}{more}:", depth=1)
    describe_pod_volumes(text, found.pod_volumes, BACKUP_PHASES, 2, found.details)


def _native(text: Description, found: Sequence[Info], details: bool) -> None:
    if not found:
        text.line("Velero-Native Snapshots: <none included>", depth=1)
        return
    text.line("Velero-Native Snapshots:", depth=1)
    for one in found:
        name = one.get("pvName") or ""
        if not details:
            text.line(f"{name}: {MORE}", depth=2)
            continue
        info = one.get("nativeSnapshotInfo") or {}
        text.line(f"{name}:", depth=2)
        text.line("Snapshot ID:", _text(info, "snapshotHandle"), depth=3)
        text.line("Type:", _text(info, "volumeType"), depth=3)
        text.line("Availability Zone:", _text(info, "volumeAZ"), depth=3)
        text.line("IOPS:", _text(info, "iops"), depth=3)
        text.line("Result:", _text(one, "result"), depth=3)


def _csi(text: Description, infos: Sequence[Info], found: Gathered) -> None:
    if not infos:
        doubt = " or not detectable" if found.volumes.is_absent else ""
        text.line(f"CSI Snapshots: <none included{doubt}>", depth=1)
        return
    text.line("CSI Snapshots:", depth=1)
    for one in infos:
        text.line(f"{_text(one, 'pvcNamespace')}/{_text(one, 'pvcName')}:", depth=2)
        if one.get("preserveLocalSnapshot"):
            _part(text, "Snapshot", local_rows(one) if found.details else None)
        if one.get("snapshotDataMoved"):
            _part(text, "Data Movement", moved_rows(one) if found.details else None)


def _part(text: Description, name: str, rows: Sequence[tuple[str, Any]] | None) -> None:
    if rows is None:
        text.line(f"{name}: included, {MORE}", depth=3)
        return
    text.line(f"{name}:", depth=3)
    for title, value in rows:
        text.line(f"{title}: {value}", depth=4)


def local_rows(info: Info) -> list[tuple[str, Any]]:
    """Tell of a snapshot that is kept where the volume is."""
    csi = info.get("csiSnapshotInfo") or {}
    rows: list[tuple[str, Any]] = []
    if not info.get("snapshotDataMoved") and csi.get("operationID"):
        rows.append(("Operation ID", csi["operationID"]))
    return [
        *rows,
        ("Snapshot Content Name", _text(csi, "vscName")),
        ("Storage Snapshot ID", _text(csi, "snapshotHandle")),
        ("Snapshot Size (bytes)", csi.get("size") or 0),
        ("CSI Driver", _text(csi, "driver")),
        ("Result", _text(info, "result")),
    ]


def moved_rows(info: Info) -> list[tuple[str, Any]]:
    """Tell of a snapshot whose data was copied to the storage location."""
    moved = info.get("snapshotDataMovementInfo") or {}
    rows: list[tuple[str, Any]] = [
        ("Operation ID", _text(moved, "operationID")),
        ("Data Mover", moved.get("dataMover") or "velero"),
        ("Uploader Type", _text(moved, "uploaderType")),
        ("Moved data Size (bytes)", moved.get("size") or 0),
    ]
    if moved.get("incrementalSize"):
        rows.append(("Incremental data Size (bytes)", moved["incrementalSize"]))
    return [*rows, ("Result", _text(info, "result"))]


def _older_native(found: Gathered) -> list[Info]:
    if not found.backup.status.volume_snapshots_attempted:
        return []
    _check("error concluding native snapshot info", "errorConcludeNativeSnapshot", found.native)
    return [
        {
            "pvName": _text(one.get("spec") or {}, "persistentVolumeName"),
            "nativeSnapshotInfo": {
                "snapshotHandle": _text(one.get("status") or {}, "providerSnapshotID"),
                "volumeType": _text(one.get("spec") or {}, "volumeType"),
                "volumeAZ": _text(one.get("spec") or {}, "volumeAZ"),
                "iops": _text(one.get("spec") or {}, "volumeIOPS"),
            },
        }
        for one in found.native.value
    ]


def _older_csi(found: Gathered) -> list[Info]:
    if not found.backup.status.csi_volume_snapshots_attempted:
        return []
    for loaded in (found.csi, found.csi_contents):
        _check("error concluding CSI snapshot info", "errorConcludeCSISnapshot", loaded)
    claims = {}
    for snapshot in found.csi.value:
        content = (snapshot.get("status") or {}).get("boundVolumeSnapshotContentName")
        source = (snapshot.get("spec") or {}).get("source") or {}
        if content and source.get("persistentVolumeClaimName"):
            place = (snapshot.get("metadata") or {}).get("namespace") or ""
            claims[content] = (place, source["persistentVolumeClaimName"])
    return [_older_info(one, claims) for one in found.csi_contents.value]


def _older_info(content: Info, claims: Mapping[str, tuple[str, str]]) -> Info:
    name = _text(content.get("metadata") or {}, "name")
    status = content.get("status") or {}
    namespace, claim = claims.get(name, ("", "<PVC name not found>"))
    return {
        "pvcNamespace": namespace,
        "pvcName": claim,
        "preserveLocalSnapshot": True,
        "csiSnapshotInfo": {
            "vscName": name,
            "driver": _text(content.get("spec") or {}, "driver"),
            "snapshotHandle": _text(status, "snapshotHandle"),
            "size": status.get("restoreSize") or 0,
        },
    }


def _check(what: str, key: str, loaded: Any) -> None:
    if loaded.problem:
        raise UnknownVolumes(key, f"{what}: {loaded.problem}")


def _text(info: Mapping[str, Any], name: str) -> str:
    value = info.get(name)
    return "" if value is None else str(value)
