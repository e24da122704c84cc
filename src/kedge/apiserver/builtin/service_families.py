"""The IP families of a service, from its addresses and from what this cluster has: IPv4 alone."""

from ipaddress import IPv6Address

from kedge.apiserver.builtin.addresses import parse_ip
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.service_addresses import check_addresses
from kedge.apiserver.builtin.service_traits import (
    CLUSTER_IP,
    EXTERNAL_NAME,
    IPV4,
    IPV6,
    LOAD_BALANCER,
    NODE_PORT,
    NONE,
    PREFER,
    REQUIRE,
    SINGLE,
    same_list,
)
from kedge.apiserver.resource import Object
from kedge.kube.errors import invalid
from kedge.kube.fielderror import typed

POLICY = "spec.ipFamilyPolicy"
MULTIPLE = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"


def fill_families(name: str, spec: Object, old: Object | None) -> None:
    """Fill in policy and families of a spec, in place; raises Invalid where they do not fit."""
    if spec.get("type") == EXTERNAL_NAME or is_settled(spec, old):
        return
    _fill_policy(spec, old)
    errors = Errors()
    check_addresses(errors, spec, old)
    _stop(name, errors)
    if old is not None:
        _shrink(errors, spec, old)
    if spec["ipFamilyPolicy"] == SINGLE:
        for field, what in (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")):
            if len(spec.get(field) or ()) == 2:
                errors.invalid(POLICY, typed(SINGLE), f"{MULTIPLE} {what} are specified")
    _infer(errors, spec)
    _stop(name, errors)
    if spec.get("clusterIP") == NONE and not spec.get("selector"):
        _fill_headless(spec)
        return
    _check_cluster(errors, spec)
    _stop(name, errors)
    if not spec.get("ipFamilies"):
        spec["ipFamilies"] = [IPV4]


def _stop(name: str, errors: Errors) -> None:
    if errors:
        raise invalid("", "Service", name, errors)


def _fill_policy(spec: Object, old: Object | None) -> None:
    if spec.get("ipFamilyPolicy") is not None:
        return
    if old is not None and old.get("ipFamilyPolicy") is not None:
        spec["ipFamilyPolicy"] = old["ipFamilyPolicy"]
    elif spec.get("clusterIP") == NONE and not spec.get("selector"):
        spec["ipFamilyPolicy"] = REQUIRE
    else:
        spec["ipFamilyPolicy"] = SINGLE


def is_settled(spec: Object, old: Object | None) -> bool:
    """Tell whether a service that would like two families stays as it was."""
    if old is None or spec.get("ipFamilyPolicy") != PREFER:
        return False
    if old.get("ipFamilyPolicy") not in (None, PREFER) or old.get("type") != spec.get("type"):
        return False
    if spec.get("type") not in (CLUSTER_IP, NODE_PORT, LOAD_BALANCER):
        return False
    return same_list(old, spec, "clusterIPs") and same_list(old, spec, "ipFamilies")


def _shrink(errors: Errors, spec: Object, old: Object) -> None:
    """Go down to one family where the policy says so; without it, that is an error."""
    for field, what in (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")):
        values = spec.get(field) or []
        if spec["ipFamilyPolicy"] == SINGLE:
            if same_list(old, spec, field) and len(values) > 1:
                spec[field] = values[:1]
        elif values and len(values) < len(old.get(field) or ()):
            detail = f"must be 'SingleStack' to release the secondary {what}"
            errors.invalid(POLICY, typed(spec["ipFamilyPolicy"]), detail)


def _infer(errors: Errors, spec: Object) -> None:
    """Take the families from the addresses."""
    ips = spec.get("clusterIPs") or []
    for index, ip in enumerate(ips):
        if ip == NONE:
            return
        families = spec.get("ipFamilies") or []
        if index < len(families):
            continue
        if isinstance(parse_ip(ip), IPv6Address):
            path, what = f"spec.clusterIPs[{index}]", f"{IPV6} is not configured on this cluster"
            errors.invalid(path, ips, what)
        else:
            spec["ipFamilies"] = [*families, IPV4]


def _fill_headless(spec: Object) -> None:
    """Let a service without address and selector have whatever families it likes."""
    families = spec.get("ipFamilies") or [IPV4]
    if len(families) < 2 and spec["ipFamilyPolicy"] != SINGLE:
        families = [*families, IPV6 if families[0] == IPV4 else IPV4]
    spec["ipFamilies"] = families


def _check_cluster(errors: Errors, spec: Object) -> None:
    if spec["ipFamilyPolicy"] == REQUIRE:
        what = "this cluster is not configured for dual-stack services"
        errors.invalid(POLICY, typed(REQUIRE), what)
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        if family != IPV4:
            path = f"spec.ipFamilies[{index}]"
            errors.invalid(path, typed(family), "not configured on this cluster")
