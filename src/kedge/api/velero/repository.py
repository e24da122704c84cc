"""BackupRepositories: where the files of a namespace's volumes are kept."""

from enum import StrEnum
from typing import Annotated, Final

from kedge.api.definition import AGE, Column, Definition
from kedge.api.part import Doc, Part, Typed, choice, duration, time
from kedge.api.velero.group import GROUP, VERSION
from kedge.api.velero.pod_volume import Uploader
from kedge.kube.kind import Kind


class RepositoryPhase(StrEnum):
    """Whether a repository can be used; an empty phase is as good as NEW."""

    NEW = "New"
    READY = "Ready"
    NOT_READY = "NotReady"


class MaintenanceResult(StrEnum):
    """How a maintenance ended."""

    SUCCEEDED = "Succeeded"
    FAILED = "Failed"


class RepositorySpec(Part, frozen=True):
    """A repository, and how often it is cleaned up."""

    volume_namespace: Annotated[
        str, Doc("The namespace whose volumes are kept in the repository.", required=True)
    ] = ""
    backup_storage_location: Annotated[
        str, Doc("The BackupStorageLocation that the repository is in.", required=True)
    ] = ""
    repository_type: Annotated[str, choice("What kind of repository it is.", Uploader)] = ""
    restic_identifier: Annotated[str, Doc("The repository's name for restic.")] = ""
    maintenance_frequency: Annotated[
        str, duration("How often the repository is cleaned up.", required=True)
    ] = ""
    repository_config: Annotated[
        dict[str, str] | None, Doc("Further settings of the repository.")
    ] = None


class Maintenance(Part, frozen=True):
    """One time that the repository was cleaned up."""

    result: Annotated[str, choice("How the maintenance ended.", MaintenanceResult)] = ""
    start_timestamp: Annotated[str | None, time("When the maintenance was started.")] = None
    complete_timestamp: Annotated[str | None, time("When the maintenance ended.")] = None
    message: Annotated[str, Doc("What went wrong.")] = ""


class RepositoryStatus(Part, frozen=True):
    """Whether a repository can be used."""

    phase: Annotated[str, choice("Whether the repository can be used.", RepositoryPhase)] = ""
    message: Annotated[str, Doc("Why the repository can not be used.")] = ""
    last_maintenance_time: Annotated[
        str | None, time("When the repository was last cleaned up.")
    ] = None
    recent_maintenance: Annotated[
        list[Maintenance] | None, Doc("The last times that the repository was cleaned up.")
    ] = None


class BackupRepository(Typed, frozen=True):
    """Where the files of a namespace's volumes are kept."""

    spec: Annotated[RepositorySpec, Doc("The repository, and how often it is cleaned up.")] = (
        RepositorySpec()
    )
    status: Annotated[RepositoryStatus, Doc("Whether the repository can be used.")] = (
        RepositoryStatus()
    )


BACKUP_REPOSITORY: Final[Kind[BackupRepository]] = Kind(
    GROUP, VERSION, "BackupRepository", "backuprepositories", BackupRepository
)

DEFINITION: Final = Definition(
    BACKUP_REPOSITORY,
    "Where the files of a namespace's volumes are kept.",
    columns=(
        Column("Status", ".status.phase", "Whether it can be used."),
        Column("Namespace", ".spec.volumeNamespace", "The namespace whose volumes it keeps."),
        Column("Location", ".spec.backupStorageLocation", "Where it is."),
        Column("Type", ".spec.repositoryType", "What kind of repository it is."),
        AGE,
    ),
    short_names=("brepo",),
)
