"""From a BackupStorageLocation to its store, with the Secrets that it names."""

from typing import Final

from kedge.aio.closing import Closing
from kedge.api.velero.storage_location import BackupStorageLocation
from kedge.client import Client
from kedge.engine.storage.place import place_of
from kedge.engine.storage.secret import Secrets
from kedge.engine.storage.store import BackupStore
from kedge.objects.open import Opener, Surroundings, open_bucket
from kedge.objects.place import Place

KEPT: Final = 64
"""Stores that are kept open; more locations than that are opened anew each time."""


class Stores(Closing):
    """Opens the stores of locations, and keeps them open; they belong to it."""

    def __init__(
        self,
        client: Client,
        surroundings: Surroundings,
        namespace: str,
        opener: Opener = open_bucket,
    ) -> None:
        """Read Secrets with this client, in the namespace of the locations."""
        self._secrets = Secrets(client, namespace)
        self._surroundings = surroundings
        self._opener = opener
        self._kept: dict[str, tuple[Place, BackupStore]] = {}

    async def open(self, location: BackupStorageLocation) -> BackupStore:
        """Give the store of a location as it is now; do not close it.

        Raises ObjectsError, and what goes wrong with reading a Secret that is there.
        """
        place = await place_of(location.spec, self._secrets)
        name = location.metadata.name
        kept = self._kept.pop(name, None)
        if kept is None or kept[0] != place:
            # Whoever still uses the store of another place can end what it does: a bucket holds
            # nothing that is not let go of with it.
            kept = (place, BackupStore(self._opener(place, self._surroundings)))
        self._kept[name] = kept
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return kept[1]

    async def close(self) -> None:
        """Close all stores."""
        while self._kept:
            _, (_, store) = self._kept.popitem()
            await store.close()
