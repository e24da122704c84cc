"""Deletes what was made for a location: at its end, or when the administrator takes back a word."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kedge.api.velero.labels import STORAGE_LOCATION
from kedge.client import Client, Deletion, Selection
from kedge.client.patches import merge
from kedge.controllers.nabsl.heads import (
    BACKUPS,
    LOCATIONS,
    REQUESTS,
    SECRETS,
    Nabsl,
    is_kept_in,
    is_of,
)
from kedge.kube.errors import NotFound
from kedge.kube.kind import Kind
from kedge.runtime import Cache
from kedge.selfservice.marks import is_nacuuid
from kedge.selfservice.nab import NABS, Nab


@dataclass(slots=True)
class Removal:
    """Deletes nothing but what is proven to have been made for a location."""

    client: Client
    home: str
    nabs: Cache[Nab]

    async def revoke(self, nabsl: Nabsl) -> None:
        """Delete what gives access to a bucket."""
        for kind in (LOCATIONS, SECRETS):
            await self._drop(kind, nabsl)

    async def end(self, nabsl: Nabsl) -> None:
        """Delete all that there is for a location, and the NonAdminBackups that are kept in it."""
        for entry in self.nabs.entries(nabsl.metadata.namespace):
            if is_kept_in(entry.read(), nabsl):
                await self._forget(entry.read())
        await self.revoke(nabsl)
        await self._clear(nabsl)
        await self._drop(REQUESTS, nabsl)

    async def _forget(self, nab: Nab) -> None:
        """Delete a NonAdminBackup; its data stay where they are, in the user's own bucket."""
        meta = nab.metadata
        # Without a word on the backup it would stay, and wait for a bucket that is gone.
        patch = merge({"metadata": {"uid": meta.uid}, "spec": {"forceDeleteBackup": True}})
        with suppress(NotFound):  # that is what was wanted
            await self.client.patch(NABS, meta.name, patch, meta.namespace)
            await self.client.delete(NABS, meta.name, meta.namespace, Deletion(uid=meta.uid))

    async def _clear(self, nabsl: Nabsl) -> None:
        """Delete the Velero Backups that were found in the bucket, and that nobody has yet.

        Should the bucket be brought anew, they would keep themselves from being found again.
        """
        if not is_nacuuid(nabsl.nacuuid):
            return
        where = Selection(self.home, labels=f"{STORAGE_LOCATION}={nabsl.nacuuid}")
        found = [one async for one in self.client.list(BACKUPS, where) if one.is_in(nabsl)]
        for one in found:
            with suppress(NotFound):  # that is what was wanted
                deletion = Deletion(uid=one.metadata.uid)
                await self.client.delete(BACKUPS, one.metadata.name, self.home, deletion)

    async def _drop(self, kind: Kind[Any], nabsl: Nabsl) -> None:
        """Delete one object, if it is there and was made for this location."""
        if not is_nacuuid(nabsl.nacuuid):
            return
        with suppress(NotFound):
            found = await self.client.get(kind.partial, nabsl.nacuuid, self.home)
            if is_of(found.metadata, nabsl):
                deletion = Deletion(uid=found.metadata.uid)
                await self.client.delete(kind, nabsl.nacuuid, self.home, deletion)
