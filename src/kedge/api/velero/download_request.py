"""Requests for a URL to fetch a file of a Backup or a Restore from."""

from enum import StrEnum
from typing import Annotated, Final

import msgspec

from kedge.api.definition import AGE, Column, Definition
from kedge.api.part import Doc, Part, Typed, choice, time
from kedge.api.velero.group import GROUP, VERSION
from kedge.kube.kind import Kind


class DownloadKind(StrEnum):
    """The files that can be asked for."""

    BACKUP_LOG = "BackupLog"
    BACKUP_CONTENTS = "BackupContents"
    BACKUP_VOLUME_SNAPSHOTS = "BackupVolumeSnapshots"
    BACKUP_ITEM_OPERATIONS = "BackupItemOperations"
    BACKUP_RESOURCE_LIST = "BackupResourceList"
    BACKUP_RESULTS = "BackupResults"
    RESTORE_LOG = "RestoreLog"
    RESTORE_RESULTS = "RestoreResults"
    RESTORE_RESOURCE_LIST = "RestoreResourceList"
    RESTORE_ITEM_OPERATIONS = "RestoreItemOperations"
    CSI_BACKUP_VOLUME_SNAPSHOTS = "CSIBackupVolumeSnapshots"
    CSI_BACKUP_VOLUME_SNAPSHOT_CONTENTS = "CSIBackupVolumeSnapshotContents"
    BACKUP_VOLUME_INFOS = "BackupVolumeInfos"
    RESTORE_VOLUME_INFO = "RestoreVolumeInfo"


class DownloadPhase(StrEnum):
    """Where a request is in its life; an empty phase is as good as NEW."""

    NEW = "New"
    PROCESSED = "Processed"


class DownloadTarget(Part, frozen=True):
    """A file of a Backup or a Restore."""

    kind: Annotated[str, choice("Which file to fetch.", DownloadKind, required=True)] = ""
    name: Annotated[
        str, Doc("The name of the Backup or the Restore that the file belongs to.", required=True)
    ] = ""


class DownloadRequestSpec(Part, frozen=True):
    """The file that is asked for."""

    target: Annotated[DownloadTarget, Doc("The file to fetch.", required=True)] = msgspec.field(
        default_factory=DownloadTarget
    )


class DownloadRequestStatus(Part, frozen=True):
    """The answer to a request."""

    phase: Annotated[str, choice("Where the request is in its life.", DownloadPhase)] = ""
    download_url: Annotated[
        str, Doc("Where to fetch the file from; whoever has the URL can fetch it.")
    ] = msgspec.field(default="", name="downloadURL")
    expiration: Annotated[
        str | None, time("When the URL is no longer valid, and the request is removed.")
    ] = None


class DownloadRequest(Typed, frozen=True):
    """Asks for a URL to fetch a file from."""

    spec: Annotated[DownloadRequestSpec, Doc("The file that is asked for.")] = DownloadRequestSpec()
    status: Annotated[DownloadRequestStatus, Doc("The answer.")] = DownloadRequestStatus()


DOWNLOAD_REQUEST: Final[Kind[DownloadRequest]] = Kind(
    GROUP, VERSION, "DownloadRequest", "downloadrequests", DownloadRequest
)

DEFINITION: Final = Definition(
    DOWNLOAD_REQUEST,
    "Asks for a URL to fetch a file of a Backup or a Restore from.",
    columns=(
        Column("Kind", ".spec.target.kind", "Which file it asks for."),
        Column("Target", ".spec.target.name", "The Backup or Restore of the file."),
        Column("Status", ".status.phase", "Where the request is in its life."),
        Column("Expires", ".status.expiration", "When it is removed."),
        AGE,
    ),
    short_names=("dlr",),
)
