"""Rules for the addresses and IP families of a service, new or changed."""

from ipaddress import IPv6Address

from kedge.apiserver.builtin.addresses import check_ip, parse_ip
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.service_traits import (
    EXTERNAL_NAME,
    IPV4,
    IPV6,
    NONE,
    PREFER,
    REQUIRE,
    SINGLE,
    is_headless,
)
from kedge.apiserver.resource import Object
from kedge.kube.fielderror import typed

FAMILIES = (IPV4, IPV6)
POLICIES = (PREFER, REQUIRE, SINGLE)
IPS = "spec.clusterIPs"
ONCE = "may not change once set"


def check_addresses(errors: Errors, spec: Object, old: Object | None) -> None:
    """Check addresses, families and policy, each alone and together."""
    if spec.get("type") == EXTERNAL_NAME:
        return
    ips = spec.get("clusterIPs") or []
    _check_first(errors, spec.get("clusterIP", ""), ips)
    families = spec.get("ipFamilies") or []
    for index, family in enumerate(families):
        path = f"spec.ipFamilies[{index}]"
        if family not in FAMILIES:
            errors.unsupported(path, typed(family), FAMILIES)
        if family in families[:index]:
            errors.duplicate(path, typed(family))
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in POLICIES:
        errors.unsupported("spec.ipFamilyPolicy", typed(policy), POLICIES)
    wrong = _check_each(errors, ips, (old or {}).get("clusterIPs") or ())
    if len(ips) > 2:
        errors.invalid(IPS, ips, "may only hold up to 2 values")
    if not wrong:
        _check_together(errors, spec, ips, families)


def _check_first(errors: Errors, first: str, ips: list[str]) -> None:
    if not first:
        if ips:
            errors.invalid(IPS, ips, "must be empty when `clusterIP` is not specified")
    elif not ips:
        errors.required(IPS)
    elif ips[0] != first:
        errors.invalid(IPS, ips, "first value must match `clusterIP`")


def _check_each(errors: Errors, ips: list[str], known: list[str] | tuple[()]) -> bool:
    before = len(errors)
    for index, ip in enumerate(ips):
        if index == 0 and ip == NONE:
            if len(ips) > 1:
                errors.invalid(IPS, ips, "'None' must be the first and only value")
        elif ip not in known:
            check_ip(errors, f"{IPS}[{index}]", ip)
    return len(errors) > before


def _check_together(errors: Errors, spec: Object, ips: list[str], families: list[str]) -> None:
    kinds = [_family(ip) for ip in ips]
    if len(ips) > 1 and len(set(kinds)) < 2:
        errors.invalid(IPS, ips, "may specify no more than one IP for each IP family")
    if is_headless(spec):
        return
    for index, (ip, kind, family) in enumerate(zip(ips, kinds, families, strict=False)):
        if family in FAMILIES and kind != family:
            what = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            errors.invalid(f"{IPS}[{index}]", ip, what)


def _family(ip: str) -> str:
    return IPV6 if isinstance(parse_ip(ip), IPv6Address) else IPV4


def check_address_change(errors: Errors, spec: Object, old: Object) -> None:
    """Check that addresses and families stay, or change in one of the ways that are allowed."""
    if EXTERNAL_NAME in (spec.get("type"), old.get("type")):
        return
    headless, was_headless = is_headless(spec), is_headless(old)
    if not (headless and was_headless):
        _check_ip_change(errors, spec, old)
    if not headless and not was_headless:
        _check_family_change(errors, spec, old)


def _check_ip_change(errors: Errors, spec: Object, old: Object) -> None:
    ips, before = spec.get("clusterIPs") or [], old.get("clusterIPs") or []
    if len(ips) == len(before):
        for index, (ip, was) in enumerate(zip(ips, before, strict=True)):
            if ip != was:
                errors.invalid(f"{IPS}[{index}]", ips, ONCE)
        return
    if not ips:
        errors.invalid(f"{IPS}[0]", ips or None, "primary clusterIP can not be unset")
    if before and ips and ips[0] != before[0]:
        errors.invalid(f"{IPS}[0]", ips, ONCE)
    if len(ips) == 1 and len(before) > 1:
        _check_single(errors, spec, "clusterIP")


def _check_single(errors: Errors, spec: Object, what: str) -> None:
    policy = spec.get("ipFamilyPolicy")
    if policy != SINGLE:
        detail = f"must be set to 'SingleStack' when releasing the secondary {what}"
        shown = None if policy is None else typed(policy)
        errors.invalid("spec.ipFamilyPolicy", shown, detail)


def _check_family_change(errors: Errors, spec: Object, old: Object) -> None:
    path, ips = "spec.ipFamilies[0]", spec.get("clusterIPs")
    families, before = spec.get("ipFamilies") or [], old.get("ipFamilies") or []
    if len(families) == len(before):
        for family, was in zip(families, before, strict=True):
            if family != was:
                errors.invalid(path, families, ONCE)
        return
    if len(families) < len(before) and not ips:
        errors.invalid(path, families or None, "primary ipFamily can not be unset")
    if before and families and families[0] != before[0]:
        errors.invalid(path, ips, ONCE)
    if len(families) == 1 and len(before) > 1:
        _check_single(errors, spec, "ipFamily")
