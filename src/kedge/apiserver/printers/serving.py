"""What the API server itself goes by: admission, fairness, the groups it serves."""

from datetime import datetime
from typing import Any

from kedge.apiserver.printers.wording import NONE, UNSET, Cells, age_of, name_of, part
from kedge.apiserver.resource import Object


def webhooks(obj: Object, now: datetime) -> Cells:
    """Give the cells of a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration."""
    return [name_of(obj), len(obj.get("webhooks") or ()), age_of(obj, now)]


def admission_policy(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ValidatingAdmissionPolicy."""
    spec = part(obj, "spec")
    kind = spec.get("paramKind")
    told = UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"
    return [name_of(obj), len(spec.get("validations") or ()), told, age_of(obj, now)]


def admission_binding(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ValidatingAdmissionPolicyBinding."""
    spec = part(obj, "spec")
    return [
        name_of(obj),
        spec.get("policyName", ""),
        _parameter(part(spec, "paramRef")),
        age_of(obj, now),
    ]


def _parameter(reference: Object) -> str:
    if reference.get("name"):
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    selector = reference.get("selector")
    return UNSET if selector is None else _struct(selector)


def _struct(selector: Object) -> str:
    """Write a LabelSelector as Go's protobuf code does."""
    labels = "".join(
        f"{key}: {value}," for key, value in sorted(part(selector, "matchLabels").items())
    )
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{one.get('key', '')},Operator:{one.get('operator', '')},"
        f"Values:[{' '.join(one.get('values') or ())}],}},"
        for one in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


def flow_schema(obj: Object, now: datetime) -> Cells:
    """Give the cells of a FlowSchema."""
    spec = part(obj, "spec")
    method = spec.get("distinguisherMethod")
    conditions = part(obj, "status").get("conditions") or ()
    dangling = (one.get("status", "") for one in conditions if one.get("type") == "Dangling")
    return [
        name_of(obj),
        part(spec, "priorityLevelConfiguration").get("name", ""),
        spec.get("matchingPrecedence", 0),
        NONE if method is None else method.get("type", ""),
        age_of(obj, now),
        next(dangling, "?"),
    ]


def flow_schema_order(obj: Object) -> Any:
    """Give the place of a FlowSchema among the rows of a list: they are tried in this order."""
    return part(obj, "spec").get("matchingPrecedence", 0), name_of(obj)


def priority_level(obj: Object, now: datetime) -> Cells:
    """Give the cells of a PriorityLevelConfiguration."""
    spec = part(obj, "spec")
    limited = spec.get("limited")
    shares: Any = NONE
    queues: Cells = [NONE, NONE, NONE]
    if limited is not None:
        shares = limited.get("nominalConcurrencyShares", 0)
        queuing = part(limited, "limitResponse").get("queuing")
        if queuing is not None:
            queues = [queuing.get(name, 0) for name in ("queues", "handSize", "queueLengthLimit")]
    return [name_of(obj), spec.get("type", ""), shares, *queues, age_of(obj, now)]


def api_service(obj: Object, now: datetime) -> Cells:
    """Give the cells of an APIService."""
    service = part(obj, "spec").get("service")
    told = "Local"
    if service is not None:
        told = f"{service.get('namespace', '')}/{service.get('name', '')}"
    conditions = part(obj, "status").get("conditions") or ()
    available = (_availability(one) for one in conditions if one.get("type") == "Available")
    return [name_of(obj), told, next(available, "Unknown"), age_of(obj, now)]


def _availability(condition: Object) -> str:
    status, reason = condition.get("status", ""), condition.get("reason")
    return f"{status} ({reason})" if reason and status != "True" else f"{status}"
