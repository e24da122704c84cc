"""Groups that belong to Kubernetes: a CRD in one of them must say who approved it."""

from typing import Any

from kedge.apiserver.crd.text import uri
from kedge.kube.fielderror import FieldError, invalid, required
from kedge.kube.gotext import quote

Json = dict[str, Any]

ANNOTATION = "api-approved.kubernetes.io"
_SEE = "see https://github.com/kubernetes/enhancements/pull/1111"
_MUST = f'protected groups must have approval annotation "{ANNOTATION}"'
_OWNED = ("k8s.io", "kubernetes.io")

INVALID, APPROVED, BYPASSED, MISSING = "invalid", "approved", "bypassed", "missing"
_CONDITIONS = {
    INVALID: ("False", "InvalidAnnotation"),
    MISSING: ("False", "MissingAnnotation"),
    APPROVED: ("True", "ApprovedAnnotation"),
    BYPASSED: ("False", "UnapprovedAnnotation"),
}


def is_protected(group: str) -> bool:
    """Say whether a group is the Kubernetes community's."""
    return group in _OWNED or group.endswith(tuple(f".{name}" for name in _OWNED))


def state_of(crd: Json) -> tuple[str, str]:
    """Give the state of the approval, and the text that goes with it."""
    text = (crd["metadata"].get("annotations") or {}).get(ANNOTATION) or ""
    if not text:
        return MISSING, f"{_MUST}, {_SEE}"
    if text.startswith("unapproved"):
        return BYPASSED, f"not approved: {quote(text)}"
    found = uri.parse(text)
    if found is not None and found.host and found.scheme:
        return APPROVED, f"approved in {text}"
    return INVALID, f'{_MUST} with either a URL or a reason starting with "unapproved", {_SEE}'


def validate_approval(crd: Json, old: Json | None) -> list[FieldError]:
    """Check the annotation; one that was as bad before may stay."""
    if not is_protected(crd["spec"].get("group") or ""):
        return []
    state, told = state_of(crd)
    if old is not None and state_of(old)[0] == state:
        return []
    path = f"metadata.annotations[{ANNOTATION}]"
    if state == INVALID:
        return [invalid(path, crd["metadata"]["annotations"][ANNOTATION], told)]
    return [required(path, told)] if state == MISSING else []


def approval_condition(crd: Json) -> Json | None:
    """Give the condition that tells of the approval; None outside the protected groups."""
    if not is_protected(crd["spec"]["group"]):
        return None
    state, told = state_of(crd)
    status, reason = _CONDITIONS[state]
    kind = "KubernetesAPIApprovalPolicyConformant"
    return {"type": kind, "status": status, "reason": reason, "message": told}
