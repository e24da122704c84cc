"""The mark of a Backup that was brought into the cluster from a bucket.

Where the status is a subresource, such a Backup is made first and gets its status after that. Until
then it must not be taken for one that somebody wants to be run.
"""

from collections.abc import Mapping
from typing import Final

from kedge.api.velero.backup import BackupPhase

SYNCED_FROM: Final = "kedge.dev/synced-from"
"""On a Backup: the location and the name under which it was found."""


def synced_mark(location: str, name: str) -> str:
    """Write the mark of a Backup; its own name is part of it, so that a clone has none.

    >>> synced_mark("default", "nightly")
    'default/nightly'
    """
    return f"{location}/{name}"


def synced_from(name: str, annotations: Mapping[str, str] | None) -> str:
    """Give the location that a Backup was brought from; empty: it was not."""
    location, _, own = (annotations or {}).get(SYNCED_FROM, "").partition("/")
    return location if own == name else ""


def is_half_synced(name: str, annotations: Mapping[str, str] | None, phase: str) -> bool:
    """Tell whether a Backup was brought from a bucket and has not got its status yet."""
    return phase in ("", BackupPhase.NEW) and bool(synced_from(name, annotations))
