"""A NonAdminBackup, as all who deal with it read it: so they share what is kept of it."""

from typing import ClassVar, Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.kube.kind import Kind, Object
from kedge.selfservice.marks import NAB_FINALIZER, synced_from
from kedge.selfservice.whole import Asked


class Nab(Asked, frozen=True):
    """A NonAdminBackup."""

    finalizer: ClassVar[str] = NAB_FINALIZER

    @property
    def reference(self) -> Object:
        """The reference to the Velero Backup; empty: there is none."""
        return self.known.get("veleroBackup") or {}

    @property
    def nacuuid(self) -> str:
        """The unique name of the Velero Backup; empty: none was made up yet."""
        return str(self.reference.get("nacuuid") or "")

    @property
    def backup_spec(self) -> Object | None:
        """What is to be saved."""
        return (self.spec or {}).get("backupSpec")

    @property
    def synced_from(self) -> str:
        """The nacuuid of the Velero Backup that it was made for, not that for it; empty: none."""
        label = synced_from(self.metadata.labels)
        return label if label and self.nacuuid in ("", label) else ""

    def has_taken(self, backup: str) -> bool:
        """Tell whether a Velero Backup is its own, whichever object that was made for at first.

        Whoever takes the label off later does not make it another's: that it is its own was told.
        """
        return self.synced_from == backup or (self.is_queued and self.nacuuid == backup)


NABS: Final[Kind[Nab]] = NON_ADMIN_BACKUP.into(Nab)
