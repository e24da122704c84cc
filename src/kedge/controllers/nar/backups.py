"""Finds what one can restore from: a NonAdminBackup of the same namespace, and its Velero Backup.

What a NonAdminBackup says of its Velero Backup is a hint: only one that says the same counts.
"""

from dataclasses import dataclass

from kedge.controllers.nar.heads import Nab, VeleroBackup
from kedge.runtime import Cache, Key
from kedge.selfservice.validate import OwnBackup


@dataclass(frozen=True, slots=True)
class Backups:
    """What there is to restore from."""

    nabs: Cache[Nab]
    backups: Cache[VeleroBackup]
    home: str

    def find(self, namespace: str, name: str) -> tuple[OwnBackup, str]:
        """Give a NonAdminBackup and the phase of its Velero Backup."""
        nab = self.nabs.get(Key(namespace, name))
        if nab is None:
            return OwnBackup(), ""
        found = self.backups.get(Key(self.home, nab.nacuuid)) if nab.nacuuid else None
        if found is None or not found.is_of(nab):
            return OwnBackup(found=True, phase=nab.phase), ""
        return OwnBackup(True, nab.phase, found.metadata.name), found.phase
