"""Finds what one can restore from: a NonAdminBackup of the same namespace, and its Velero Backup.

What a NonAdminBackup says of its Velero Backup is a hint: only one that says the same counts.
"""

from dataclasses import dataclass

from kedge.api.velero.backup import is_terminal
from kedge.client import Client
from kedge.controllers.nar.heads import BACKUPS, VeleroBackup
from kedge.kube.errors import NotFound
from kedge.kube.meta import ObjectMeta, Partial
from kedge.runtime import Cache, Key
from kedge.selfservice.buckets import Buckets
from kedge.selfservice.marks import NABSL, is_asked, is_marked, is_nacuuid
from kedge.selfservice.nab import Nab
from kedge.selfservice.validate import OwnBackup


@dataclass(frozen=True, slots=True)
class Backups:
    """What there is to restore from."""

    client: Client
    nabs: Cache[Nab]
    backups: Cache[VeleroBackup]
    locations: Cache[Partial]
    home: str

    def find(self, namespace: str, name: str) -> tuple[OwnBackup, str]:
        """Give a NonAdminBackup and the phase of its Velero Backup."""
        nab = self.nabs.get(Key(namespace, name))
        if nab is None:
            return OwnBackup(), ""
        is_named = is_nacuuid(nab.nacuuid)
        found = self.backups.get(Key(self.home, nab.nacuuid)) if is_named else None
        judged = self._judged(nab, found)
        return judged, found.phase if found is not None and judged.velero_name else ""

    async def stands(self, namespace: str, name: str, seen: OwnBackup, phase: str) -> bool:
        """Ask the server whether a Velero Backup is still the one that was found, and as it was.

        A Restore names its Backup and no more: what is judged must be what is restored.
        """
        nab = self.nabs.get(Key(namespace, name))
        if nab is None:
            return False
        try:
            live = await self.client.get(BACKUPS, seen.velero_name, self.home)
        except NotFound:
            return False
        return live.phase == phase and self._judged(nab, live) == seen

    def _judged(self, nab: Nab, found: VeleroBackup | None) -> OwnBackup:
        """Tell whether one can restore from a Velero Backup."""
        if found is None or not self._is_own(found, nab):
            return OwnBackup(found=True, phase=nab.phase, is_lost=_has_ended(nab))
        place, meta = self._place(found.location), found.metadata
        is_own = place is not None and is_marked(NABSL, place.labels, place.annotations)
        is_agreed = place is not None and is_asked(place.annotations)
        return OwnBackup(True, nab.phase, meta.name, is_own, is_agreed, meta.uid)

    def _is_own(self, backup: VeleroBackup, nab: Nab) -> bool:
        """Tell whether a Velero Backup is the object's own, by its marks and where it is kept."""
        if not backup.is_of(nab):
            return False
        # From a location that is gone nothing can be restored anyway.
        buckets = Buckets(self._place)
        return buckets.holds(backup.location, nab.metadata.namespace, is_proven=False)

    def _place(self, name: str) -> ObjectMeta | None:
        found = self.locations.get(Key(self.home, name))
        return None if found is None else found.metadata


def _has_ended(nab: Nab) -> bool:
    """Tell whether a NonAdminBackup was told that its Velero Backup has ended."""
    return is_terminal(str((nab.reference.get("status") or {}).get("phase") or ""))
