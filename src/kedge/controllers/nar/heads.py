"""Of each kind, what the controller looks at."""

from typing import ClassVar, Final

import msgspec

from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.pod_volume_restore import POD_VOLUME_RESTORE
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import Kind, Object
from kedge.kube.meta import ObjectMeta, Partial
from kedge.selfservice.marks import NAB, NAR, NAR_FINALIZER, Origin, is_nacuuid, origin_of
from kedge.selfservice.nab import Nab
from kedge.selfservice.whole import Asked


class Nar(Asked, frozen=True):
    """A NonAdminRestore."""

    finalizer: ClassVar[str] = NAR_FINALIZER

    @property
    def nacuuid(self) -> str:
        """The unique name of the Velero Restore; empty: none was made up yet."""
        name = str((self.known.get("veleroRestore") or {}).get("nacuuid") or "")
        return name if is_nacuuid(name) else ""

    @property
    def position(self) -> int | None:
        """The position that was told last; None: none was."""
        found = (self.known.get("queueInfo") or {}).get("estimatedQueuePosition")
        return found if isinstance(found, int) else None

    @property
    def restore_spec(self) -> Object | None:
        """What is to be brought back."""
        return (self.spec or {}).get("restoreSpec")

    @property
    def backup_name(self) -> str:
        """The NonAdminBackup that it restores from."""
        return str((self.restore_spec or {}).get("backupName") or "")


class VeleroRestore(msgspec.Struct, frozen=True):
    """A Velero Restore: all that is copied, and what tells whose it is."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    status: Object | None = None

    @property
    def known(self) -> Object:
        """The status; none is empty."""
        return self.status or {}

    @property
    def origin(self) -> Origin | None:
        """The NonAdminRestore that it says it was made for; None: for none."""
        return origin_of(NAR, self.metadata.labels, self.metadata.annotations)

    @property
    def is_leaving(self) -> bool:
        """Whether it is being deleted."""
        return self.metadata.deletion_timestamp is not None

    def is_of(self, nar: Nar) -> bool:
        """Tell whether it was made for this very NonAdminRestore."""
        origin = self.origin
        return origin is not None and origin.is_of(*nar.place, self.metadata.name, nar.metadata.uid)


class WithPhase(msgspec.Struct, frozen=True):
    """Of a status, the phase."""

    phase: str = ""


class WithLocation(msgspec.Struct, rename="camel", frozen=True):
    """Of a spec, the BackupStorageLocation."""

    storage_location: str = ""


class VeleroBackup(msgspec.Struct, frozen=True):
    """A Velero Backup, as far as one can restore from it."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: WithLocation | None = None
    status: WithPhase | None = None

    @property
    def location(self) -> str:
        """The BackupStorageLocation that it is kept in; empty: none was chosen yet."""
        return self.spec.storage_location if self.spec is not None else ""

    @property
    def phase(self) -> str:
        """The phase; none is as good as New."""
        return (self.status.phase if self.status is not None else "") or "New"

    @property
    def origin(self) -> Origin | None:
        """The NonAdminBackup that it says it was made for; None: for none."""
        return origin_of(NAB, self.metadata.labels, self.metadata.annotations)

    def is_of(self, nab: Nab) -> bool:
        """Tell whether it was made for this NonAdminBackup, or this one for it."""
        meta, origin = nab.metadata, self.origin
        return origin is not None and origin.is_of(meta.namespace, meta.name, self.metadata.name)


class Volume(msgspec.Struct, frozen=True):
    """The data of one volume on its way back."""

    status: WithPhase | None = None

    @property
    def phase(self) -> str:
        """How far it is; none is as good as New."""
        return (self.status.phase if self.status is not None else "") or "New"


class VersionMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, the version."""

    resource_version: str = ""


class Version(msgspec.Struct, frozen=True):
    """Of the answer to a write, what the next one is bound to."""

    metadata: VersionMeta = VersionMeta()


NARS: Final[Kind[Nar]] = NON_ADMIN_RESTORE.into(Nar)
VERSIONS: Final[Kind[Version]] = NON_ADMIN_RESTORE.into(Version)
RESTORES: Final[Kind[VeleroRestore]] = RESTORE.into(VeleroRestore)
LOCATIONS: Final[Kind[Partial]] = BACKUP_STORAGE_LOCATION.into(Partial)
BACKUPS: Final[Kind[VeleroBackup]] = BACKUP.into(VeleroBackup)
VOLUMES: Final[Kind[Volume]] = POD_VOLUME_RESTORE.into(Volume)
DOWNLOADS: Final[Kind[Volume]] = Kind(
    "velero.io", "v2alpha1", "DataDownload", "datadownloads", Volume
)
