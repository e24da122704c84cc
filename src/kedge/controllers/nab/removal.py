"""Deletes Velero Backups: by a request that takes the data along, or at once and without it."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from kedge.api.velero.delete_request import DeletePhase
from kedge.api.velero.labels import BACKUP_NAME, BACKUP_UID, valid_name
from kedge.client import Client, Deletion
from kedge.controllers.nab.decide import Sighting, number_of
from kedge.controllers.nab.heads import (
    BACKUPS,
    REQUESTS,
    DeleteRequest,
    Nab,
    RequestSpec,
    VeleroBackup,
)
from kedge.kube.errors import AlreadyExists, NotFound
from kedge.kube.meta import ObjectMeta
from kedge.kube.names import subdomain_name
from kedge.runtime import Cache, Entry
from kedge.selfservice.marks import NAB, annotations_for, labels_for

BACKUP: Final = "backup"
"""The index of requests by the name of their Backup."""


def by_backup(entry: Entry[DeleteRequest]) -> tuple[str, ...]:
    """Find a request by the Backup that it is for."""
    name = entry.read().spec.backup_name
    return (name,) if name else ()


@dataclass(slots=True)
class Removal:
    """Deletes Velero Backups; whose they are is for others to see."""

    client: Client
    home: str
    requests: Cache[DeleteRequest]

    async def request(self, nab: Nab) -> DeleteRequest | Sighting:
        """Give the request for the Velero Backup of an object that counts: one under way first."""
        found = [entry.read() for entry in self.requests.find(BACKUP, nab.nacuuid)]
        found = [one for one in found if not one.metadata.deletion_timestamp]
        if found:
            return max(found, key=_order)
        known = _known(nab)
        if not known or subdomain_name(known):
            return Sighting.MISSING
        try:
            one = await self.client.get(REQUESTS, known, self.home)
        except NotFound:
            return Sighting.MISSING
        return one if one.spec.backup_name == nab.nacuuid else Sighting.MISSING

    async def ask(self, nab: Nab, backup: VeleroBackup, name: str) -> DeleteRequest:
        """Ask for a Velero Backup to be deleted with its data, unless that was asked already."""
        meta = backup.metadata
        labels = labels_for(NAB, meta.name)
        labels |= {BACKUP_NAME: valid_name(meta.name), BACKUP_UID: meta.uid}
        wanted = DeleteRequest(
            ObjectMeta(
                name=name,
                namespace=self.home,
                labels=labels,
                annotations=annotations_for(NAB, *nab.place, nab.metadata.uid),
            ),
            RequestSpec(meta.name),
        )
        try:
            return await self.client.create(REQUESTS, wanted)
        except AlreadyExists:
            return await self.client.get(REQUESTS, name, self.home)

    async def drop(self, nab: Nab, backup: VeleroBackup) -> None:
        """Delete the Velero Backup of an object without its data, after the requests for it."""
        meta = backup.metadata
        found = {
            entry.key.name: Deletion(uid=entry.meta.uid)
            for entry in self.requests.find(BACKUP, meta.name)
        }
        known = _known(nab)
        if number_of(known, meta.name):
            found.setdefault(known, Deletion())  # the cache may not show the last one yet
        for name, deletion in found.items():
            with suppress(NotFound):  # that is what was wanted
                await self.client.delete(REQUESTS, name, self.home, deletion)
        with suppress(NotFound):
            await self.client.delete(BACKUPS, meta.name, self.home, Deletion(uid=meta.uid))


def _known(nab: Nab) -> str:
    """Give the name of the last request that was told of; empty: none was."""
    return str((nab.known.get("veleroDeleteBackupRequest") or {}).get("name") or "")


def _order(request: DeleteRequest) -> tuple[bool, str, str]:
    """Sort requests: one under way counts most, then the newest."""
    is_over = request.status is not None and request.status.phase == DeletePhase.PROCESSED
    return not is_over, request.metadata.creation_timestamp or "", request.metadata.name
