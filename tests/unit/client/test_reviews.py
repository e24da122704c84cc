from typing import Any

import msgspec
import pytest

from kedge.client import BadAnswer, Decision, Question, User, reviews
from kedge.client.requests import Request
from kedge.client.responses import Response
from kedge.kube import errors
from kedge.kube.kind import Kind, plain

BOATS = plain("sea.example.org/v1", "Boat", "boats")
NODES = plain("v1", "Node", "nodes", namespaced=False)


def spec(request: Request) -> Any:
    assert request.body is not None
    return msgspec.json.decode(request.body)["spec"]


def answer(status: Any, code: int = 201) -> Response:
    return Response(code, msgspec.json.encode({"status": status}))


def test_a_question_about_ourselves() -> None:
    request = reviews.may_i(Question("get", BOATS, "ns", "a", "status"))
    assert request.method == "POST"
    assert request.path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    assert request.repeatable
    assert not request.is_write
    assert msgspec.json.decode(request.body or b"") == {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {
            "resourceAttributes": {
                "verb": "get",
                "group": "sea.example.org",
                "version": "v1",
                "resource": "boats",
                "subresource": "status",
                "namespace": "ns",
                "name": "a",
            }
        },
    }


@pytest.mark.parametrize(
    ("what", "attributes"),
    [
        ("pods", {"resource": "pods"}),
        ("apps/deployments", {"group": "apps", "resource": "deployments"}),
        ("sea.example.org/boats", {"group": "sea.example.org", "resource": "boats"}),
        ("*", {"resource": "*"}),
        (NODES, {"version": "v1", "resource": "nodes"}),
    ],
    ids=str,
)
def test_what_is_asked_about(what: Kind[Any] | str, attributes: dict[str, str]) -> None:
    asked = spec(reviews.may_i(Question("list", what)))
    assert asked == {"resourceAttributes": {"verb": "list", **attributes}}


def test_a_path_is_asked_about_too() -> None:
    asked = spec(reviews.may_i(Question("get", "/metrics")))
    assert asked == {"nonResourceAttributes": {"path": "/metrics", "verb": "get"}}


def test_a_question_about_somebody_else() -> None:
    user = User("ann", ("devs", "ops"), "u1", {"scopes": ("a", "b")})
    request = reviews.may_they(user, Question("delete", "pods", "ns"))
    assert request.path == "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    assert spec(request) == {
        "user": "ann",
        "groups": ["devs", "ops"],
        "uid": "u1",
        "extra": {"scopes": ["a", "b"]},
        "resourceAttributes": {"verb": "delete", "resource": "pods", "namespace": "ns"},
    }
    assert spec(reviews.may_they(User("", ("devs",)), Question("get", "pods"))) == {
        "groups": ["devs"],
        "resourceAttributes": {"verb": "get", "resource": "pods"},
    }


def test_the_question_who_we_are_needs_no_words() -> None:
    request = reviews.who_am_i()
    assert request.path == "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    assert msgspec.json.decode(request.body or b"") == {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "SelfSubjectReview",
    }


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (Question("", "pods"), "a verb is needed"),
        (Question("get", ""), "is no resource"),
        (Question("get", "apps/"), "is no resource"),
        (Question("get", "a/b/c"), "is no resource"),
        (Question("get", "pods/log"), "a subresource is an argument of its own"),
        (Question("get", NODES, "ns"), "nodes are in no namespace"),
        (Question("get", "/x", "ns"), "is a path"),
        (Question("get", "/x", name="n"), "is a path"),
    ],
    ids=str,
)
def test_a_question_that_would_be_answered_wrongly_is_not_asked(
    question: Question, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        reviews.may_i(question)


def test_nobody_is_not_asked_about() -> None:
    with pytest.raises(ValueError, match="a user needs a name"):
        reviews.may_they(User(""), Question("get", "pods"))


@pytest.mark.parametrize(
    ("status", "decision"),
    [
        ({"allowed": True}, Decision(True)),
        ({"allowed": True, "reason": "RBAC: x"}, Decision(True, "RBAC: x")),
        ({"allowed": False}, Decision(False)),
        ({"allowed": False, "denied": True}, Decision(False, denied=True)),
        ({"allowed": False, "evaluationError": "no role"}, Decision(False, error="no role")),
    ],
    ids=str,
)
def test_the_answer_is_a_decision(status: dict[str, Any], decision: Decision) -> None:
    got = reviews.decision(answer(status))
    assert got == decision
    assert bool(got) is status["allowed"]


@pytest.mark.parametrize("status", [None, {}, {"allowed": "yes"}, {"allowed": None}, 3])
def test_what_is_no_decision_is_not_taken_for_one(status: Any) -> None:
    with pytest.raises(BadAnswer):
        reviews.decision(answer(status))


def test_a_refusal_to_answer_is_no_no() -> None:
    status = errors.Forbidden("you may not ask").status
    with pytest.raises(errors.Forbidden):
        reviews.decision(Response(403, msgspec.json.encode(status)))


def test_who_we_are() -> None:
    info = {"username": "ann", "uid": "u", "groups": ["devs"], "extra": {"a": ["b"]}}
    assert reviews.user(answer({"userInfo": info})) == User("ann", ("devs",), "u", {"a": ["b"]})
    assert reviews.user(answer({"userInfo": {"username": "x"}})) == User("x")
