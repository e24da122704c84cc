"""The end of a Restore that is deleted: its files go, then its finalizer."""

from dataclasses import dataclass
from typing import Final

from kedge.api.velero.labels import RESTORE_FINALIZER
from kedge.api.velero.restore import RESTORE
from kedge.client import Client
from kedge.client.patches import merge
from kedge.controllers.restore.source import Missing, backup_and_location, is_available
from kedge.engine.storage.errors import LocationError
from kedge.engine.storage.open import Stores
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.runtime.held import Held

RESTORES: Final = RESTORE.into(dict)


@dataclass(frozen=True, slots=True)
class Removal:
    """Removes what Restores have left in buckets."""

    client: Client
    stores: Stores

    async def files(self, held: Held) -> None:
        """Remove the files of a Restore; raises ObjectsError while that can not be done."""
        name = str(held.spec.get("backupName") or "")
        if not name or not held.status.get("startTimestamp"):
            return  # it has never run, so there are none
        try:
            _, location = await backup_and_location(self.client, held.key.namespace, name)
        except Missing as exc:
            if isinstance(exc.__cause__, NotFound | ValueError):
                return  # nobody can tell any more where they are
            raise LocationError(str(exc)) from exc
        if not is_available(location):
            raise LocationError(f"bsl {location.metadata.name} is unavailable")
        store = await self.stores.open(location)
        await store.delete_restore(held.name)


async def set_finalizer(client: Client, restore: Object, *, present: bool) -> Object:
    """Put our finalizer on a Restore, or take it off; raises Conflict if somebody was faster."""
    meta = restore["metadata"]
    others = [name for name in meta.get("finalizers") or () if name != RESTORE_FINALIZER]
    wanted = [*others, RESTORE_FINALIZER] if present else others
    change = {"metadata": {"finalizers": wanted, "resourceVersion": meta["resourceVersion"]}}
    return await client.patch(RESTORES, meta["name"], merge(change), meta["namespace"])
