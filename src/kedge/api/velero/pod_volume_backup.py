"""PodVolumeBackups: the files of one volume of a pod, saved."""

from typing import Annotated, Final

import msgspec

from kedge.api.definition import AGE, Column, Definition
from kedge.api.part import Doc, Typed
from kedge.api.velero.group import GROUP, VERSION
from kedge.api.velero.pod_volume import PodVolumeSpec, PodVolumeStatus
from kedge.kube.kind import Kind


class PodVolumeBackupSpec(PodVolumeSpec, frozen=True):
    """The volume to save."""

    node: Annotated[str, Doc("The node that the pod runs on.", required=True)] = ""
    tags: Annotated[dict[str, str] | None, Doc("Marks for the saved data.")] = None


class PodVolumeBackupStatus(PodVolumeStatus, frozen=True):
    """What became of it."""

    path: Annotated[str, Doc("Where the volume is mounted for whoever saves it.")] = ""
    snapshot_id: Annotated[str, Doc("The id of the saved data in the repository.")] = msgspec.field(
        default="", name="snapshotID"
    )
    incremental_bytes: Annotated[
        int, Doc("How many bytes were not in the repository before.", format="int64")
    ] = 0


class PodVolumeBackup(Typed, frozen=True):
    """The files of one volume of a pod, saved in a repository."""

    spec: Annotated[PodVolumeBackupSpec, Doc("The volume to save.")] = PodVolumeBackupSpec()
    status: Annotated[PodVolumeBackupStatus, Doc("What became of it.")] = PodVolumeBackupStatus()


POD_VOLUME_BACKUP: Final[Kind[PodVolumeBackup]] = Kind(
    GROUP, VERSION, "PodVolumeBackup", "podvolumebackups", PodVolumeBackup
)

DEFINITION: Final = Definition(
    POD_VOLUME_BACKUP,
    "The files of one volume of a pod, saved in a repository.",
    columns=(
        Column("Status", ".status.phase", "Where the work is."),
        Column("Started", ".status.startTimestamp", "How long ago it was started.", "date"),
        Column("Bytes Done", ".status.progress.bytesDone", "How much is saved.", "integer"),
        Column("Total Bytes", ".status.progress.totalBytes", "How much there is.", "integer"),
        Column("Pod", ".spec.pod.name", "The pod that has the volume."),
        Column("Volume", ".spec.volume", "The volume of the pod."),
        AGE,
        Column("Location", ".spec.backupStorageLocation", "Where it is kept.", wide=True),
        Column("Uploader", ".spec.uploaderType", "Who moves the data.", wide=True),
    ),
    short_names=("pvb",),
)
