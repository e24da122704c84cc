"""Of each kind, what the synchronizer looks at."""

from typing import Any, Final

import msgspec

from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import Kind, plain
from kedge.kube.meta import ObjectMeta, Partial


class BackupSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, what is saved and where it is kept."""

    storage_location: str = ""
    included_namespaces: list[str] | None = None


class BackupStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, when it was done."""

    completion_timestamp: str | None = None


class BackupHead(msgspec.Struct, frozen=True):
    """Of a Velero Backup, whose it is and whether it is whole."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: BackupSpec = BackupSpec()
    status: BackupStatus | None = None


class LocationSpec(msgspec.Struct, frozen=True):
    """Of the spec, whether it is the administrator's own."""

    default: bool = False


class LocationHead(msgspec.Struct, frozen=True):
    """Of a BackupStorageLocation, whose it is."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: LocationSpec = LocationSpec()


class Made(msgspec.Struct, frozen=True, omit_defaults=True):
    """A NonAdminBackup that is to be made."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: dict[str, Any] | None = None


BACKUPS: Final[Kind[BackupHead]] = BACKUP.into(BackupHead)
LOCATIONS: Final[Kind[LocationHead]] = BACKUP_STORAGE_LOCATION.into(LocationHead)
NABSLS: Final[Kind[Partial]] = NON_ADMIN_LOCATION.into(Partial)
NAMESPACES: Final[Kind[Partial]] = plain("v1", "Namespace", "namespaces", namespaced=False).partial
