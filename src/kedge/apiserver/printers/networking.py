"""Ways into and around the cluster: ingresses, policies, ranges of addresses."""

from collections.abc import Sequence
from datetime import datetime

from kedge.apiserver.printers.wording import (
    NONE,
    Cells,
    age_of,
    balancer_text,
    lower,
    name_of,
    part,
    selector_text,
)
from kedge.apiserver.resource import Object

_MOST_HOSTS = 3


def ingress(obj: Object, now: datetime) -> Cells:
    """Give the cells of an Ingress."""
    spec = part(obj, "spec")
    return [
        name_of(obj),
        spec.get("ingressClassName", NONE),
        _hosts(spec.get("rules") or ()),
        balancer_text(part(obj, "status")),
        "80, 443" if spec.get("tls") else "80",
        age_of(obj, now),
    ]


def _hosts(rules: Sequence[Object]) -> str:
    """List the first hosts; as in Kubernetes, the rest is counted in rules, not in hosts."""
    hosts: list[str] = []
    for rule in rules:
        if len(hosts) == _MOST_HOSTS:
            return f"{','.join(hosts)} + {len(rules) - _MOST_HOSTS} more..."
        if rule.get("host"):
            hosts.append(rule["host"])
    return ",".join(hosts) or "*"


def ingress_class(obj: Object, now: datetime) -> Cells:
    """Give the cells of an IngressClass."""
    spec = part(obj, "spec")
    parameters = spec.get("parameters")
    told = NONE
    if parameters is not None:
        group = parameters.get("apiGroup")
        kind = parameters.get("kind", "")
        told = f"{kind if group is None else f'{kind}.{group}'}/{parameters.get('name', '')}"
    return [name_of(obj), spec.get("controller", ""), told, age_of(obj, now)]


def network_policy(obj: Object, now: datetime) -> Cells:
    """Give the cells of a NetworkPolicy."""
    selector = selector_text(part(obj, "spec").get("podSelector") or {})
    return [name_of(obj), selector, age_of(obj, now)]


def service_cidr(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ServiceCIDR."""
    return [name_of(obj), ",".join(part(obj, "spec").get("cidrs") or ()), age_of(obj, now)]


def ip_address(obj: Object, now: datetime) -> Cells:
    """Give the cells of an IPAddress: one more than it has columns, as Kubernetes does."""
    parent = part(obj, "spec").get("parentRef")
    told = NONE
    if parent is not None:
        group, resource = parent.get("group", ""), parent.get("resource", "")
        kind = lower(f"{resource}.{group}" if group else resource)
        told = (
            "/".join(filter(None, (kind, parent.get("namespace")))) + f"/{parent.get('name', '')}"
        )
    return [name_of(obj), told, age_of(obj, now)]
