"""Says what a backup has of the data of volumes, which is not restored."""

from collections.abc import Sequence
from typing import Any, Final

from kedge.archive import layout
from kedge.engine.storage.limited import read_lenient
from kedge.engine.storage.store import BackupStore
from kedge.kube.foreign import cut
from kedge.kube.kind import Object

SHOWN: Final = 5
"""So many names are told."""


async def saved_volumes(store: BackupStore, backup: str) -> list[str]:
    """Name the volumes whose data a backup has, by whatever way; raises ObjectsError."""
    infos = await _list(store, layout.backup_volume_info(backup))
    found = {_claim(one) for one in infos if one.get("backupMethod") and not one.get("skipped")}
    if not found:
        pods = await _list(store, layout.backup_pod_volumes(backup))
        disks = await _list(store, layout.backup_snapshots(backup))
        found = {_volume(one) for one in pods} | {_disk(one) for one in disks}
    return sorted(found)


def warning_of(volumes: Sequence[str]) -> str:
    """Say in words that their data does not come back."""
    shown = ", ".join(volumes[:SHOWN]) + (", …" if len(volumes) > SHOWN else "")
    return (
        f"the backup has the data of {_count(volumes)}, which this version does not restore: "
        f"their claims come back without it ({cut(shown)})"
    )


def _count(volumes: Sequence[str]) -> str:
    return "one volume" if len(volumes) == 1 else f"{len(volumes)} volumes"


async def _list(store: BackupStore, key: str) -> list[Object]:
    return [one for one in await read_lenient(store, key) if isinstance(one, dict)]


def _claim(info: Object) -> str:
    if info.get("pvcName"):
        return f"{info.get('pvcNamespace') or ''}/{info['pvcName']}"
    return str(info.get("pvName") or "?")


def _volume(backup: Object) -> str:
    spec: Any = backup.get("spec") or {}
    pod: Any = spec.get("pod") or {}
    return f"{pod.get('namespace') or ''}/{pod.get('name') or '?'}/{spec.get('volume') or '?'}"


def _disk(snapshot: Object) -> str:
    spec: Any = snapshot.get("spec") or {}
    return str(spec.get("persistentVolumeName") or "?")
