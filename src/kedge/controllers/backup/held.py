"""The Backup that is being worked on."""

from dataclasses import dataclass
from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.kube.kind import Object
from kedge.runtime import held
from kedge.runtime.held import Lost as Lost

BACKUPS: Final = BACKUP.into(dict)
"""Read whole: it may have fields that are newer than we are."""


@dataclass(slots=True)
class Held(held.Held):
    """One Backup, and what is written to it."""

    has_files: bool = False
    """Whether there may be files of it that are not a backup yet."""
    ran: Object | None = None
    """The spec that it was run with: somebody may have edited it since."""

    @property
    def location(self) -> str:
        """The name of its storage location."""
        return str(self.spec.get("storageLocation") or "")
