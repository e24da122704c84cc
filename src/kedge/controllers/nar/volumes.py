"""How far the data of volumes is on its way back."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kedge.aio.clock import Clock
from kedge.api.velero.labels import RESTORE_NAME, valid_name
from kedge.client import Client, Selection
from kedge.controllers.nar.heads import DOWNLOADS, VeleroRestore, Volume
from kedge.controllers.nar.status import Counts
from kedge.kube.errors import Forbidden, NotFound
from kedge.kube.kind import Object
from kedge.runtime import Cache, Entry

FILES: Final = {"New": "new", "InProgress": "inProgress", "Failed": "failed"} | {
    "Completed": "completed"
}
MOVES: Final = FILES | {
    "Accepted": "accepted",
    "Prepared": "prepared",
    "Canceling": "canceling",
    "Canceled": "canceled",
}
BY_RESTORE: Final = "restore"
ABSENT_SECONDS: Final = 60.0
"""So long it is not looked again for a kind that the cluster does not have."""


def by_restore(entry: Entry[Volume]) -> Iterable[str]:
    """Find the data of a volume by its Velero Restore."""
    name = entry.labels.get(RESTORE_NAME)
    return (name,) if name else ()


@dataclass(slots=True)
class Volumes:
    """Counts volumes."""

    client: Client
    files: Cache[Volume]
    """PodVolumeRestores, to be found by their Velero Restore."""
    home: str
    clock: Clock
    _absent_until: float = float("-inf")

    def version(self, restore: str) -> int:
        """Give a number that is another one where a count is."""
        entries = self.files.find(BY_RESTORE, valid_name(restore))
        return hash(frozenset((one.key, one.meta.resource_version) for one in entries))

    async def counts(self, restore: VeleroRestore) -> Counts:
        """Count the volumes of a Velero Restore."""
        name = valid_name(restore.metadata.name)
        entries = self.files.find(BY_RESTORE, name)
        files = _counted((entry.read() for entry in entries), FILES)
        # Data is moved by work that goes on aside: where there is none, nobody needs to ask.
        if not restore.known.get("restoreItemOperationsAttempted"):
            return Counts(files)
        return Counts(files, await self._moves(name))

    async def _moves(self, name: str) -> Object | None:
        if self.clock.monotonic() < self._absent_until:
            return None
        selection = Selection(self.home, labels=f"{RESTORE_NAME}={name}")
        try:
            found = [one async for one in self.client.list(DOWNLOADS, selection)]
        except (NotFound, Forbidden):
            self._absent_until = self.clock.monotonic() + ABSENT_SECONDS
            return None
        return _counted(found, MOVES)


def _counted(volumes: Iterable[Volume], names: dict[str, str]) -> Object | None:
    phases = Counter(volume.phase for volume in volumes)
    if not phases:
        return None
    known = {name: phases[phase] for phase, name in names.items() if phases[phase]}
    return {"total": phases.total(), **known}
