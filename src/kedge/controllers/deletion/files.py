"""The files of a Backup in its bucket, on their way out."""

import logging
from typing import Final

from kedge.api.velero.storage_location import BackupStorageLocation
from kedge.controllers.deletion.decide import owns_files
from kedge.controllers.deletion.heads import BackupHead
from kedge.controllers.deletion.volumes import is_abandoned, kept_elsewhere
from kedge.engine.storage.errors import ContentError, LocationError
from kedge.engine.storage.open import Stores
from kedge.engine.storage.store import BackupStore
from kedge.kube.errors import Forbidden
from kedge.kube.foreign import cut
from kedge.objects.errors import ObjectNotFound, ObjectsError

logger = logging.getLogger(__name__)

NO_STORE: Final = "error getting the backup store"


class Files:
    """Deletes the files of Backups."""

    def __init__(self, stores: Stores) -> None:
        """Delete from these stores."""
        self._stores = stores
        self._done: dict[str, str] = {}

    async def are_of(self, backup: BackupHead, location: BackupStorageLocation) -> bool:
        """Tell whether the files under the name of a Backup are its own; raises ObjectsError."""
        store = await self._open(location)
        try:
            metadata = await store.metadata(backup.metadata.name)
        except (ObjectNotFound, ContentError):
            return True  # what can not be read is no Backup of anybody
        return owns_files(backup.phase, backup.started, metadata)

    async def delete(self, backup: BackupHead, location: BackupStorageLocation) -> list[str]:
        """Delete the files of a Backup, and tell what went wrong."""
        name = backup.metadata.name
        if self._done.get(name) == backup.metadata.uid:
            return []
        try:
            store = await self._open(location)
        except ObjectsError as exc:
            return [f"{NO_STORE}: {cut(str(exc))}"]
        try:
            errors = await self._objections(backup, store)
            if not errors:
                await store.delete_backup(name)
        except ObjectsError as exc:
            return [f"error deleting the files of backup {name}: {cut(str(exc))}"]
        if not errors:
            # Restores may take their time to go, and the bucket need not be listed each time.
            self._done[name] = backup.metadata.uid
        return errors

    async def _objections(self, backup: BackupHead, store: BackupStore) -> list[str]:
        """Tell what must not be left behind, unless somebody has said that it may."""
        kept = await kept_elsewhere(store, backup.metadata.name)
        if kept and is_abandoned(backup.metadata.annotations):
            extra = {"backup": backup.metadata.name, "count": len(kept)}
            logger.warning("volume data is left where it is, as was asked for", extra=extra)
            return []
        return kept

    async def _open(self, location: BackupStorageLocation) -> BackupStore:
        try:
            return await self._stores.open(location)
        except Forbidden as exc:
            raise LocationError(f"a Secret can not be read: {cut(str(exc))}") from exc

    def forget(self, name: str) -> None:
        """Forget a Backup whose deletion has come to an end."""
        self._done.pop(name, None)
