"""Volume data of a backup that lies outside of its files, and that nothing here can delete."""

from collections.abc import Mapping
from typing import Any, Final

from kedge.api.options import PREFIX
from kedge.archive.layout import backup_pod_volumes, backup_snapshots, backup_volume_info
from kedge.engine.storage.limited import read_lenient
from kedge.engine.storage.store import BackupStore
from kedge.kube.foreign import cut

SHOWN: Final = 10
"""Errors that a request tells of, for each kind of snapshot."""
CSI: Final = "CSISnapshot"
ABANDON: Final = f"{PREFIX}volume-data"
"""On a Backup: what becomes of its volume data when it is deleted; `abandon` is all there is."""
HINT: Final = (
    "this version can not delete volume data; delete the backup with Velero, or annotate it with "
    f"{ABANDON}=abandon to leave that data where it is"
)


def is_abandoned(annotations: Mapping[str, str] | None) -> bool:
    """Tell whether somebody has said that volume data may be left behind."""
    return (annotations or {}).get(ABANDON) == "abandon"


async def kept_elsewhere(store: BackupStore, name: str) -> list[str]:
    """Tell what would be left behind, and never be found again, if the files were deleted."""
    snapshots = await _ids(store, backup_snapshots(name), "providerSnapshotID")
    volumes = await _ids(store, backup_pod_volumes(name), "snapshotID")
    moved = await _of_csi(store, backup_volume_info(name))
    return [
        *(f"error deleting snapshot {cut(one)}: {HINT}" for one in snapshots[:SHOWN]),
        *(f"error deleting pod volume snapshot {cut(one)}: {HINT}" for one in volumes[:SHOWN]),
        *(f"error deleting CSI snapshot of {cut(one)}: {HINT}" for one in moved[:SHOWN]),
    ]


async def _of_csi(store: BackupStore, key: str) -> list[str]:
    """Name the volumes that were saved by CSI snapshots, be their data moved or not."""
    found = [one for one in await read_lenient(store, key) if isinstance(one, dict)]
    saved = [one for one in found if one.get("backupMethod") == CSI and not one.get("skipped")]
    return [str(one.get("pvcName") or one.get("pvName") or "?") for one in saved]


async def _ids(store: BackupStore, key: str, field: str) -> list[str]:
    # What nobody can read names no snapshot, and must not keep a backup for ever.
    found = await read_lenient(store, key)
    return [text for one in found if (text := _status(one).get(field)) and isinstance(text, str)]


def _status(one: Any) -> dict[str, Any]:
    status = one.get("status") if isinstance(one, dict) else None
    return status if isinstance(status, dict) else {}
