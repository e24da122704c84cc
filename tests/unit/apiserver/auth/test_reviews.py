"""Reviews; answers and refusals are those of a real server."""

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from kedge.apiserver.auth import reviews
from kedge.apiserver.auth.accounts import ISSUER, Accounts
from kedge.apiserver.auth.authenticate import Authenticator
from kedge.apiserver.auth.jwt import Signer
from kedge.apiserver.auth.rbac import Authorizer
from kedge.apiserver.auth.users import User
from kedge.kube.errors import BadRequest, Invalid
from kedge.testing import FakeClock

ALICE = User("alice", "uid-alice", ("devs", "system:authenticated"))
ADMIN = User("admin", groups=("system:masters", "system:authenticated"))
GET_PODS = {"verb": "get", "resource": "pods"}
MANAGED = [
    {
        "manager": "unknown",
        "operation": "Update",
        "apiVersion": "authorization.k8s.io/v1",
        "time": "2026-11-15T06:15:22Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:resourceAttributes": {}}},
    }
]
# Several bindings allow it; a real server names any of them, ours the first by name.
PUBLIC = (
    'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole '
    '"system:discovery" to Group "system:authenticated"'
)


def asked(spec: Any = None, metadata: Any = None) -> dict[str, Any]:
    obj: dict[str, Any] = {"metadata": metadata or {}}
    if spec is not None:
        obj["spec"] = spec
    return obj


def refusal(call: Any, *arguments: Any) -> dict[str, Any]:
    with pytest.raises((Invalid, BadRequest)) as caught:
        call(*arguments)
    return caught.value.status


def causes(status: dict[str, Any]) -> list[tuple[str, str]]:
    return [(cause["field"], cause["message"]) for cause in status["details"]["causes"]]


def test_everyone_can_ask_what_they_may(authorizer: Authorizer) -> None:
    spec = {"resourceAttributes": GET_PODS}
    answer = reviews.self_subject_access_review(
        asked(spec, {"managedFields": MANAGED}), ALICE, authorizer
    )
    assert answer == {
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {"managedFields": MANAGED},
        "spec": spec,
        "status": {"allowed": False},
    }


@pytest.mark.parametrize(
    ("user", "spec", "status"),
    [
        (ADMIN, {"resourceAttributes": GET_PODS}, {"allowed": True}),
        (
            ALICE,
            {"nonResourceAttributes": {"verb": "get", "path": "/healthz"}},
            {"allowed": True, "reason": PUBLIC},
        ),
        (ALICE, {"nonResourceAttributes": {}}, {"allowed": False}),
        (
            ALICE,
            {"resourceAttributes": {**GET_PODS, "labelSelector": {"rawSelector": "a b"}}},
            {
                "allowed": False,
                "evaluationError": "spec.resourceAttributes.labelSelector "
                "ignored due to parse error",
            },
        ),
    ],
)
def test_the_answer_tells_who_allows_it(
    authorizer: Authorizer, user: User, spec: dict[str, Any], status: dict[str, Any]
) -> None:
    answer = reviews.self_subject_access_review(asked(spec), user, authorizer)
    assert answer["status"] == status


def test_missing_roles_are_told(authorizer: Authorizer) -> None:
    authorizer.set(
        "RoleBinding",
        {
            "metadata": {"name": "b", "namespace": "ns"},
            "roleRef": {"kind": "Role", "name": "nope"},
            "subjects": [{"kind": "User", "name": "alice"}],
        },
    )
    text = 'role.rbac.authorization.k8s.io "nope" not found'
    spec = {"resourceAttributes": {**GET_PODS, "namespace": "ns"}}
    answer = reviews.self_subject_access_review(asked(spec), ALICE, authorizer)
    assert answer["status"] == {"allowed": False, "reason": f"RBAC: {text}"}
    listed = reviews.self_subject_rules_review(asked({"namespace": "ns"}), ALICE, authorizer)
    assert listed["status"]["evaluationError"] == text


def test_an_access_review_without_a_wish_forgets_its_kind(authorizer: Authorizer) -> None:
    why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
    for obj in (asked(), asked({}), asked({"resourceAttributes": None})):
        status = refusal(reviews.self_subject_access_review, obj, ALICE, authorizer)
        assert status["message"] == (
            '.authorization.k8s.io "" is invalid: spec.resourceAttributes: '
            f"Invalid value: null: {why}"
        )
        assert status["details"]["group"] == "authorization.k8s.io"
        assert "kind" not in status["details"]


def test_an_access_review_has_one_wish_only(authorizer: Authorizer) -> None:
    spec = {"resourceAttributes": {}, "nonResourceAttributes": {"verb": "get", "path": "/x"}}
    status = refusal(reviews.self_subject_access_review, asked(spec), ALICE, authorizer)
    assert causes(status) == [
        (
            "spec.nonResourceAttributes",
            'Invalid value: {"Path":"/x","Verb":"get"}: '
            "cannot be specified in combination with resourceAttributes",
        )
    ]


def test_an_access_review_has_no_metadata(authorizer: Authorizer) -> None:
    metadata = {
        "labels": {"b": "c", "a": "b"},
        "name": "x",
        "annotations": {},
        "managedFields": MANAGED,
    }
    spec: dict[str, Any] = {"resourceAttributes": {}}
    status = refusal(reviews.self_subject_access_review, asked(spec, metadata), ALICE, authorizer)
    assert causes(status) == [
        (
            "metadata",
            'Invalid value: {"name":"x","labels":{"a":"b","b":"c"},"managedFields":[{"manager":'
            '"unknown","operation":"Update","apiVersion":"authorization.k8s.io/v1","time":'
            '"2026-11-15T06:15:22Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":'
            '{"f:resourceAttributes":{}}}}]}: must be empty',
        )
    ]


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        ({"resourceAttributes": GET_PODS, "user": "alice"}, {"allowed": False}),
        (
            {
                "resourceAttributes": GET_PODS,
                "user": "alice",
                "groups": ["system:masters"],
                "extra": {"a": ["b"]},
                "uid": "7",
            },
            {"allowed": True},
        ),
        (
            {
                "nonResourceAttributes": {"verb": "get", "path": "/version"},
                "groups": ["system:authenticated"],
            },
            {"allowed": True, "reason": PUBLIC},
        ),
    ],
)
def test_others_can_be_asked_about(
    authorizer: Authorizer, spec: dict[str, Any], status: dict[str, Any]
) -> None:
    answer = reviews.subject_access_review(asked(spec), authorizer)
    assert answer["kind"] == "SubjectAccessReview"
    assert (answer["spec"], answer["status"]) == (spec, status)


def test_a_subject_access_review_tells_all_that_is_wrong(authorizer: Authorizer) -> None:
    obj = asked({}, {"name": "x"})
    assert causes(refusal(reviews.subject_access_review, obj, authorizer)) == [
        (
            "spec.resourceAttributes",
            "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes "
            "must be specified",
        ),
        ("spec.user", 'Invalid value: "": at least one of user or group must be specified'),
        ("metadata", 'Invalid value: {"name":"x"}: must be empty'),
    ]


def test_a_local_review_stays_in_its_namespace(authorizer: Authorizer) -> None:
    spec = {"resourceAttributes": {**GET_PODS, "namespace": "ns"}, "user": "alice"}
    obj = asked(spec, {"namespace": "ns"})
    answer = reviews.local_subject_access_review(obj, "ns", authorizer)
    assert answer["status"] == {"allowed": False}
    obj = asked({"resourceAttributes": GET_PODS, "user": "alice"}, {"namespace": "ns"})
    assert causes(refusal(reviews.local_subject_access_review, obj, "ns", authorizer)) == [
        ("spec.resourceAttributes.namespace", 'Invalid value: "": must match metadata.namespace')
    ]
    obj = asked(
        {"nonResourceAttributes": {"verb": "get", "path": "pods"}, "user": "alice"},
        {"name": "x", "namespace": "ns"},
    )
    assert causes(refusal(reviews.local_subject_access_review, obj, "ns", authorizer)) == [
        (
            "metadata",
            'Invalid value: {"name":"x","namespace":"ns"}: must be empty except for namespace',
        ),
        (
            "spec.nonResourceAttributes",
            'Invalid value: {"Path":"pods","Verb":"get"}: disallowed on this kind of request',
        ),
    ]


def test_rules_are_listed_and_the_question_is_not_repeated(authorizer: Authorizer) -> None:
    obj = asked({"namespace": "default"}, {"name": "x"})
    assert reviews.self_subject_rules_review(obj, ALICE, authorizer) == {
        "kind": "SelfSubjectRulesReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {},
        "spec": {},
        "status": {
            "resourceRules": [
                {
                    "verbs": ["create"],
                    "apiGroups": ["authorization.k8s.io"],
                    "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
                },
                {
                    "verbs": ["create"],
                    "apiGroups": ["authentication.k8s.io"],
                    "resources": ["selfsubjectreviews"],
                },
            ],
            "nonResourceRules": [
                {
                    "verbs": ["get"],
                    "nonResourceURLs": [
                        "/api",
                        "/api/*",
                        "/apis",
                        "/apis/*",
                        "/healthz",
                        "/livez",
                        "/openapi",
                        "/openapi/*",
                        "/readyz",
                        "/version",
                        "/version/",
                    ],
                },
                {
                    "verbs": ["get"],
                    "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"],
                },
            ],
            "incomplete": False,
        },
    }


def test_rules_are_listed_for_a_namespace_only(authorizer: Authorizer) -> None:
    for obj in (asked(), asked({"namespace": ""})):
        status = refusal(reviews.self_subject_rules_review, obj, ALICE, authorizer)
        assert (status["message"], status["code"]) == ("no namespace on request", 400)


def test_names_of_objects_are_listed(authorizer: Authorizer) -> None:
    rule = {**GET_PODS, "resourceNames": ["x"]}
    authorizer.load(
        [
            {
                "kind": "Role",
                "metadata": {"name": "r", "namespace": "ns"},
                "rules": [
                    {
                        "verbs": ["get"],
                        "apiGroups": [""],
                        "resources": ["pods"],
                        "resourceNames": rule["resourceNames"],
                    }
                ],
            },
            {
                "kind": "RoleBinding",
                "metadata": {"name": "b", "namespace": "ns"},
                "roleRef": {"kind": "Role", "name": "r"},
                "subjects": [{"kind": "User", "name": "alice"}],
            },
        ]
    )
    answer = reviews.self_subject_rules_review(asked({"namespace": "ns"}), ALICE, authorizer)
    assert answer["status"]["resourceRules"][-1] == {
        "verbs": ["get"],
        "apiGroups": [""],
        "resources": ["pods"],
        "resourceNames": ["x"],
    }


def test_everyone_can_ask_who_they_are(clock: FakeClock) -> None:
    assert reviews.self_subject_review(ALICE, clock.now()) == {
        "kind": "SelfSubjectReview",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"creationTimestamp": "2026-05-04T03:02:01Z"},
        "status": {
            "userInfo": {
                "username": "alice",
                "uid": "uid-alice",
                "groups": ["devs", "system:authenticated"],
            }
        },
    }


@pytest.fixture
def authenticator(clock: FakeClock) -> Authenticator:
    """Give an authenticator that knows Alice's token."""
    signer = Signer(ec.generate_private_key(ec.SECP256R1()), ISSUER)
    accounts = Accounts(signer, clock, lambda plural, namespace, name: None)
    return Authenticator({"secret": ALICE}, accounts)


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        (
            {"token": "secret"},
            {"authenticated": True, "user": ALICE.info, "audiences": [ISSUER]},
        ),
        (
            {"token": "secret", "audiences": ["x", ISSUER]},
            {"authenticated": True, "user": ALICE.info, "audiences": [ISSUER]},
        ),
        (
            {"token": "secret", "audiences": ["x"]},
            {"user": {}, "error": "invalid bearer token"},
        ),
        ({"token": "bad"}, {"user": {}, "error": "invalid bearer token"}),
        (
            {"token": " x", "audiences": ["q"]},
            {
                "authenticated": True,
                "user": {"username": "system:anonymous", "groups": ["system:unauthenticated"]},
                "audiences": ["q"],
            },
        ),
    ],
)
def test_a_token_is_looked_at(
    authenticator: Authenticator, spec: dict[str, Any], status: dict[str, Any]
) -> None:
    metadata = {"name": "x", "managedFields": MANAGED}
    assert reviews.token_review(asked(spec, metadata), authenticator) == {
        "kind": "TokenReview",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def test_a_token_review_needs_a_token(authenticator: Authenticator) -> None:
    for obj in (asked(), asked({"token": ""})):
        status = refusal(reviews.token_review, obj, authenticator)
        assert status["message"] == "token is required for TokenReview in authentication"
