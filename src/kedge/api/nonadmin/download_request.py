"""NonAdminDownloadRequests: files of people's own backups and restores."""

from typing import Annotated, Final

from kedge.api.definition import AGE, Column, Definition
from kedge.api.nonadmin.group import GROUP, VERSION
from kedge.api.nonadmin.stage import PHASES, Conditions
from kedge.api.part import Doc, Part, Typed, choice
from kedge.api.velero.download_request import DownloadKind, DownloadRequestStatus
from kedge.kube.kind import Kind


class OwnDownloadTarget(Part, frozen=True):
    """A file of a NonAdminBackup or a NonAdminRestore."""

    kind: Annotated[str, choice("Which file to fetch.", DownloadKind, required=True)] = ""
    name: Annotated[
        str,
        Doc(
            "The name of the NonAdminBackup or NonAdminRestore of the same namespace.",
            required=True,
        ),
    ] = ""


class NonAdminDownloadRequestSpec(Part, frozen=True):
    """The file that is asked for."""

    target: Annotated[OwnDownloadTarget | None, Doc("The file to fetch.", required=True)] = None


class VeleroDownload(Part, frozen=True):
    """The answer of the DownloadRequest that was made."""

    status: Annotated[
        DownloadRequestStatus | None, Doc("A copy of the status of the DownloadRequest.")
    ] = None


class NonAdminDownloadRequestStatus(Part, frozen=True):
    """What became of a NonAdminDownloadRequest."""

    phase: Annotated[str, Doc("Where the object is in its life.", values=PHASES)] = ""
    conditions: Conditions = None
    velero: Annotated[VeleroDownload | None, Doc("What the server answers.")] = None


class NonAdminDownloadRequest(Typed, frozen=True):
    """Asks for a URL to fetch a file of one's own backup from."""

    spec: Annotated[NonAdminDownloadRequestSpec | None, Doc("The file that is asked for.")] = None
    status: Annotated[NonAdminDownloadRequestStatus | None, Doc("The answer.")] = None


NON_ADMIN_DOWNLOAD_REQUEST: Final[Kind[NonAdminDownloadRequest]] = Kind(
    GROUP, VERSION, "NonAdminDownloadRequest", "nonadmindownloadrequests", NonAdminDownloadRequest
)

DEFINITION: Final = Definition(
    NON_ADMIN_DOWNLOAD_REQUEST,
    "Asks for a URL to fetch a file of one's own backup or restore from.",
    columns=(
        Column("Request-Phase", ".status.phase", "Where the request is in its life."),
        AGE,
    ),
    short_names=("nadr",),
    categories=(),
)
