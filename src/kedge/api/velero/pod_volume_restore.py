"""PodVolumeRestores: the files of one volume of a pod, brought back."""

from typing import Annotated, Final

import msgspec

from kedge.api.definition import AGE, Column, Definition
from kedge.api.part import Doc, Typed
from kedge.api.velero.group import GROUP, VERSION
from kedge.api.velero.pod_volume import PodVolumeSpec, PodVolumeStatus
from kedge.kube.kind import Kind


class PodVolumeRestoreSpec(PodVolumeSpec, frozen=True):
    """The volume to fill, and the data for it."""

    snapshot_id: Annotated[
        str, Doc("The id of the saved data in the repository.", required=True)
    ] = msgspec.field(default="", name="snapshotID")
    snapshot_size: Annotated[int, Doc("How many bytes the saved data has.", format="int64")] = 0
    source_namespace: Annotated[
        str, Doc("The namespace in which the data was saved.", required=True)
    ] = ""


class PodVolumeRestore(Typed, frozen=True):
    """The files of one volume of a pod, brought back from a repository."""

    spec: Annotated[PodVolumeRestoreSpec, Doc("The volume to fill, and the data for it.")] = (
        PodVolumeRestoreSpec()
    )
    status: Annotated[PodVolumeStatus, Doc("What became of it.")] = PodVolumeStatus()


POD_VOLUME_RESTORE: Final[Kind[PodVolumeRestore]] = Kind(
    GROUP, VERSION, "PodVolumeRestore", "podvolumerestores", PodVolumeRestore
)

DEFINITION: Final = Definition(
    POD_VOLUME_RESTORE,
    "The files of one volume of a pod, brought back from a repository.",
    columns=(
        Column("Status", ".status.phase", "Where the work is."),
        Column("Started", ".status.startTimestamp", "How long ago it was started.", "date"),
        Column("Bytes Done", ".status.progress.bytesDone", "How much is back.", "integer"),
        Column("Total Bytes", ".status.progress.totalBytes", "How much there is.", "integer"),
        Column("Pod", ".spec.pod.name", "The pod that has the volume."),
        Column("Volume", ".spec.volume", "The volume of the pod."),
        AGE,
        Column("Location", ".spec.backupStorageLocation", "Where it is kept.", wide=True),
        Column("Uploader", ".spec.uploaderType", "Who moves the data.", wide=True),
    ),
    short_names=("pvr",),
)
