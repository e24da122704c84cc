"""VolumeSnapshotLocations: where a provider keeps snapshots of volumes."""

from typing import Annotated, Final

from kedge.api.definition import AGE, Column, Definition
from kedge.api.part import Doc, Part, Typed, choice
from kedge.api.velero.group import GROUP, VERSION
from kedge.api.velero.reference import SecretKey
from kedge.api.velero.storage_location import LocationPhase
from kedge.kube.kind import Kind


class SnapshotLocationSpec(Part, frozen=True):
    """A provider, and how to get at it."""

    provider: Annotated[str, Doc("Who makes the snapshots.", required=True)] = ""
    config: Annotated[dict[str, str] | None, Doc("Settings of the provider.")] = None
    credential: Annotated[
        SecretKey | None, Doc("The Secret with the credentials for the provider.", atomic=True)
    ] = None


class SnapshotLocationStatus(Part, frozen=True):
    """Whether a location can be used."""

    phase: Annotated[str, choice("Whether the location can be used.", LocationPhase)] = ""


class VolumeSnapshotLocation(Typed, frozen=True):
    """A place where snapshots of volumes are kept."""

    spec: Annotated[SnapshotLocationSpec, Doc("The provider, and how to get at it.")] = (
        SnapshotLocationSpec()
    )
    status: Annotated[SnapshotLocationStatus, Doc("Whether the location can be used.")] = (
        SnapshotLocationStatus()
    )


VOLUME_SNAPSHOT_LOCATION: Final[Kind[VolumeSnapshotLocation]] = Kind(
    GROUP, VERSION, "VolumeSnapshotLocation", "volumesnapshotlocations", VolumeSnapshotLocation
)

DEFINITION: Final = Definition(
    VOLUME_SNAPSHOT_LOCATION,
    "A provider's place for snapshots of volumes.",
    columns=(
        Column("Provider", ".spec.provider", "Who makes the snapshots."),
        Column("Phase", ".status.phase", "Whether it can be used."),
        AGE,
    ),
    short_names=("vsl",),
)
