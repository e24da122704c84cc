"""How many objects there are in each case, and the names of what takes part."""

from dataclasses import dataclass

REAL, EMBEDDED = "real", "kedge"
"""The API servers."""
S3, FOLDER = "S3", "folder"
KEDGE, VELERO = "kedge", "velero"
"""Who backs up and restores."""


@dataclass(frozen=True)
class Effort:
    """How much is asked for."""

    sizes: tuple[int, ...]
    """ConfigMaps in a backup."""
    velero_restores: int
    """The largest backup that Velero restores: it takes its time."""
    empties: int
    """Backups of nothing, one after the other."""
    queued: int
    """Backups of nothing, all at once."""
    velero_queue_seconds: float
    """How long Velero may work on those."""


SPREAD = 50
"""Namespaces that queued backups are of in turn, in the case in which they are not all of one."""
FULL = Effort((5000, 20_000), 5000, 20, 1000, 120.0)
MANY = Effort((5000, 20_000, 100_000), 5000, 20, 1000, 120.0)
QUICK = Effort((1000,), 1000, 5, 100, 30.0)
