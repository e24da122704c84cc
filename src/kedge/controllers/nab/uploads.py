"""Counts the data that another server moves for a Backup: by asking, where there is any.

The kind is Velero's own, and a cluster may do without it: then nobody could follow it.
"""

from dataclasses import dataclass, field
from typing import Final

from kedge.aio.clock import Clock
from kedge.api.velero.labels import BACKUP_NAME, valid_name
from kedge.client import Client, Selection
from kedge.controllers.nab.counts import UPLOADS as FIELD
from kedge.controllers.nab.counts import tally
from kedge.controllers.nab.heads import UPLOADS, VeleroBackup
from kedge.kube.errors import Forbidden, NotFound
from kedge.selfservice.queue import DONE

ABSENT_SECONDS: Final = 60.0
"""So long it is not looked again for a kind that the cluster does not have."""
FRESH_SECONDS: Final = 5.0
"""Of a Backup that is under way, what was counted counts for so long; then it is counted anew."""

Counts = dict[str, int]


@dataclass(slots=True)
class Uploads:
    """Counts DataUploads."""

    client: Client
    home: str
    clock: Clock
    _absent_until: float = float("-inf")
    _known: dict[str, tuple[float, Counts]] = field(default_factory=dict)

    async def counts(self, backup: VeleroBackup) -> dict[str, Counts]:
        """Count those of a Backup; nothing where it moves no data, or nobody can know."""
        if not _moves(backup) or self.clock.monotonic() < self._absent_until:
            return {}
        name, now = backup.metadata.name, self.clock.monotonic()
        until, known = self._known.pop(name, (now, {}))
        if self.is_moving(backup) and now < until:
            self._known[name] = until, known
            return {FIELD: known}
        where = Selection(self.home, labels=f"{BACKUP_NAME}={valid_name(name)}")
        try:
            found = [one async for one in self.client.list(UPLOADS, where)]
        except (NotFound, Forbidden):
            self._absent_until = now + ABSENT_SECONDS
            return {}
        known = tally(FIELD, (one.status.phase if one.status else "" for one in found))
        if self.is_moving(backup):
            self._known[name] = now + FRESH_SECONDS, known
        return {FIELD: known}

    def is_moving(self, backup: VeleroBackup) -> bool:
        """Tell whether data is on its way: then it is to be counted again."""
        is_there = self.clock.monotonic() >= self._absent_until
        return is_there and _moves(backup) and (backup.status or {}).get("phase") not in DONE


def _moves(backup: VeleroBackup) -> bool:
    return bool((backup.status or {}).get("backupItemOperationsAttempted"))
