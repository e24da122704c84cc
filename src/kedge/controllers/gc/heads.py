"""What is kept of Backups, locations and requests to see which Backups have to go."""

from typing import Final

import msgspec

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import Kind


class Meta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, what tells objects apart."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str = ""
    deletion_timestamp: str | None = None
    labels: dict[str, str] | None = None


class BackupSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, where it is kept."""

    storage_location: str = ""


class BackupStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, when its time is over."""

    phase: str = ""
    expiration: str | None = None


class BackupHead(msgspec.Struct, frozen=True):
    """Of a Backup, when it has to go, and whether it can."""

    metadata: Meta = Meta()
    spec: BackupSpec = BackupSpec()
    status: BackupStatus = BackupStatus()


class LocationSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, whether anything can be deleted there."""

    access_mode: str = ""


class LocationStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, whether it can be used."""

    phase: str = ""


class LocationHead(msgspec.Struct, frozen=True):
    """Of a location, whether Backups can be deleted there."""

    metadata: Meta = Meta()
    spec: LocationSpec = LocationSpec()
    status: LocationStatus = LocationStatus()


class RequestStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, whether it is still at work."""

    phase: str = ""


class RequestHead(msgspec.Struct, frozen=True):
    """Of a DeleteBackupRequest, for what it is, and whether it is still at work."""

    metadata: Meta = Meta()
    status: RequestStatus = RequestStatus()


BACKUPS: Final[Kind[BackupHead]] = BACKUP.into(BackupHead)
LOCATIONS: Final[Kind[LocationHead]] = BACKUP_STORAGE_LOCATION.into(LocationHead)
REQUESTS: Final[Kind[RequestHead]] = DELETE_BACKUP_REQUEST.into(RequestHead)
