"""Answers that a server might give, with the Status that Kubernetes sends."""

from collections.abc import Callable

from kedge.kube import errors, refusals
from kedge.testing.faults.answer import Answer, answer_status, answer_with
from kedge.testing.faults.request import Request

Reply = Callable[[Request], Answer]
"""Makes the answer for a request."""


def conflict() -> Reply:
    """409 Conflict: the object has been modified."""

    def reply(request: Request) -> Answer:
        aim = request.aim
        return _answer(errors.conflict(aim.group, aim.plural, request.name, errors.MODIFIED))

    return reply


def already_exists() -> Reply:
    """409 AlreadyExists."""

    def reply(request: Request) -> Answer:
        aim = request.aim
        return _answer(errors.already_exists(aim.group, aim.plural, request.name))

    return reply


def not_found() -> Reply:
    """404 NotFound."""

    def reply(request: Request) -> Answer:
        aim = request.aim
        return _answer(errors.not_found(aim.group, aim.plural, request.name))

    return reply


def expired() -> Reply:
    """410 Expired: the version of a watch, or the token of a list that goes on, is too old."""

    def reply(request: Request) -> Answer:
        return _answer(expired_error(request))

    return reply


def expired_error(request: Request) -> errors.ApiError:
    """Say what is too old in a request."""
    if request.query.get("continue"):
        return refusals.continue_expired()
    version = request.query.get("resourceVersion", "")
    number = int(version) if version.isascii() and version.isdigit() else 0
    return refusals.too_old_version(number, number + 1 if request.is_watch else None)


def too_many_requests(retry_after: int = 1) -> Reply:
    """429 with Retry-After; 0 leaves the header out."""

    def reply(request: Request) -> Answer:
        why = "too many requests, please try again later"
        return _answer(refusals.too_many_requests(why, retry_after), retry_after)

    return reply


def failure(code: int = 500, *, retry_after: int = 0) -> Reply:
    """500, 502, 503, 504 or any other code, with a Status."""

    def reply(request: Request) -> Answer:
        return _answer(_failure(code, retry_after), retry_after)

    return reply


def bare(code: int = 500, text: str = "", *, media: str = "text/plain") -> Reply:
    """Answer with any code without a Status, as load balancers do."""

    def reply(request: Request) -> Answer:
        return answer_with(code, text.encode(), media)

    return reply


def _failure(code: int, retry_after: int) -> errors.ApiError:
    details: errors.Details = {"retryAfterSeconds": retry_after} if retry_after else {}
    if code == 500:
        error: errors.ApiError = errors.internal_error("injected by a test")
        error.details = {**(error.details or {}), **details}
        return error
    if code == 503:
        why = "the server is currently unable to handle the request"
        return errors.ServiceUnavailable(why, details)
    if code == 504:
        return refusals.timeout("request did not complete within the allotted timeout", retry_after)
    return errors.UnknownError("injected by a test", details, code)


def _answer(error: errors.ApiError, retry_after: int = 0) -> Answer:
    if retry_after:
        return answer_status(error.status, Retry_After=str(retry_after))
    return answer_status(error.status)
