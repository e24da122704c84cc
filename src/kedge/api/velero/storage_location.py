"""BackupStorageLocations: where backups are kept."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final

import msgspec

from kedge.api.definition import AGE, EVERYTHING, MAIN, Column, Definition
from kedge.api.part import DURATION_PATTERN, Doc, Part, Typed, choice, time
from kedge.api.velero.group import GROUP, VERSION
from kedge.api.velero.reference import SecretKey
from kedge.kube.durations import ZERO, parse_duration
from kedge.kube.kind import Kind


class LocationPhase(StrEnum):
    """Whether a location can be used; an empty phase means that nobody has looked yet."""

    AVAILABLE = "Available"
    UNAVAILABLE = "Unavailable"


class AccessMode(StrEnum):
    """What may be done with a location; empty is as good as READ_WRITE."""

    READ_ONLY = "ReadOnly"
    READ_WRITE = "ReadWrite"


class ObjectStorage(Part, frozen=True):
    """A place in a bucket."""

    bucket: Annotated[str, Doc("The bucket that backups are kept in.", required=True)] = ""
    prefix: Annotated[str, Doc("The folder inside of the bucket; not set, its top.")] = ""
    ca_cert: Annotated[
        str | None,
        Doc("Certificates to trust, as PEM in base64; caCertRef is the better way.", format="byte"),
    ] = None
    ca_cert_ref: Annotated[
        SecretKey | None,
        Doc("The Secret with the certificates to trust; not with caCert.", atomic=True),
    ] = None


class StorageLocationSpec(Part, frozen=True):
    """A bucket, and how to get at it."""

    provider: Annotated[
        str,
        Doc("Who keeps the bucket: aws, gcp, azure or kedge.dev/filesystem.", required=True),
    ] = ""
    config: Annotated[
        dict[str, str] | None, Doc("Settings of the provider, such as region or s3Url.")
    ] = None
    credential: Annotated[
        SecretKey | None, Doc("The Secret with the credentials for the bucket.", atomic=True)
    ] = None
    object_storage: Annotated[ObjectStorage, Doc("The bucket.", required=True)] = msgspec.field(
        default_factory=ObjectStorage
    )
    default: Annotated[
        bool, Doc("Whether Backups that name no location are kept here; one location can be it.")
    ] = False
    access_mode: Annotated[
        str, choice("Whether backups can be made and deleted here; not set, they can.", AccessMode)
    ] = ""
    backup_sync_period: Annotated[
        str | None,
        Doc(
            "How often to look for Backups that the cluster does not know; 0 is never, not set as "
            "the server says.",
            pattern=DURATION_PATTERN,
        ),
    ] = None
    validation_frequency: Annotated[
        str | None,
        Doc(
            "How often to see whether the location can be used; 0 is only once, not set as the "
            "server says.",
            pattern=DURATION_PATTERN,
        ),
    ] = None


class StorageLocationStatus(Part, frozen=True):
    """Whether a location can be used."""

    phase: Annotated[str, choice("Whether the location can be used.", LocationPhase)] = ""
    message: Annotated[str, Doc("Why the location can not be used.")] = ""
    last_synced_time: Annotated[
        str | None, time("When the Backups of the location were last brought into the cluster.")
    ] = None
    last_validation_time: Annotated[
        str | None, time("When it was last seen whether the location can be used.")
    ] = None
    last_synced_revision: Annotated[str, Doc("Not used any more.")] = ""
    access_mode: Annotated[
        str, choice("Not used any more: the spec has an accessMode.", AccessMode)
    ] = ""


class BackupStorageLocation(Typed, frozen=True):
    """A place where backups are kept."""

    spec: Annotated[StorageLocationSpec, Doc("The bucket, and how to get at it.")] = (
        StorageLocationSpec()
    )
    status: Annotated[StorageLocationStatus, Doc("Whether the location can be used.")] = (
        StorageLocationStatus()
    )


def period_of(text: str | None, default: timedelta) -> timedelta | None:
    """Read how often to do something: None is never; absent and negative give the default.

    Raises DurationError.
    """
    if not text:
        return default
    period = parse_duration(text)
    if period < ZERO:
        return default
    return period or None


BACKUP_STORAGE_LOCATION: Final[Kind[BackupStorageLocation]] = Kind(
    GROUP, VERSION, "BackupStorageLocation", "backupstoragelocations", BackupStorageLocation
)

DEFINITION: Final = Definition(
    BACKUP_STORAGE_LOCATION,
    "A bucket, or a part of one, in which backups are kept.",
    columns=(
        Column("Phase", ".status.phase", "Whether it can be used."),
        Column(
            "Last Validated",
            ".status.lastValidationTime",
            "How long ago it was last seen whether it can be used.",
            "date",
        ),
        Column("Provider", ".spec.provider", "Who keeps the bucket."),
        Column("Bucket", ".spec.objectStorage.bucket", "The bucket."),
        Column("Access", ".spec.accessMode", "What may be done with it; empty is all."),
        AGE,
        Column("Default", ".spec.default", "Whether it is used if none is named.", "boolean"),
        Column("Prefix", ".spec.objectStorage.prefix", "The folder in the bucket.", wide=True),
        Column("Message", ".status.message", "Why it can not be used.", wide=True),
    ),
    short_names=("bsl",),
    categories=(MAIN, EVERYTHING),
)
