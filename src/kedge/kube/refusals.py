"""What goes wrong with a request, not with an object: versions, media types, methods, limits.

Each function makes the error with the words that a Kubernetes API server has for it.
"""

from collections.abc import Iterable
from typing import Final

from kedge.kube.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Details,
    Expired,
    Forbidden,
    InternalError,
    Invalid,
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    ServiceUnavailable,
    Timeout,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    UnknownError,
    UnsupportedMediaType,
    named,
    qualified,
)
from kedge.kube.gotext import quote

LIST_EXPIRED: Final = "The resourceVersion for the provided list is too old."
_CONTINUE_EXPIRED: Final = (
    "The provided continue parameter is too old to display a consistent list result. "
    "You can start a new list without the continue parameter"
)
_INCONSISTENT: Final = (
    ", or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were "
    "created, modified, or deleted between the time the first chunk was returned and now may "
    "show up in the list."
)


def continue_expired(token: str = "") -> Expired:
    """Say that the list can not go on as it was; with `token` it can go on as of now."""
    if not token:
        return Expired(f"{_CONTINUE_EXPIRED}.")
    error = Expired(f"{_CONTINUE_EXPIRED}{_INCONSISTENT}")
    error.metadata = {"continue": token}
    return error


def too_old_version(requested: int, oldest: int | None = None) -> Expired:
    """Refuse a watch (with `oldest`) or list from a version that is gone."""
    told = f" ({oldest})" if oldest is not None else ""
    return Expired(f"too old resource version: {requested}{told}")


def too_large_version(requested: int, current: int, retry_after: int = 1) -> Timeout:
    """Say that the version asked for lies in the future."""
    error = timeout(f"Too large resource version: {requested}, current: {current}")
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    error.details = {"causes": [cause], **_retry(retry_after)}
    return error


def timeout(why: str, retry_after: int = 0) -> Timeout:
    """Say that the request took too long; it may still be carried out."""
    return Timeout(f"Timeout: {why}", _retry(retry_after))


def too_many_requests(message: str, retry_after: int = 1) -> TooManyRequests:
    """Ask the client to wait and try again."""
    return TooManyRequests(message, _retry(retry_after))


def _retry(seconds: int) -> Details:
    return {"retryAfterSeconds": seconds} if seconds else {}


def body_too_large(why: str) -> TooLarge:
    """Say that the body, or what it asks for, is beyond a limit: `limit is 3145728`."""
    return TooLarge(f"Request entity too large: {why}")


def method_not_supported(group: str, plural: str, action: str) -> MethodNotAllowed:
    """Say that the kind does not have this verb; for a path see `generic`."""
    what = quote(qualified(group, plural))
    message = f"{action} is not supported on resources of kind {what}"
    return MethodNotAllowed(message, named(group, plural))


def not_acceptable(accepted: Iterable[str], target: str = "") -> NotAcceptable:
    """Say that no type the client accepts can be served (converted to `target`)."""
    where = f" when converting to {target}" if target else ""
    types = ", ".join(accepted)
    return NotAcceptable(f"only the following media types are accepted{where}: {types}")


def unsupported_media_type(accepted: Iterable[str]) -> UnsupportedMediaType:
    """Say that the body has a type that is not read here."""
    return UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: "
        + ", ".join(accepted)
    )


_GENERIC: Final[dict[int, tuple[type[ApiError], str]]] = {
    400: (BadRequest, "the server rejected our request for an unknown reason"),
    401: (Unauthorized, "the server has asked for the client to provide credentials"),
    404: (NotFound, "the server could not find the requested resource"),
    405: (
        MethodNotAllowed,
        "the server does not allow this method on the requested resource",
    ),
    406: (
        NotAcceptable,
        "the server was unable to respond with a content type that the client supports",
    ),
    409: (Conflict, "the server reported a conflict"),
    422: (Invalid, "the server rejected our request due to an error in our request"),
    429: (
        TooManyRequests,
        "the server has received too many requests and has asked us to try again later",
    ),
    503: (ServiceUnavailable, "the server is currently unable to handle the request"),
    504: (
        Timeout,
        "the server was unable to return a response in the time allotted, "
        "but may still be processing the request",
    ),
}
_OWN_WORDS: Final[dict[int, type[ApiError]]] = {403: Forbidden, 415: UnsupportedMediaType}


def generic(
    code: int, told: str = "", *, verb: str = "", group: str = "", plural: str = "", name: str = ""
) -> ApiError:
    """Make the error for a bare HTTP code; `told` is what the server said beside it."""
    kind, message = _generic(code, told)
    if code == 409 and verb == "POST":
        kind = AlreadyExists
    what = qualified(group, plural)
    if what:
        message = f"{message} ({' '.join(filter(None, (verb.lower(), what, name)))})"
    return kind(message, named(group, plural, name), code)


def _generic(code: int, told: str) -> tuple[type[ApiError], str]:
    if code in _OWN_WORDS:
        return _OWN_WORDS[code], told
    if code == 406 and told and told != "unknown":
        return NotAcceptable, told
    if code in _GENERIC:
        return _GENERIC[code]
    if code >= 500:
        failed = "has prevented the request from succeeding"
        return InternalError, f"an error on the server ({quote(told)}) {failed}"
    return UnknownError, (
        f"the server responded with the status code {code} but did not return more information"
    )
