"""Volume data of a backup that lies outside of its files, and that nothing here can delete."""

import logging
from typing import Any, Final

from kedge.archive.layout import backup_pod_volumes, backup_snapshots
from kedge.client.errors import cut
from kedge.engine.storage.errors import ContentError
from kedge.engine.storage.limited import read_list
from kedge.engine.storage.store import BackupStore
from kedge.objects.errors import ObjectNotFound

logger = logging.getLogger(__name__)

SHOWN: Final = 10
"""Errors that a request tells of, for each kind of snapshot."""
HINT: Final = "this version can not delete volume data; delete the backup with Velero"


async def kept_elsewhere(store: BackupStore, name: str) -> list[str]:
    """Tell what would be left behind, and never be found again, if the files were deleted."""
    snapshots = await _ids(store, backup_snapshots(name), "providerSnapshotID")
    volumes = await _ids(store, backup_pod_volumes(name), "snapshotID")
    return [
        *(f"error deleting snapshot {cut(one)}: {HINT}" for one in snapshots[:SHOWN]),
        *(f"error deleting pod volume snapshot {cut(one)}: {HINT}" for one in volumes[:SHOWN]),
    ]


async def _ids(store: BackupStore, key: str, field: str) -> list[str]:
    try:
        found = await read_list(store, key)
    except ObjectNotFound:
        return []
    except ContentError as exc:
        # What nobody can read names no snapshot, and must not keep a backup for ever.
        logger.warning("a file of a backup is not readable", extra={"error": cut(str(exc))})
        return []
    return [text for one in found if (text := _status(one).get(field)) and isinstance(text, str)]


def _status(one: Any) -> dict[str, Any]:
    status = one.get("status") if isinstance(one, dict) else None
    return status if isinstance(status, dict) else {}
