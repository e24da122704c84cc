import pytest

from kedge.kube import errors
from kedge.kube.errors import ApiError
from kedge.kube.fielderror import required

EVERY_CLASS = sorted(ApiError.by_reason.values(), key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", EVERY_CLASS)
def test_every_error_survives_the_wire(kind: type[ApiError]) -> None:
    error = kind("it failed", {"name": "x", "causes": [{"message": "why"}]})
    error.metadata = {"continue": "token"}
    again = ApiError.from_status(error.status)
    assert type(again) is kind
    assert again.status == error.status


def test_the_tree_has_every_reason_of_kubernetes() -> None:
    assert set(ApiError.by_reason) == {
        "",
        "AlreadyExists",
        "BadRequest",
        "Conflict",
        "Expired",
        "Forbidden",
        "Gone",
        "InternalError",
        "Invalid",
        "MethodNotAllowed",
        "NotAcceptable",
        "NotFound",
        "NotImplemented",
        "RequestEntityTooLarge",
        "ServerTimeout",
        "ServiceUnavailable",
        "StorageReadError",
        "Timeout",
        "TooManyRequests",
        "Unauthorized",
        "UnsupportedMediaType",
    }


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (404, errors.NotFound),
        (409, errors.Conflict),
        (410, errors.Gone),
        (422, errors.Invalid),
        (500, errors.UnknownError),
        (418, errors.UnknownError),
    ],
)
def test_without_a_known_reason_the_code_decides(code: int, kind: type[ApiError]) -> None:
    for reason in ("", "Strange"):
        error = ApiError.from_status({"message": "m", "reason": reason, "code": code})
        assert type(error) is kind
        assert (error.reason, error.code) == (reason, code)


def test_an_empty_status_is_an_unknown_error() -> None:
    error = ApiError.from_status({})
    assert type(error) is errors.UnknownError
    assert error.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "",
        "code": 500,
    }


def test_a_status_has_its_fields_in_the_order_of_kubernetes() -> None:
    status = errors.not_found("", "pods", "x").status
    assert list(status) == [
        "kind",
        "apiVersion",
        "metadata",
        "status",
        "message",
        "reason",
        "details",
        "code",
    ]
    assert list(errors.named("g", "k", "n")) == ["name", "group", "kind"]


@pytest.mark.parametrize(
    ("error", "code", "message", "details"),
    [
        pytest.param(
            errors.not_found("apps", "deployments", "web"),
            404,
            'deployments.apps "web" not found',
            {"name": "web", "group": "apps", "kind": "deployments"},
            id="not found",
        ),
        pytest.param(
            errors.not_found("", "pods", 'a"b'),
            404,
            'pods "a\\"b" not found',
            {"name": 'a"b', "kind": "pods"},
            id="names are quoted",
        ),
        pytest.param(
            errors.already_exists("", "pods", "x"),
            409,
            'pods "x" already exists',
            {"name": "x", "kind": "pods"},
            id="already exists",
        ),
        pytest.param(
            errors.generated_name_exists("", "pods", "x"),
            409,
            'pods "x" already exists, the server was not able to generate a unique name for the '
            "object",
            {"name": "x", "kind": "pods", "retryAfterSeconds": 1},
            id="every generated name exists",
        ),
        pytest.param(
            errors.generated_name_exists("", "pods", "x", 0),
            409,
            'pods "x" already exists, the server was not able to generate a unique name for the '
            "object",
            {"name": "x", "kind": "pods"},
            id="every generated name exists, no use to retry",
        ),
        pytest.param(
            errors.conflict("apps", "deployments", "web", errors.MODIFIED),
            409,
            'Operation cannot be fulfilled on deployments.apps "web": the object has been '
            "modified; please apply your changes to the latest version and try again",
            {"name": "web", "group": "apps", "kind": "deployments"},
            id="conflict",
        ),
        pytest.param(
            errors.forbidden("", "pods", "", "no"),
            403,
            "pods is forbidden: no",
            {"kind": "pods"},
            id="forbidden resource",
        ),
        pytest.param(
            errors.forbidden("apps", "deployments", "web", "no"),
            403,
            'deployments.apps "web" is forbidden: no',
            {"name": "web", "group": "apps", "kind": "deployments"},
            id="forbidden object",
        ),
        pytest.param(
            errors.forbidden("", "", "", "no"), 403, "forbidden: no", {}, id="forbidden path"
        ),
        pytest.param(
            errors.invalid("apps", "Deployment", "web", [required("a"), required("b")]),
            422,
            'Deployment.apps "web" is invalid: [a: Required value, b: Required value]',
            {
                "name": "web",
                "group": "apps",
                "kind": "Deployment",
                "causes": [
                    {"reason": "FieldValueRequired", "message": "Required value", "field": "a"},
                    {"reason": "FieldValueRequired", "message": "Required value", "field": "b"},
                ],
            },
            id="invalid",
        ),
        pytest.param(
            errors.invalid("", "Pod", "x", [required("a"), required("a")]),
            422,
            'Pod "x" is invalid: a: Required value',
            {
                "name": "x",
                "kind": "Pod",
                "causes": [
                    {"reason": "FieldValueRequired", "message": "Required value", "field": "a"},
                    {"reason": "FieldValueRequired", "message": "Required value", "field": "a"},
                ],
            },
            id="the message tells an error once, the causes as often as it was found",
        ),
        pytest.param(
            errors.invalid("", "Pod", "x", []),
            422,
            'Pod "x" is invalid',
            {"name": "x", "kind": "Pod"},
            id="invalid without causes",
        ),
        pytest.param(
            errors.internal_error("disk on fire"),
            500,
            "Internal error occurred: disk on fire",
            {"causes": [{"message": "disk on fire"}]},
            id="internal error",
        ),
    ],
)
def test_errors_of_objects_are_worded_as_kubernetes_does(
    error: ApiError, code: int, message: str, details: errors.Details
) -> None:
    assert (error.code, error.message, error.details) == (code, message, details)
    assert str(error) == message
