"""Requests to delete a Backup with all its data."""

from enum import StrEnum
from typing import Annotated, Final

from kedge.api.definition import AGE, Column, Definition
from kedge.api.part import Doc, Part, Typed, choice
from kedge.api.velero.group import GROUP, VERSION
from kedge.kube.kind import Kind


class DeletePhase(StrEnum):
    """Where a request is in its life; an empty phase is as good as NEW."""

    NEW = "New"
    IN_PROGRESS = "InProgress"
    PROCESSED = "Processed"


class DeleteBackupRequestSpec(Part, frozen=True):
    """The Backup to delete."""

    backup_name: Annotated[str, Doc("The name of the Backup to delete.", required=True)] = ""


class DeleteBackupRequestStatus(Part, frozen=True):
    """How far the deletion has come."""

    phase: Annotated[str, choice("Where the request is in its life.", DeletePhase)] = ""
    errors: Annotated[
        list[str] | None, Doc("What went wrong; with errors the Backup is still there.")
    ] = None


class DeleteBackupRequest(Typed, frozen=True):
    """Asks for a Backup, its data and its Restores to be deleted."""

    spec: Annotated[DeleteBackupRequestSpec, Doc("The Backup to delete.")] = (
        DeleteBackupRequestSpec()
    )
    status: Annotated[DeleteBackupRequestStatus, Doc("How far the deletion has come.")] = (
        DeleteBackupRequestStatus()
    )


DELETE_BACKUP_REQUEST: Final[Kind[DeleteBackupRequest]] = Kind(
    GROUP, VERSION, "DeleteBackupRequest", "deletebackuprequests", DeleteBackupRequest
)

DEFINITION: Final = Definition(
    DELETE_BACKUP_REQUEST,
    "Asks for a Backup to be deleted with its data in the storage location and its Restores.",
    columns=(
        Column("Backup", ".spec.backupName", "The Backup to delete."),
        Column("Status", ".status.phase", "Where the request is in its life."),
        AGE,
        Column("Error", ".status.errors[0]", "What went wrong first.", wide=True),
    ),
    short_names=("dbr",),
)
