"""What backups and restores of a pod's volume have in common."""

from enum import StrEnum
from typing import Annotated

import msgspec

from kedge.api.part import Doc, Part, choice, time
from kedge.api.velero.reference import ObjectReference


class PodVolumePhase(StrEnum):
    """Where the work on a volume is; an empty phase is as good as NEW."""

    NEW = "New"
    ACCEPTED = "Accepted"
    PREPARED = "Prepared"
    IN_PROGRESS = "InProgress"
    CANCELING = "Canceling"
    CANCELED = "Canceled"
    COMPLETED = "Completed"
    FAILED = "Failed"


class Uploader(StrEnum):
    """Who moves the data."""

    KOPIA = "kopia"
    RESTIC = "restic"
    DEFAULT = ""


class PodVolumeSpec(Part, frozen=True):
    """A volume of a pod, and where its data is kept."""

    pod: Annotated[
        ObjectReference, Doc("The pod that has the volume.", required=True, atomic=True)
    ] = msgspec.field(default_factory=ObjectReference)
    volume: Annotated[str, Doc("The name of the volume in the pod.", required=True)] = ""
    backup_storage_location: Annotated[
        str, Doc("The BackupStorageLocation that the data is kept in.", required=True)
    ] = ""
    repo_identifier: Annotated[
        str, Doc("The repository that the data is kept in.", required=True)
    ] = ""
    uploader_type: Annotated[str, choice("Who moves the data.", Uploader)] = ""
    uploader_settings: Annotated[
        dict[str, str] | None, Doc("Settings of the one who moves the data.")
    ] = None
    cancel: Annotated[bool, Doc("Whether the work is to be stopped.")] = False


class ByteProgress(Part, frozen=True):
    """How far the work on a volume has come."""

    total_bytes: Annotated[int, Doc("How many bytes there are to move.", format="int64")] = 0
    bytes_done: Annotated[int, Doc("How many bytes are moved.", format="int64")] = 0


class PodVolumeStatus(Part, frozen=True):
    """What became of the work on a volume."""

    phase: Annotated[str, choice("Where the work is.", PodVolumePhase)] = ""
    message: Annotated[str, Doc("What went wrong, or what is waited for.")] = ""
    node: Annotated[str, Doc("The node on which the work is done.")] = ""
    accepted_timestamp: Annotated[str | None, time("When a node took the work.")] = None
    start_timestamp: Annotated[str | None, time("When the work was started.")] = None
    completion_timestamp: Annotated[
        str | None, time("When the work came to its end, be it good or bad.")
    ] = None
    progress: Annotated[ByteProgress | None, Doc("How far the work has come.")] = None
