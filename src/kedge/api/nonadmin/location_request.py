"""Requests to administrators to let a bucket of somebody's be used."""

from enum import StrEnum
from typing import Annotated, Final

from kedge.api.definition import AGE, Column, Definition
from kedge.api.nonadmin.group import GROUP, VERSION
from kedge.api.part import Doc, Part, Typed, choice
from kedge.api.velero.storage_location import StorageLocationSpec
from kedge.kube.kind import Kind


class ApprovalDecision(StrEnum):
    """What an administrator says; empty is as good as PENDING."""

    APPROVE = "approve"
    REJECT = "reject"
    PENDING = "pending"


class ApprovalPhase(StrEnum):
    """What came of a request."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"


class LocationRequestSpec(Part, frozen=True):
    """What an administrator says to a request."""

    approval_decision: Annotated[
        str, choice("What the administrator says; not set means pending.", ApprovalDecision)
    ] = ""


class RequestedLocation(Part, frozen=True):
    """The NonAdminBackupStorageLocation that a request is about."""

    requested_spec: Annotated[
        StorageLocationSpec | None,
        Doc("The bucket as it was when it was asked for.", required=True),
    ] = None
    nacuuid: Annotated[
        str, Doc("The unique name that was made up for the BackupStorageLocation.")
    ] = ""
    name: Annotated[str, Doc("The name of the NonAdminBackupStorageLocation.")] = ""
    namespace: Annotated[str, Doc("The namespace of the NonAdminBackupStorageLocation.")] = ""


class LocationRequestStatus(Part, frozen=True):
    """What came of a request."""

    phase: Annotated[str, choice("What came of the request.", ApprovalPhase)] = ""
    non_admin_backup_storage_location: Annotated[
        RequestedLocation | None,
        Doc("The NonAdminBackupStorageLocation that the request is about."),
    ] = None


class NonAdminBackupStorageLocationRequest(Typed, frozen=True):
    """Asks an administrator whether somebody's bucket may be used."""

    spec: Annotated[LocationRequestSpec | None, Doc("What the administrator says.")] = None
    status: Annotated[LocationRequestStatus | None, Doc("What came of the request.")] = None


NON_ADMIN_LOCATION_REQUEST: Final[Kind[NonAdminBackupStorageLocationRequest]] = Kind(
    GROUP,
    VERSION,
    "NonAdminBackupStorageLocationRequest",
    "nonadminbackupstoragelocationrequests",
    NonAdminBackupStorageLocationRequest,
)

_SOURCE: Final = ".status.nonAdminBackupStorageLocation"

DEFINITION: Final = Definition(
    NON_ADMIN_LOCATION_REQUEST,
    "Asks an administrator whether the bucket of a NonAdminBackupStorageLocation may be used.",
    columns=(
        Column("Request-Phase", ".status.phase", "What came of the request."),
        Column("Request-Namespace", f"{_SOURCE}.namespace", "The namespace of who asks."),
        Column("Request-Name", f"{_SOURCE}.name", "The name of what is asked for."),
        AGE,
    ),
    short_names=("nabslrequest",),
    categories=(),
)
