"""Finds what one can restore from: a NonAdminBackup of the same namespace, and its Velero Backup.

What a NonAdminBackup says of its Velero Backup is a hint: only one that says the same counts.
"""

from dataclasses import dataclass

from kedge.controllers.nar.heads import Nab, VeleroBackup
from kedge.kube.meta import ObjectMeta, Partial
from kedge.runtime import Cache, Key
from kedge.selfservice.buckets import Buckets
from kedge.selfservice.marks import NABSL, is_marked
from kedge.selfservice.validate import OwnBackup


@dataclass(frozen=True, slots=True)
class Backups:
    """What there is to restore from."""

    nabs: Cache[Nab]
    backups: Cache[VeleroBackup]
    locations: Cache[Partial]
    home: str

    def find(self, namespace: str, name: str) -> tuple[OwnBackup, str]:
        """Give a NonAdminBackup and the phase of its Velero Backup."""
        nab = self.nabs.get(Key(namespace, name))
        if nab is None:
            return OwnBackup(), ""
        found = self.backups.get(Key(self.home, nab.nacuuid)) if nab.nacuuid else None
        if found is None or not self._is_own(found, nab):
            return OwnBackup(found=True, phase=nab.phase), ""
        place = self._place(found.location)
        is_own = place is not None and is_marked(NABSL, place.labels, place.annotations)
        return OwnBackup(True, nab.phase, found.metadata.name, is_own), found.phase

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
