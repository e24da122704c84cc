"""NonAdminBackups: what people want to have saved of their own namespace."""

from typing import Annotated, Any, Final

from kedge.api.definition import AGE, MAIN, Column, Definition
from kedge.api.nonadmin.group import GROUP, VERSION
from kedge.api.nonadmin.stage import (
    FORWARD,
    PHASES,
    SAME,
    Conditions,
    DataMoves,
    PodVolumes,
    QueueInfo,
)
from kedge.api.part import Doc, Part, Typed
from kedge.api.velero.backup import BackupSpec, BackupStatus
from kedge.api.velero.delete_request import DeleteBackupRequestStatus
from kedge.kube.kind import Kind


class CopiedBackupStatus(BackupStatus, frozen=True):
    """The status of a Velero Backup, whatever phases that Velero knows."""

    phase: Annotated[str, Doc("Where the backup is in its life.")] = ""


class NonAdminBackupSpec(Part, frozen=True):
    """What to save, and whether it is to be deleted."""

    backup_spec: Annotated[
        BackupSpec | None,
        Doc("What to save of the namespace, for how long, and how.", required=True),
    ] = None
    delete_backup: Annotated[
        bool,
        Doc("Whether the backup is to be deleted with all its data; this object goes after it."),
    ] = False
    force_delete_backup: Annotated[
        bool,
        Doc(
            "Whether this object and the Velero Backup are removed at once, whatever becomes of "
            "the data in the object storage."
        ),
    ] = False


class VeleroBackupReference(Part, frozen=True):
    """The Velero Backup of a NonAdminBackup."""

    nacuuid: Annotated[
        str, Doc("The unique name that was made up for the Velero Backup.", rules=(SAME,))
    ] = ""
    name: Annotated[str, Doc("The name of the Velero Backup.")] = ""
    namespace: Annotated[str, Doc("The namespace of the Velero Backup.")] = ""
    spec: Annotated[
        dict[str, Any] | None,
        Doc(
            "A copy of the spec of the Velero Backup: what is saved, with all that the "
            "administrator enforces.",
            preserve=True,
        ),
    ] = None
    status: Annotated[
        dict[str, Any] | None,
        Doc("A copy of the status of the Velero Backup.", preserve=True, shape=CopiedBackupStatus),
    ] = None


class VeleroDeleteRequestReference(Part, frozen=True):
    """The DeleteBackupRequest for the Velero Backup of a NonAdminBackup."""

    nacuuid: Annotated[str, Doc("The unique name that was made up for the Velero Backup.")] = ""
    name: Annotated[str, Doc("The name of the DeleteBackupRequest.")] = ""
    namespace: Annotated[str, Doc("The namespace of the DeleteBackupRequest.")] = ""
    status: Annotated[
        DeleteBackupRequestStatus | None, Doc("A copy of the status of the DeleteBackupRequest.")
    ] = None


class NonAdminBackupStatus(Part, frozen=True):
    """What became of a NonAdminBackup."""

    phase: Annotated[
        str,
        Doc("Where the object is in its life; it only moves on.", values=PHASES, rules=(FORWARD,)),
    ] = ""
    conditions: Conditions = None
    velero_backup: Annotated[
        VeleroBackupReference | None, Doc("The Velero Backup that was made for the object.")
    ] = None
    velero_delete_backup_request: Annotated[
        VeleroDeleteRequestReference | None,
        Doc("The request by which the Velero Backup is deleted with its data."),
    ] = None
    queue_info: Annotated[
        QueueInfo | None, Doc("Where the backup stands in the queue of the server.")
    ] = None
    data_mover_data_uploads: Annotated[
        DataMoves | None, Doc("How far the data of snapshots has been moved.")
    ] = None
    file_system_pod_volume_backups: Annotated[
        PodVolumes | None, Doc("How far volumes have been saved file by file.")
    ] = None


class NonAdminBackup(Typed, frozen=True):
    """Asks for a backup of the namespace that it is in."""

    spec: Annotated[
        NonAdminBackupSpec | None, Doc("What to save, and whether it is to be deleted.")
    ] = None
    status: Annotated[NonAdminBackupStatus | None, Doc("What became of the backup.")] = None


NON_ADMIN_BACKUP: Final[Kind[NonAdminBackup]] = Kind(
    GROUP, VERSION, "NonAdminBackup", "nonadminbackups", NonAdminBackup
)

_STATUS: Final = ".status.veleroBackup.status"

DEFINITION: Final = Definition(
    NON_ADMIN_BACKUP,
    "A backup of the namespace that it is in, for people without cluster rights.",
    columns=(
        Column("Request-Phase", ".status.phase", "Where the request is in its life."),
        Column("Velero-Phase", f"{_STATUS}.phase", "Where the backup is in its life."),
        Column(
            "Queue",
            ".status.queueInfo.estimatedQueuePosition",
            "Its place in the queue; 0 when it is done.",
            "integer",
        ),
        Column(
            "Items", f"{_STATUS}.progress.itemsBackedUp", "How many objects are saved.", "integer"
        ),
        Column("Of", f"{_STATUS}.progress.totalItems", "How many there are to save.", "integer"),
        AGE,
        Column("Velero-Backup", ".status.veleroBackup.name", "The Velero Backup.", wide=True),
        Column("Expires", f"{_STATUS}.expiration", "When it may be removed.", wide=True),
    ),
    short_names=("nab",),
    categories=(MAIN,),
)
