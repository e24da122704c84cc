"""Requests for the version and the plugins of the server."""

from enum import StrEnum
from typing import Annotated, Final

from kedge.api.definition import AGE, Column, Definition
from kedge.api.part import Doc, Part, Typed, choice, time
from kedge.api.velero.group import GROUP, VERSION
from kedge.kube.kind import Kind


class ServerStatusPhase(StrEnum):
    """Where a request is in its life; an empty phase is as good as NEW."""

    NEW = "New"
    PROCESSED = "Processed"


class Plugin(Part, frozen=True):
    """Something that the server can do."""

    name: Annotated[str, Doc("The name of the plugin.", required=True)] = ""
    kind: Annotated[str, Doc("What the plugin does, such as ObjectStore.", required=True)] = ""


class ServerStatusRequestSpec(Part, frozen=True):
    """There is nothing to say."""


class ServerStatusRequestStatus(Part, frozen=True):
    """The answer to a request."""

    phase: Annotated[str, choice("Where the request is in its life.", ServerStatusPhase)] = ""
    processed_timestamp: Annotated[str | None, time("When the request was answered.")] = None
    server_version: Annotated[str, Doc("The version of the server.")] = ""
    plugins: Annotated[list[Plugin] | None, Doc("What the server can do.")] = None


class ServerStatusRequest(Typed, frozen=True):
    """Asks the server who it is."""

    spec: Annotated[ServerStatusRequestSpec, Doc("Empty: there is nothing to choose.")] = (
        ServerStatusRequestSpec()
    )
    status: Annotated[ServerStatusRequestStatus, Doc("The answer.")] = ServerStatusRequestStatus()


SERVER_STATUS_REQUEST: Final[Kind[ServerStatusRequest]] = Kind(
    GROUP, VERSION, "ServerStatusRequest", "serverstatusrequests", ServerStatusRequest
)

DEFINITION: Final = Definition(
    SERVER_STATUS_REQUEST,
    "Asks the server for its version and for what it can do.",
    columns=(
        Column("Status", ".status.phase", "Where the request is in its life."),
        Column("Version", ".status.serverVersion", "The version of the server."),
        AGE,
    ),
    short_names=("ssr",),
)
