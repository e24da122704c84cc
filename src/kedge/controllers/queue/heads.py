"""Of a Backup, what the queue looks at: there may be very many."""

from typing import Final

import msgspec

from kedge.api.velero.backup import BACKUP, BackupPhase
from kedge.api.velero.synced import SYNCED_FROM, is_half_synced
from kedge.controllers.queue.line import RUNNING, Member
from kedge.kube.kind import Kind
from kedge.runtime import Key

ACTIVE: Final = (
    BackupPhase.NEW,
    BackupPhase.QUEUED,
    BackupPhase.READY_TO_START,
    BackupPhase.IN_PROGRESS,
)
"""The phases of Backups that wait, or that others wait for."""


class Marks(msgspec.Struct, frozen=True):
    """Of the annotations, the one on a Backup that was brought in from a bucket."""

    synced_from: str = msgspec.field(default="", name=SYNCED_FROM)


class HeadMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, what orders Backups, and what a write is bound to."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    annotations: Marks | None = None


class HeadSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, the namespaces."""

    included_namespaces: list[str] | None = None
    excluded_namespaces: list[str] | None = None


class HeadStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, the place in the queue."""

    phase: str = ""
    queue_position: int = 0


class BackupHead(msgspec.Struct, frozen=True):
    """A Backup, as the queue sees it."""

    metadata: HeadMeta = HeadMeta()
    spec: HeadSpec | None = None
    status: HeadStatus | None = None


BACKUP_HEAD: Final[Kind[BackupHead]] = BACKUP.into(BackupHead)


def phase_of(head: BackupHead) -> str:
    """Give the phase; none is as good as New, but one that is being brought in has none."""
    meta = head.metadata
    phase = (head.status.phase if head.status is not None else "") or BackupPhase.NEW
    marks = {SYNCED_FROM: meta.annotations.synced_from} if meta.annotations else None
    return "" if is_half_synced(meta.name, marks, phase) else phase


def facts_of(head: BackupHead) -> tuple[object, ...]:
    """Give all that a decision hangs on; a new position alone is no news: we write it."""
    phase = phase_of(head)
    # One that is ready to start has its place already, as one that runs.
    phase = BackupPhase.IN_PROGRESS if phase in RUNNING else phase
    return phase, head.metadata.deletion_timestamp, head.metadata.uid, head.spec


def member_of(head: BackupHead) -> Member:
    """Make of a Backup what the decision takes."""
    meta, spec = head.metadata, head.spec or HeadSpec()
    version = meta.resource_version
    return Member(
        Key(meta.namespace, meta.name),
        phase_of(head),
        head.status.queue_position if head.status is not None else 0,
        (meta.creation_timestamp or "", int(version) if version.isdecimal() else 0),
        (tuple(spec.included_namespaces or ()), tuple(spec.excluded_namespaces or ())),
        is_leaving=meta.deletion_timestamp is not None,
    )
