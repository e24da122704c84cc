"""NonAdminBackupStorageLocations: buckets that people bring for their own backups."""

from typing import Annotated, Final

from kedge.api.definition import AGE, MAIN, Column, Definition
from kedge.api.nonadmin.group import GROUP, VERSION
from kedge.api.nonadmin.stage import PHASES, Conditions
from kedge.api.part import Doc, Part, Typed
from kedge.api.velero.storage_location import StorageLocationSpec, StorageLocationStatus
from kedge.kube.kind import Kind


class LocationSpec(Part, frozen=True):
    """A bucket, and how to get at it."""

    backup_storage_location_spec: Annotated[
        StorageLocationSpec | None,
        Doc(
            "The bucket; the Secret with its credentials is in the same namespace as this object.",
            required=True,
        ),
    ] = None


class VeleroLocationReference(Part, frozen=True):
    """The BackupStorageLocation of a NonAdminBackupStorageLocation."""

    nacuuid: Annotated[
        str, Doc("The unique name that was made up for the BackupStorageLocation.")
    ] = ""
    name: Annotated[str, Doc("The name of the BackupStorageLocation.")] = ""
    namespace: Annotated[str, Doc("The namespace of the BackupStorageLocation.")] = ""
    status: Annotated[
        StorageLocationStatus | None, Doc("A copy of the status of the BackupStorageLocation.")
    ] = None


class LocationStatus(Part, frozen=True):
    """What became of a NonAdminBackupStorageLocation."""

    phase: Annotated[str, Doc("Where the object is in its life.", values=PHASES)] = ""
    conditions: Conditions = None
    velero_backup_storage_location: Annotated[
        VeleroLocationReference | None,
        Doc("The BackupStorageLocation that was made for the object."),
    ] = None


class NonAdminBackupStorageLocation(Typed, frozen=True):
    """Asks for a bucket to be used for the backups of the namespace that it is in."""

    spec: Annotated[LocationSpec | None, Doc("The bucket, and how to get at it.")] = None
    status: Annotated[LocationStatus | None, Doc("What became of it.")] = None


NON_ADMIN_LOCATION: Final[Kind[NonAdminBackupStorageLocation]] = Kind(
    GROUP,
    VERSION,
    "NonAdminBackupStorageLocation",
    "nonadminbackupstoragelocations",
    NonAdminBackupStorageLocation,
)

DEFINITION: Final = Definition(
    NON_ADMIN_LOCATION,
    "A bucket for the backups of the namespace that it is in, for people without cluster rights.",
    columns=(
        Column(
            "Request-Approved",
            '.status.conditions[?(@.type=="ClusterAdminApproved")].status',
            "Whether the administrator lets it be used.",
        ),
        Column("Request-Phase", ".status.phase", "Where the request is in its life."),
        Column(
            "Velero-Phase",
            ".status.veleroBackupStorageLocation.status.phase",
            "Whether the bucket can be used.",
        ),
        AGE,
    ),
    short_names=("nabsl",),
    categories=(MAIN,),
)
