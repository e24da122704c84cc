"""The Backup that is being worked on."""

from dataclasses import dataclass, field
from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.kube.kind import Object
from kedge.runtime import held
from kedge.runtime.held import Lost as Lost
from kedge.runtime.relay import Relay

BACKUPS: Final = BACKUP.into(dict)
"""Read whole: it may have fields that are newer than we are."""


@dataclass(slots=True)
class Held(held.Held):
    """One Backup, and what is written to it."""

    has_files: bool = False
    """Whether there may be files of it that are not a backup yet."""
    ran: Object | None = None
    """The spec that it was run with: somebody may have edited it since."""
    written: Relay = field(default_factory=Relay)
    """Tells of each write."""

    async def write(self, status: Object | None = None, change: Object | None = None) -> None:
        """Write it as each object that is held, and tell of it."""
        await held.Held.write(self, status, change)
        self.written.tell(self.obj)

    @property
    def location(self) -> str:
        """The name of its storage location."""
        return str(self.spec.get("storageLocation") or "")
