"""One error tree for both sides of the wire: raised here, carried by a Status, raised again there.

ApiError
├── BadRequest             400        ├── Invalid                422
├── Unauthorized           401        ├── TooManyRequests        429
├── Forbidden              403        ├── InternalError          500
├── NotFound               404        ├── ServerTimeout          500
├── MethodNotAllowed       405        ├── NotImplementedByServer 501
├── NotAcceptable          406        ├── ServiceUnavailable     503
├── AlreadyExists          409        ├── StorageReadError       500
├── Conflict               409        ├── Timeout                504
├── Expired, Gone          410        └── UnknownError           any other
├── TooLarge               413
└── UnsupportedMediaType   415

The class is chosen by the reason of the Status, not by its code: 409 is Conflict as well as
AlreadyExists. Only where the reason says nothing, the code decides. Below the tree: what goes wrong
with an object. What goes wrong with a request is in `refusals`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from kedge.kube.fielderror import FieldError, aggregate
from kedge.kube.gotext import quote

Details = dict[str, Any]


class ApiError(Exception):
    """A failure that has a Kubernetes Status."""

    code: int = 500
    reason: str = ""
    metadata: Mapping[str, Any] = {}
    """Of the Status, which is that of a list: `continue` where a list can go on."""
    by_reason: ClassVar[dict[str, type["ApiError"]]] = {}

    def __init__(
        self, message: str, details: Details | None = None, code: int | None = None
    ) -> None:
        """Keep what the Status says; `details` is its field of that name."""
        super().__init__(message)
        self.message = message
        self.details = details
        if code is not None:
            self.code = code

    def __init_subclass__(cls) -> None:
        """Enter the class under its reason."""
        super().__init_subclass__()
        ApiError.by_reason[cls.reason] = cls

    @property
    def status(self) -> dict[str, Any]:
        """The Status object of this error."""
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": dict(self.metadata),
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            status["details"] = self.details
        status["code"] = self.code
        return status

    @staticmethod
    def from_status(status: Mapping[str, Any]) -> "ApiError":
        """Make the error that a Status tells of."""
        reason, code = status.get("reason") or "", status.get("code") or 500
        kind = ApiError.by_reason.get(reason, UnknownError)
        if kind is UnknownError:
            kind = _BY_CODE.get(code, UnknownError)
        error = kind(status.get("message") or "", status.get("details"), code)
        error.reason = reason
        error.metadata = status.get("metadata") or {}
        return error


class BadRequest(ApiError):
    """The request makes no sense."""

    code, reason = 400, "BadRequest"


class Unauthorized(ApiError):
    """Nobody knows who asks."""

    code, reason = 401, "Unauthorized"


class Forbidden(ApiError):
    """The one who asks may not."""

    code, reason = 403, "Forbidden"


class NotFound(ApiError):
    """There is no such object."""

    code, reason = 404, "NotFound"


class MethodNotAllowed(ApiError):
    """The resource does not have this verb."""

    code, reason = 405, "MethodNotAllowed"


class NotAcceptable(ApiError):
    """None of the accepted media types can be served."""

    code, reason = 406, "NotAcceptable"


class AlreadyExists(ApiError):
    """An object of that name is there."""

    code, reason = 409, "AlreadyExists"


class Conflict(ApiError):
    """The object has moved on, or someone else owns the field."""

    code, reason = 409, "Conflict"


class Expired(ApiError):
    """The resource version is too old."""

    code, reason = 410, "Expired"


class Gone(ApiError):
    """What was asked for is no longer there."""

    code, reason = 410, "Gone"


class TooLarge(ApiError):
    """The body is larger than the server takes."""

    code, reason = 413, "RequestEntityTooLarge"


class UnsupportedMediaType(ApiError):
    """The body has a media type the server does not read."""

    code, reason = 415, "UnsupportedMediaType"


class Invalid(ApiError):
    """The object breaks a rule; the causes name the fields."""

    code, reason = 422, "Invalid"


class TooManyRequests(ApiError):
    """Try again later."""

    code, reason = 429, "TooManyRequests"


class InternalError(ApiError):
    """The server failed."""

    code, reason = 500, "InternalError"


class UnknownError(ApiError):
    """A failure whose reason is empty or not known here."""


class StorageReadError(ApiError):
    """What is stored can not be read."""

    code, reason = 500, "StorageReadError"


class ServerTimeout(ApiError):
    """The server could not do it in time; a retry may help."""

    code, reason = 500, "ServerTimeout"


class NotImplementedByServer(ApiError):
    """The server knows what is meant, and does not do it."""

    code, reason = 501, "NotImplemented"


class ServiceUnavailable(ApiError):
    """The server can not answer just now."""

    code, reason = 503, "ServiceUnavailable"


class Timeout(ApiError):
    """The request took too long."""

    code, reason = 504, "Timeout"


_BY_CODE: Final[dict[int, type[ApiError]]] = {
    kind.code: kind
    for kind in (
        BadRequest,
        Unauthorized,
        Forbidden,
        NotFound,
        MethodNotAllowed,
        NotAcceptable,
        Conflict,
        Gone,
        TooLarge,
        UnsupportedMediaType,
        Invalid,
        TooManyRequests,
        ServiceUnavailable,
        Timeout,
    )
}


def named(group: str, kind: str, name: str = "") -> Details:
    """Point to an object in details; `kind` is the plural resource but for Invalid."""
    details: Details = {}
    if name:
        details["name"] = name
    if group:
        details["group"] = group
    if kind:
        details["kind"] = kind
    return details


def qualified(group: str, plural: str) -> str:
    """Write the resource as messages do: `deployments.apps`, `pods`."""
    return f"{plural}.{group}" if group else plural


def not_found(group: str, plural: str, name: str) -> NotFound:
    """Say that the object is not there."""
    message = f"{qualified(group, plural)} {quote(name)} not found"
    return NotFound(message, named(group, plural, name))


def already_exists(group: str, plural: str, name: str) -> AlreadyExists:
    """Say that the name is taken."""
    message = f"{qualified(group, plural)} {quote(name)} already exists"
    return AlreadyExists(message, named(group, plural, name))


def generated_name_exists(
    group: str, plural: str, name: str, retry_after: int = 1
) -> AlreadyExists:
    """Say that every name that was drawn is taken; the client may try again."""
    what = f"{qualified(group, plural)} {quote(name)}"
    details = named(group, plural, name)
    if retry_after:
        details["retryAfterSeconds"] = retry_after
    return AlreadyExists(
        f"{what} already exists, the server was not able to generate a unique name for the object",
        details,
    )


def conflict(group: str, plural: str, name: str, why: str) -> Conflict:
    """Say that the write does not fit what is stored."""
    what = f"{qualified(group, plural)} {quote(name)}"
    return Conflict(f"Operation cannot be fulfilled on {what}: {why}", named(group, plural, name))


MODIFIED: Final = (
    "the object has been modified; please apply your changes to the latest version and try again"
)


def forbidden(group: str, plural: str, name: str, why: str) -> Forbidden:
    """Say that the one who asks may not do this to the object."""
    what = qualified(group, plural)
    if what and name:
        what = f"{what} {quote(name)}"
    message = f"{what} is forbidden: {why}" if what else f"forbidden: {why}"
    return Forbidden(message, named(group, plural, name))


MOST_ERRORS = 10_000
"""Broken rules of which each is told: a hostile body breaks a million, and nobody reads them."""


def invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> Invalid:
    """Say which rules the object breaks."""
    details = named(group, kind, name)
    message = f"{qualified(group, kind)} {quote(name)} is invalid"
    if errors:
        errors = errors[:MOST_ERRORS]
        details["causes"] = [error.cause for error in errors]
        message = f"{message}: {aggregate(errors)}"
    return Invalid(message, details)


def internal_error(why: str) -> InternalError:
    """Say that the server failed, and why."""
    return InternalError(f"Internal error occurred: {why}", {"causes": [{"message": why}]})
