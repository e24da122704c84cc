"""What a deletion reads of Backups and Restores: there may be very many, newer than we are."""

from typing import Final

import msgspec

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.restore import RESTORE
from kedge.kube.kind import Kind
from kedge.kube.meta import ObjectMeta


class BackupSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, where it is kept."""

    storage_location: str = ""


class BackupStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, where it is in its life."""

    phase: str = ""
    start_timestamp: str | None = None


class BackupHead(msgspec.Struct, frozen=True):
    """Of a Backup, what its deletion depends on."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: BackupSpec = BackupSpec()
    status: BackupStatus | None = None

    @property
    def phase(self) -> str:
        """The phase; empty is as good as New."""
        return self.status.phase if self.status else ""

    @property
    def started(self) -> str:
        """When it was started; empty: it was not."""
        return (self.status.start_timestamp or "") if self.status else ""


class RestoreMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, which Restore it is, and since when it is to go."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    deletion_timestamp: str | None = None


class RestoreSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, which Backup it is of."""

    backup_name: str = ""


class RestoreHead(msgspec.Struct, frozen=True):
    """Of a Restore, which Backup it is of."""

    metadata: RestoreMeta = RestoreMeta()
    spec: RestoreSpec = RestoreSpec()


BACKUPS: Final[Kind[BackupHead]] = BACKUP.into(BackupHead)
RESTORES: Final[Kind[RestoreHead]] = RESTORE.into(RestoreHead)
