import pytest

from kedge.kube import refusals
from kedge.kube.errors import ApiError, Details

CONTINUE = (
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter"
)


@pytest.mark.parametrize(
    ("error", "code", "reason", "message", "details"),
    [
        (refusals.continue_expired(), 410, "Expired", f"{CONTINUE}.", None),
        (
            refusals.too_old_version(3, 9),
            410,
            "Expired",
            "too old resource version: 3 (9)",
            None,
        ),
        (refusals.too_old_version(3), 410, "Expired", "too old resource version: 3", None),
        (
            refusals.too_large_version(9, 3),
            504,
            "Timeout",
            "Timeout: Too large resource version: 9, current: 3",
            {
                "causes": [
                    {
                        "reason": "ResourceVersionTooLarge",
                        "message": "Too large resource version",
                    }
                ],
                "retryAfterSeconds": 1,
            },
        ),
        (refusals.timeout("too slow"), 504, "Timeout", "Timeout: too slow", {}),
        (
            refusals.too_many_requests("slow down"),
            429,
            "TooManyRequests",
            "slow down",
            {"retryAfterSeconds": 1},
        ),
        (
            refusals.body_too_large("limit is 3145728"),
            413,
            "RequestEntityTooLarge",
            "Request entity too large: limit is 3145728",
            None,
        ),
        (
            refusals.method_not_supported("apps", "deployments", "watch"),
            405,
            "MethodNotAllowed",
            'watch is not supported on resources of kind "deployments.apps"',
            {"group": "apps", "kind": "deployments"},
        ),
        (
            refusals.not_acceptable(["application/json", "application/yaml"]),
            406,
            "NotAcceptable",
            "only the following media types are accepted: application/json, application/yaml",
            None,
        ),
        (
            refusals.not_acceptable(["application/json"], "meta.k8s.io/v1, Kind=Table"),
            406,
            "NotAcceptable",
            "only the following media types are accepted when converting to "
            "meta.k8s.io/v1, Kind=Table: application/json",
            None,
        ),
        (
            refusals.unsupported_media_type(["a/b", "c/d"]),
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: "
            "a/b, c/d",
            None,
        ),
    ],
)
def test_refusals_are_worded_as_kubernetes_does(
    error: ApiError, code: int, reason: str, message: str, details: Details | None
) -> None:
    assert (error.code, error.reason, error.message, error.details) == (
        code,
        reason,
        message,
        details,
    )


def test_a_list_that_can_go_on_inconsistently_carries_the_token_for_that() -> None:
    error = refusals.continue_expired("abc")
    assert error.message == (
        f"{CONTINUE}, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects "
        "that were created, modified, or deleted between the time the first chunk was returned and "
        "now may show up in the list."
    )
    assert error.status["metadata"] == {"continue": "abc"}


@pytest.mark.parametrize(
    ("code", "told", "reason", "message"),
    [
        (400, "", "BadRequest", "the server rejected our request for an unknown reason"),
        (401, "", "Unauthorized", "the server has asked for the client to provide credentials"),
        (403, "because", "Forbidden", "because"),
        (404, "", "NotFound", "the server could not find the requested resource"),
        (
            405,
            "",
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        ),
        (406, "only JSON", "NotAcceptable", "only JSON"),
        (
            406,
            "unknown",
            "NotAcceptable",
            "the server was unable to respond with a content type that the client supports",
        ),
        (409, "", "Conflict", "the server reported a conflict"),
        (415, "because", "UnsupportedMediaType", "because"),
        (
            422,
            "not shown",
            "Invalid",
            "the server rejected our request due to an error in our request",
        ),
        (
            429,
            "",
            "TooManyRequests",
            "the server has received too many requests and has asked us to try again later",
        ),
        (
            500,
            "oops",
            "InternalError",
            'an error on the server ("oops") has prevented the request from succeeding',
        ),
        (
            503,
            "",
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
        ),
        (
            504,
            "",
            "Timeout",
            "the server was unable to return a response in the time allotted, but may still be "
            "processing the request",
        ),
        (
            418,
            "",
            "",
            "the server responded with the status code 418 but did not return more information",
        ),
    ],
)
def test_a_bare_code_has_the_words_of_kubernetes(
    code: int, told: str, reason: str, message: str
) -> None:
    error = refusals.generic(code, told)
    assert (error.code, error.reason, error.message, error.details) == (code, reason, message, {})


def test_a_bare_code_tells_what_was_asked_if_that_is_known() -> None:
    error = refusals.generic(404, verb="GET", group="apps", plural="deployments", name="web")
    assert error.message == (
        "the server could not find the requested resource (get deployments.apps web)"
    )
    assert error.details == {"name": "web", "group": "apps", "kind": "deployments"}
    assert refusals.generic(404, verb="GET", plural="pods").message.endswith("(get pods)")


def test_a_conflict_of_a_create_means_that_the_object_exists() -> None:
    assert refusals.generic(409, verb="POST").reason == "AlreadyExists"
