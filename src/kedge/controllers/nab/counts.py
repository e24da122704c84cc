"""How far the data of volumes has come: counted by phase."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from kedge.controllers.nab.heads import Volume
from kedge.runtime import Cache

BACKUP: Final = "backup"
"""The index of volumes by the label with the name of their Backup."""
VOLUMES: Final = "fileSystemPodVolumeBackups"
UPLOADS: Final = "dataMoverDataUploads"
FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    VOLUMES: {
        "New": "new",
        "": "new",
        "InProgress": "inProgress",
        "Failed": "failed",
        "Completed": "completed",
    },
    UPLOADS: {
        "New": "new",
        "": "new",
        "Accepted": "accepted",
        "Prepared": "prepared",
        "InProgress": "inProgress",
        "Canceling": "canceling",
        "Canceled": "canceled",
        "Failed": "failed",
        "Completed": "completed",
    },
}
"""Of each field of the status, what it calls a phase; others count in the total only."""


def counts_of(caches: Mapping[str, Cache[Volume]], backup: str) -> dict[str, dict[str, int]]:
    """Count the volumes of a Velero Backup, for each field of the status."""
    return {name: tally(name, _phases(cache, backup)) for name, cache in caches.items()}


def tally(name: str, phases: Iterable[str]) -> dict[str, int]:
    """Count phases under the names of a field of the status; what is 0 is left out."""
    found = Counter(phases)
    total = found.total()
    counted: Counter[str] = Counter()
    for phase, number in found.items():
        if field := FIELDS[name].get(phase):
            counted[field] += number
    return {"total": total, **dict(sorted(counted.items()))} if total else {}


def _phases(cache: Cache[Volume], backup: str) -> Iterable[str]:
    for entry in cache.find(BACKUP, backup):
        volume = entry.read()
        yield volume.status.phase if volume.status else ""
