"""Reviews: questions to the server about who someone is and what they may do.

Each handler takes the decoded request and gives the object that is sent back; nothing is stored.
`metadata.managedFields` of the request, if the caller has filled them in, come back as they are.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kedge.apiserver.auth.accounts import TokenError
from kedge.apiserver.auth.attributes import Attributes
from kedge.apiserver.auth.authenticate import Authenticator
from kedge.apiserver.auth.criteria import evaluation_errors, validate_criteria
from kedge.apiserver.auth.rbac import Authorizer, aggregate
from kedge.apiserver.auth.rules import ALL
from kedge.apiserver.auth.users import User
from kedge.kube.errors import BadRequest, invalid
from kedge.kube.fielderror import FieldError
from kedge.kube.fielderror import invalid as bad
from kedge.kube.gotext import Struct
from kedge.kube.metadata import FIELDS
from kedge.kube.times import format_time

AUTHORIZATION: Final = "authorization.k8s.io"
AUTHENTICATION: Final = "authentication.k8s.io"
RESOURCE: Final = "spec.resourceAttributes"
PATH: Final = "spec.nonResourceAttributes"

Object = dict[str, Any]


def self_subject_access_review(obj: Object, user: User, authorizer: Authorizer) -> Object:
    """Answer whether the one who asks may do something."""
    spec = obj.get("spec") or {}
    errors = _wish_errors(spec)
    errors += _criteria_errors(spec)
    errors += _metadata_errors(obj, (), "must be empty")
    return _reviewed(obj, "SelfSubjectAccessReview", errors, user, authorizer)


def subject_access_review(obj: Object, authorizer: Authorizer) -> Object:
    """Answer whether someone may do something."""
    spec = obj.get("spec") or {}
    errors = _subject_errors(spec)
    errors += _metadata_errors(obj, (), "must be empty")
    return _reviewed(obj, "SubjectAccessReview", errors, _subject(spec), authorizer)


def local_subject_access_review(obj: Object, namespace: str, authorizer: Authorizer) -> Object:
    """Answer whether someone may do something in a namespace, that of the request."""
    spec = obj.get("spec") or {}
    errors = _subject_errors(spec)
    errors += _metadata_errors(obj, ("namespace",), "must be empty except for namespace")
    wish, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if wish is not None and (wish.get("namespace") or "") != namespace:
        given = wish.get("namespace") or ""
        errors.append(bad(f"{RESOURCE}.namespace", given, "must match metadata.namespace"))
    if path is not None:
        errors.append(bad(PATH, _shown_path(path), "disallowed on this kind of request"))
    return _reviewed(obj, "LocalSubjectAccessReview", errors, _subject(spec), authorizer)


def self_subject_rules_review(obj: Object, user: User, authorizer: Authorizer) -> Object:
    """List what the one who asks may do in a namespace."""
    namespace = (obj.get("spec") or {}).get("namespace")
    if not namespace:
        raise BadRequest("no namespace on request")
    grants, absent = authorizer.grants(user, namespace)
    resources: list[Object] = []
    paths: list[Object] = []
    for rule, _ in grants:
        if rule.resources:
            shown: Object = {
                "verbs": list(rule.verbs),
                "apiGroups": list(rule.groups),
                "resources": list(rule.resources),
            }
            if rule.names:
                shown["resourceNames"] = list(rule.names)
            resources.append(shown)
        if rule.paths:
            paths.append({"verbs": list(rule.verbs), "nonResourceURLs": list(rule.paths)})
    status: Object = {
        "resourceRules": resources,
        "nonResourceRules": paths,
        "incomplete": False,
    }
    if absent:
        status["evaluationError"] = aggregate(absent)
    # The answer is a new object: it repeats nothing of the question.
    return _answer("SelfSubjectRulesReview", AUTHORIZATION, {}, {}, status)


def self_subject_review(user: User, now: datetime) -> Object:
    """Tell who asks."""
    answer = _kind("SelfSubjectReview", AUTHENTICATION)
    answer["metadata"] = {"creationTimestamp": format_time(now)}
    answer["status"] = {"userInfo": user.info}
    return answer


def token_review(obj: Object, authenticator: Authenticator) -> Object:
    """Tell whom a token names."""
    spec = obj.get("spec") or {}
    token = spec.get("token")
    if not token:
        raise BadRequest("token is required for TokenReview in authentication")
    audiences = spec.get("audiences") or authenticator.audiences
    try:
        found = authenticator.review(token, audiences)
    except TokenError as exc:
        status: Object = {"user": {}, "error": str(exc)}
    else:
        status = {
            "authenticated": True,
            "user": found.user.info,
            "audiences": list(found.audiences),
        }
    return _answer("TokenReview", AUTHENTICATION, obj.get("metadata") or {}, spec, status)


def _reviewed(
    obj: Object, kind: str, errors: list[FieldError], user: User, authorizer: Authorizer
) -> Object:
    if errors:
        # Kubernetes forgets the kind here: the message starts with a dot.
        raise invalid(AUTHORIZATION, "", "", errors)
    spec = obj["spec"]
    decision = authorizer.authorize(_attributes(user, spec))
    status: Object = {"allowed": decision.allowed}
    if decision.reason:
        status["reason"] = decision.reason
    wish = spec.get("resourceAttributes")
    if wish is not None and (problem := evaluation_errors(wish, RESOURCE)):
        status["evaluationError"] = problem
    return _answer(kind, AUTHORIZATION, obj.get("metadata") or {}, spec, status)


def _attributes(user: User, spec: Mapping[str, Any]) -> Attributes:
    wish = spec.get("resourceAttributes")
    if wish is None:
        path = spec["nonResourceAttributes"]
        verb = path.get("verb") or ""
        return Attributes(user, verb, path=path.get("path") or "", is_resource=False)
    return Attributes(
        user,
        wish.get("verb") or "",
        wish.get("namespace") or "",
        wish.get("group") or "",
        wish.get("version") or ALL,
        wish.get("resource") or "",
        wish.get("subresource") or "",
        wish.get("name") or "",
    )


def _subject(spec: Mapping[str, Any]) -> User:
    extra = {key: tuple(values or ()) for key, values in (spec.get("extra") or {}).items()}
    groups = tuple(spec.get("groups") or ())
    return User(spec.get("user") or "", spec.get("uid") or "", groups, extra)


def _subject_errors(spec: Mapping[str, Any]) -> list[FieldError]:
    errors = _wish_errors(spec)
    if not spec.get("user") and not spec.get("groups"):
        errors.append(bad("spec.user", "", "at least one of user or group must be specified"))
    return errors + _criteria_errors(spec)


def _wish_errors(spec: Mapping[str, Any]) -> list[FieldError]:
    wish, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if wish is not None and path is not None:
        why = "cannot be specified in combination with resourceAttributes"
        return [bad(PATH, _shown_path(path), why)]
    if wish is None and path is None:
        why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [bad(RESOURCE, None, why)]
    return []


def _criteria_errors(spec: Mapping[str, Any]) -> list[FieldError]:
    wish = spec.get("resourceAttributes")
    return [] if wish is None else validate_criteria(wish, RESOURCE)


def _metadata_errors(obj: Object, allowed: tuple[str, ...], why: str) -> list[FieldError]:
    metadata = obj.get("metadata") or {}
    given = {key for key in metadata if metadata[key]}
    if given <= {*allowed, "managedFields"}:
        return []
    return [bad("metadata", _shown_metadata(metadata), why)]


def _shown_metadata(metadata: Mapping[str, Any]) -> Struct:
    shown = Struct((key, metadata[key]) for key in FIELDS if metadata.get(key))
    for key in ("ownerReferences", "managedFields"):
        if key in shown:
            shown[key] = [Struct(entry) for entry in shown[key]]
    return shown


def _shown_path(path: Mapping[str, Any]) -> Struct:
    return Struct(Path=path.get("path") or "", Verb=path.get("verb") or "")


def _kind(kind: str, group: str) -> Object:
    return {"kind": kind, "apiVersion": f"{group}/v1"}


def _answer(
    kind: str, group: str, metadata: Mapping[str, Any], spec: Mapping[str, Any], status: Object
) -> Object:
    answer = _kind(kind, group)
    answer.update(metadata=metadata, spec=spec, status=status)
    return answer
