"""Finds what a download is of, by objects that users can not write."""

from dataclasses import dataclass
from typing import Final, TypeVar

from kedge.client import Client
from kedge.controllers.nadr.heads import (
    BACKUPS,
    LOCATIONS,
    NARS,
    RESTORES,
    Nadr,
)
from kedge.kube.errors import NotFound
from kedge.kube.kind import Kind
from kedge.selfservice.marks import NAB, NABSL, NAR, Mark, is_nacuuid, origin_of
from kedge.selfservice.nab import NABS, Nab
from kedge.selfservice.whole import Whole

Held = TypeVar("Held", bound=Whole)

BACKUP_MISSING: Final = "NonAdminBackupNotAvailable"
RESTORE_MISSING: Final = "NonAdminRestoreNotAvailable"
NOT_OWN: Final = "NonAdminBackupStorageLocationNotUsed"
TEXTS: Final = {
    BACKUP_MISSING: "cannot get nonadminbackup",
    RESTORE_MISSING: "cannot get nonadminrestore",
    NOT_OWN: ("backup does not use nonadminbackupstoragelocation, recreate nadr to process"),
}
RESTORE_KINDS: Final = "Restore"
"""So begin the kinds of files that restores have."""


class NoSource(Exception):
    """There is nothing to download from; the condition that says so."""


@dataclass(slots=True)
class Sources:
    """Looks for Velero Backups and Restores of a user's own objects."""

    client: Client
    home: str

    async def find(self, nadr: Nadr) -> str:
        """Give the name of the Velero object whose file is asked for; raises NoSource."""
        kind, name = nadr.target
        namespace = nadr.metadata.namespace
        if not kind.startswith(RESTORE_KINDS):
            return await self._own_backup(namespace, name)
        nar = await self._read(NARS, name, namespace, RESTORE_MISSING)
        made = await self._made(nar, "veleroRestore", NAR, RESTORES, RESTORE_MISSING)
        # Not what the NonAdminRestore says by now: what was really restored from.
        backup = str((made.spec or {}).get("backupName") or "")
        await self._check_location(
            await self._read(BACKUPS, backup, self.home, BACKUP_MISSING), namespace
        )
        return made.metadata.name

    async def _own_backup(self, namespace: str, name: str) -> str:
        nab = await self._read(NABS, name, namespace, BACKUP_MISSING)
        made = await self._made(nab, "veleroBackup", NAB, BACKUPS, BACKUP_MISSING)
        await self._check_location(made, namespace)
        return made.metadata.name

    async def _made(
        self, own: Whole, field: str, mark: Mark, kind: Kind[Whole], missing: str
    ) -> Whole:
        """Read the Velero object that is proven to have been made for a user's one."""
        nacuuid = str(((own.status or {}).get(field) or {}).get("nacuuid") or "")
        if not is_nacuuid(nacuuid):
            raise NoSource(missing)
        found = await self._read(kind, nacuuid, self.home, missing)
        meta, owner = found.metadata, own.metadata
        origin = origin_of(mark, meta.labels, meta.annotations)
        is_taken = isinstance(own, Nab) and own.has_taken(nacuuid)
        uid = "" if is_taken else owner.uid
        if origin is None or not origin.is_of(owner.namespace, owner.name, nacuuid, uid):
            raise NoSource(missing)
        return found

    async def _check_location(self, backup: Whole, namespace: str) -> None:
        """See that a backup is in a bucket of the user's; raises NoSource."""
        name = str((backup.spec or {}).get("storageLocation") or "")
        location = await self._read(LOCATIONS, name, self.home, NOT_OWN)
        meta = location.metadata
        origin = origin_of(NABSL, meta.labels, meta.annotations)
        if origin is None or origin.nacuuid != meta.name or origin.namespace != namespace:
            raise NoSource(NOT_OWN)

    async def _read(self, kind: Kind[Held], name: str, namespace: str, missing: str) -> Held:
        try:
            return await self.client.get(kind, name, namespace)
        except (NotFound, ValueError):
            raise NoSource(missing) from None
