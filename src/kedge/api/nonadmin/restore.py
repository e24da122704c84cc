"""NonAdminRestores: what people want to have back of their own namespace."""

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
from kedge.api.velero.restore import RestoreSpec, RestoreStatus
from kedge.kube.kind import Kind


class CopiedRestoreStatus(RestoreStatus, frozen=True):
    """The status of a Velero Restore, whatever phases that Velero knows."""

    phase: Annotated[str, Doc("Where the restore is in its life.")] = ""


class OwnRestoreSpec(RestoreSpec, frozen=True):
    """What to bring back; the Backup is a NonAdminBackup."""

    backup_name: Annotated[
        str, Doc("The NonAdminBackup of the same namespace to restore from.")
    ] = ""


class NonAdminRestoreSpec(Part, frozen=True):
    """What to bring back."""

    restore_spec: Annotated[
        OwnRestoreSpec | None,
        Doc("What to bring back into the namespace, from which backup, and how.", required=True),
    ] = None


class VeleroRestoreReference(Part, frozen=True):
    """The Velero Restore of a NonAdminRestore."""

    nacuuid: Annotated[
        str, Doc("The unique name that was made up for the Velero Restore.", rules=(SAME,))
    ] = ""
    name: Annotated[str, Doc("The name of the Velero Restore.")] = ""
    namespace: Annotated[str, Doc("The namespace of the Velero Restore.")] = ""
    status: Annotated[
        dict[str, Any] | None,
        Doc(
            "A copy of the status of the Velero Restore.",
            preserve=True,
            shape=CopiedRestoreStatus,
        ),
    ] = None


class NonAdminRestoreStatus(Part, frozen=True):
    """What became of a NonAdminRestore."""

    phase: Annotated[
        str,
        Doc("Where the object is in its life; it only moves on.", values=PHASES, rules=(FORWARD,)),
    ] = ""
    conditions: Conditions = None
    velero_restore: Annotated[
        VeleroRestoreReference | None, Doc("The Velero Restore that was made for the object.")
    ] = None
    queue_info: Annotated[
        QueueInfo | None, Doc("Where the restore stands in the queue of the server.")
    ] = None
    data_mover_data_downloads: Annotated[
        DataMoves | None, Doc("How far the data of snapshots has been brought back.")
    ] = None
    file_system_pod_volume_restores: Annotated[
        PodVolumes | None, Doc("How far volumes have been brought back file by file.")
    ] = None


class NonAdminRestore(Typed, frozen=True):
    """Asks for objects of a NonAdminBackup to be brought back into their namespace."""

    spec: Annotated[NonAdminRestoreSpec | None, Doc("What to bring back.")] = None
    status: Annotated[NonAdminRestoreStatus | None, Doc("What became of the restore.")] = None


NON_ADMIN_RESTORE: Final[Kind[NonAdminRestore]] = Kind(
    GROUP, VERSION, "NonAdminRestore", "nonadminrestores", NonAdminRestore
)

_STATUS: Final = ".status.veleroRestore.status"

DEFINITION: Final = Definition(
    NON_ADMIN_RESTORE,
    "Brings objects of a NonAdminBackup back into their namespace, for people without rights.",
    columns=(
        Column("Request-Phase", ".status.phase", "Where the request is in its life."),
        Column("Velero-Phase", f"{_STATUS}.phase", "Where the restore is in its life."),
        Column(
            "Queue",
            ".status.queueInfo.estimatedQueuePosition",
            "Its place in the queue; 0 when it is done.",
            "integer",
        ),
        Column(
            "Items",
            f"{_STATUS}.progress.itemsRestored",
            "How many objects have been brought back.",
            "integer",
        ),
        Column("Of", f"{_STATUS}.progress.totalItems", "How many there are to bring.", "integer"),
        AGE,
        Column("Backup", ".spec.restoreSpec.backupName", "Its NonAdminBackup.", wide=True),
        Column("Velero-Restore", ".status.veleroRestore.name", "The Velero Restore.", wide=True),
    ),
    short_names=("nar",),
    categories=(MAIN,),
)
