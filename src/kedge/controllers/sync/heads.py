"""What a sync keeps of the Backups of the cluster: there may be very many."""

from typing import Final

import msgspec

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.synced import SYNCED_FROM, is_half_synced, synced_from
from kedge.kube.kind import Kind


class Marks(msgspec.Struct, frozen=True):
    """Of the annotations, the one that tells from where a Backup was brought."""

    synced_from: str | None = msgspec.field(default=None, name=SYNCED_FROM)


class BackupMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, what tells Backups apart."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] | None = None
    annotations: Marks | None = None


class BackupStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, whether there is any."""

    phase: str = ""


class BackupHead(msgspec.Struct, frozen=True):
    """Of a Backup, whether a bucket must have it."""

    metadata: BackupMeta = BackupMeta()
    status: BackupStatus | None = None

    @property
    def phase(self) -> str:
        """The phase; empty is as good as New."""
        return self.status.phase if self.status else ""

    @property
    def is_half(self) -> bool:
        """Whether it was brought into the cluster and has no status yet."""
        return is_half_synced(self.metadata.name, self._annotations, self.phase)

    @property
    def source(self) -> str:
        """The location from which it was brought; empty: it was not."""
        return synced_from(self.metadata.name, self._annotations)

    @property
    def _annotations(self) -> dict[str, str]:
        marks = self.metadata.annotations
        return {SYNCED_FROM: marks.synced_from} if marks and marks.synced_from else {}


BACKUP_HEAD: Final[Kind[BackupHead]] = BACKUP.into(BackupHead)
