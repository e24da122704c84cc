"""Of a Backup, what tells whether there is something to do for it."""

from typing import Final

import msgspec

from kedge.api.options import PREFIX
from kedge.api.velero.backup import BACKUP, BackupPhase
from kedge.kube.kind import Kind

UNFINISHED: Final = f"{PREFIX}unfinished-files"
"""On a Backup that has failed: its files may not all be removed yet."""
FINALIZING: Final = (BackupPhase.FINALIZING, BackupPhase.FINALIZING_PARTIALLY_FAILED)
ENDED: Final = (BackupPhase.COMPLETED, BackupPhase.PARTIALLY_FAILED, BackupPhase.FAILED)
ACTIVE: Final = (BackupPhase.READY_TO_START, BackupPhase.IN_PROGRESS, *FINALIZING)
TO_COME: Final = ("", BackupPhase.NEW, BackupPhase.QUEUED, BackupPhase.READY_TO_START)


class Marks(msgspec.Struct, frozen=True):
    """Of the annotations, the one that tells of files."""

    unfinished: str = msgspec.field(default="", name=UNFINISHED)


class HeadMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, what tells whether it is still the same Backup, and wanted."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    deletion_timestamp: str | None = None
    annotations: Marks | None = None


class HeadStatus(msgspec.Struct, frozen=True):
    """Of the status, the phase."""

    phase: str = ""


class BackupHead(msgspec.Struct, frozen=True):
    """A Backup, as it is kept in memory: there may be very many."""

    metadata: HeadMeta = HeadMeta()
    status: HeadStatus | None = None


BACKUP_HEAD: Final[Kind[BackupHead]] = BACKUP.into(BackupHead)


def is_to_come(head: BackupHead) -> bool:
    """Tell whether a Backup has not been started yet."""
    return head.status is None or head.status.phase in TO_COME


def has_work(head: BackupHead) -> bool:
    """Tell whether there is something to do for a Backup."""
    marks, status = head.metadata.annotations, head.status
    phase = status.phase if status is not None else ""
    is_unfinished = marks is not None and bool(marks.unfinished)
    return phase in ACTIVE or (phase in ENDED and is_unfinished)
