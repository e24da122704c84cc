"""Of each kind, what the controller looks at."""

from typing import Final

import msgspec

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.pod_volume_backup import POD_VOLUME_BACKUP
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import Kind
from kedge.kube.meta import ObjectMeta
from kedge.selfservice.marks import NAB, ORIGIN_UID, is_nacuuid, origin_of
from kedge.selfservice.nab import NABS, Nab
from kedge.selfservice.whole import Whole

__all__ = ["NABS", "Nab"]


class VeleroBackup(Whole, frozen=True):
    """A Velero Backup."""

    @property
    def location(self) -> str:
        """The BackupStorageLocation that it is kept in; empty: none was chosen yet."""
        return str((self.spec or {}).get("storageLocation") or "")

    def is_of(self, nab: Nab) -> bool:
        """Tell whether it was made for this NonAdminBackup, or this one for it."""
        meta = self.metadata
        origin = origin_of(NAB, meta.labels, meta.annotations)
        if origin is None or not is_nacuuid(meta.name):
            return False
        # Who was made for a Backup is another object than that which the Backup was made for.
        uid = "" if nab.has_taken(meta.name) else nab.metadata.uid
        return origin.is_of(*nab.place, meta.name, uid)

    def is_proven(self, nab: Nab) -> bool:
        """Tell whether it was made here for this very object, or was told to be of it before."""
        notes, told = self.metadata.annotations or {}, nab.reference.get("spec") or {}
        is_kept = bool(self.location) and told.get("storageLocation") == self.location
        return is_kept or notes.get(ORIGIN_UID) == nab.metadata.uid


class RequestSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, the Backup."""

    backup_name: str = ""


class RequestStatus(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far a deletion has come."""

    phase: str = ""
    errors: list[str] | None = None


class DeleteRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A DeleteBackupRequest."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: RequestSpec = RequestSpec()
    status: RequestStatus | None = None


class Location(Whole, frozen=True):
    """A NonAdminBackupStorageLocation, or a BackupStorageLocation."""


class VolumeStatus(msgspec.Struct, frozen=True):
    """Of a status, the phase."""

    phase: str = ""


class Volume(msgspec.Struct, frozen=True):
    """The data of one volume on its way."""

    status: VolumeStatus | None = None


class PlaceInfo(msgspec.Struct, rename="camel", frozen=True):
    """Of a queueInfo, the position."""

    estimated_queue_position: int | None = None


class PlaceStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status of a Velero Backup, its number in the server's own queue."""

    queue_position: int = 0


class PlaceReference(msgspec.Struct, rename="camel", frozen=True):
    """Of the reference to a Velero Backup, its name and number."""

    nacuuid: str = ""
    status: PlaceStatus | None = None


class Told(msgspec.Struct, rename="camel", frozen=True):
    """Of the status of a NonAdminBackup, what was told of its place in the line."""

    phase: str = ""
    queue_info: PlaceInfo | None = None
    velero_backup: PlaceReference | None = None


class Standing(msgspec.Struct, frozen=True):
    """A NonAdminBackup, as far as its place in the line goes: most of its bytes are not read."""

    status: Told | None = None


class VersionMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, the version."""

    resource_version: str = ""


class Version(msgspec.Struct, frozen=True):
    """An object of which only the version is read."""

    metadata: VersionMeta = VersionMeta()


read_standing = msgspec.json.Decoder(Standing).decode
VERSIONS: Final[Kind[Version]] = NON_ADMIN_BACKUP.partial.into(Version)
BACKUPS: Final[Kind[VeleroBackup]] = BACKUP.into(VeleroBackup)
REQUESTS: Final[Kind[DeleteRequest]] = DELETE_BACKUP_REQUEST.into(DeleteRequest)
OWN_LOCATIONS: Final[Kind[Location]] = NON_ADMIN_LOCATION.into(Location)
LOCATIONS: Final[Kind[Location]] = BACKUP_STORAGE_LOCATION.into(Location)
VOLUMES: Final[Kind[Volume]] = POD_VOLUME_BACKUP.into(Volume)
UPLOADS: Final[Kind[Volume]] = Kind("velero.io", "v2alpha1", "DataUpload", "datauploads", Volume)
