"""Rules for services: ports, affinity, policies of traffic, load balancers."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.addresses import check_ip, parse_ip
from kedge.apiserver.builtin.cidrs import check_cidr
from kedge.apiserver.builtin.endpoints import PROTOCOLS, check_reachable
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.service_addresses import ONCE, check_addresses
from kedge.apiserver.builtin.service_traits import (
    CLUSTER_IP,
    EXTERNAL_NAME,
    LOAD_BALANCER,
    NODE_PORT,
    is_external,
    is_headless,
    needs_health_check,
)
from kedge.apiserver.resource import Object
from kedge.kube.fielderror import typed
from kedge.kube.gotext import Struct

TYPES = (CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT)
TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints"
TOPOLOGY_MODE = "service.kubernetes.io/topology-mode"
SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
AFFINITIES = ("ClientIP", "None")
TRAFFIC = ("Cluster", "Local")
DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
LONGEST_AFFINITY = 86400
BALANCED = "may only be used when `type` is 'LoadBalancer'"


def check_service(errors: Errors, obj: Object, old: Object | None) -> None:
    """Check a service; `old` is what it was."""
    spec, annotations = obj["spec"], obj["metadata"].get("annotations") or {}
    before = None if old is None else old["spec"]
    mode, hints = annotations.get(TOPOLOGY_MODE), annotations.get(TOPOLOGY_HINTS)
    if mode is not None and hints is not None and mode != hints:
        what = f"must match annotations[{TOPOLOGY_HINTS}] when both are specified"
        errors.invalid(f"metadata.annotations[{TOPOLOGY_MODE}]", mode, what)
    _check_by_type(errors, spec)
    _check_ports(errors, spec)
    fields.labels(errors, "spec.selector", spec.get("selector"))
    _check_affinity(errors, spec)
    check_addresses(errors, spec, before)
    _check_external_ips(errors, spec, (before or {}).get("externalIPs") or ())
    fields.enum(errors, "spec.type", spec.get("type", ""), TYPES)
    _check_doubled_ports(errors, spec)
    _check_source_ranges(errors, spec, annotations, old)
    _check_balancer(errors, spec)
    check_balancer_class(errors, spec, None)
    _check_traffic(errors, spec)


def _check_by_type(errors: Errors, spec: Object) -> None:
    kind, headless = spec.get("type"), is_headless(spec)
    if not spec.get("ports") and not headless and kind != EXTERNAL_NAME:
        errors.required("spec.ports")
    if kind in (LOAD_BALANCER, NODE_PORT) and headless:
        what = f"may not be set to 'None' for {kind} services"
        errors.invalid("spec.clusterIPs[0]", "None", what)
    if kind != EXTERNAL_NAME:
        return
    for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(name):
            errors.forbidden(f"spec.{name}", "may not be set for ExternalName services")
    target = spec.get("externalName", "").removesuffix(".")
    if target:
        fields.dns_subdomain(errors, "spec.externalName", target)
    else:
        errors.required("spec.externalName")


def _check_ports(errors: Errors, spec: Object) -> None:
    ports = spec.get("ports") or ()
    seen: set[str] = set()
    for index, port in enumerate(ports):
        path, name = f"spec.ports[{index}]", port.get("name", "")
        if len(ports) > 1 and not name:
            errors.required(f"{path}.name")
        elif name:
            fields.dns_label(errors, f"{path}.name", name)
            if name in seen:
                errors.duplicate(f"{path}.name", name)
            seen.add(name)
        fields.in_range(errors, f"{path}.port", port.get("port", 0), 1, 65535)
        fields.enum(errors, f"{path}.protocol", port.get("protocol", ""), PROTOCOLS)
        fields.port(errors, f"{path}.targetPort", port.get("targetPort", 0))
        if port.get("appProtocol") is not None:
            fields.qualified_name(errors, f"{path}.appProtocol", port["appProtocol"])


def _check_affinity(errors: Errors, spec: Object) -> None:
    affinity, config = spec.get("sessionAffinity", ""), spec.get("sessionAffinityConfig")
    fields.enum(errors, "spec.sessionAffinity", affinity, AFFINITIES)
    path = "spec.sessionAffinityConfig"
    if affinity == "None" and config is not None:
        errors.forbidden(path, "must not be set when session affinity is None")
    if affinity != "ClientIP":
        return
    seconds = ((config or {}).get("clientIP") or {}).get("timeoutSeconds")
    if seconds is None:
        errors.required(path, "when session affinity type is ClientIP")
    elif not 0 < seconds <= LONGEST_AFFINITY:
        what = f"must be greater than 0 and less than {LONGEST_AFFINITY}"
        errors.invalid(f"{path}.clientIP.timeoutSeconds", seconds, what)


def _check_external_ips(errors: Errors, spec: Object, known: list[str] | tuple[()]) -> None:
    for index, ip in enumerate(spec.get("externalIPs") or ()):
        path, before = f"spec.externalIPs[{index}]", len(errors)
        if ip not in known:
            check_ip(errors, path, ip)
        if len(errors) == before:
            check_reachable(errors, path, ip)


def _check_doubled_ports(errors: Errors, spec: Object) -> None:
    ports = spec.get("ports") or ()
    if spec.get("type") == CLUSTER_IP:
        for index, port in enumerate(ports):
            if port.get("nodePort"):
                what = "may not be used when `type` is 'ClusterIP'"
                errors.forbidden(f"spec.ports[{index}].nodePort", what)
    seen = set()
    for index, port in enumerate(ports):
        number = port.get("nodePort", 0)
        if number:
            if (port.get("protocol"), number) in seen:
                errors.duplicate(f"spec.ports[{index}].nodePort", number)
            seen.add((port.get("protocol"), number))
    seen = set()
    for index, port in enumerate(ports):
        protocol, number = port.get("protocol", ""), port.get("port", 0)
        if (protocol, number) in seen:
            errors.duplicate(f"spec.ports[{index}]", _shown_port(protocol, number))
        seen.add((protocol, number))


def _shown_port(protocol: str, number: int) -> Struct:
    return Struct(
        Name="", Protocol=protocol, AppProtocol=None, Port=number, TargetPort=0, NodePort=0
    )


def _check_source_ranges(
    errors: Errors, spec: Object, annotations: dict[str, str], old: Object | None
) -> None:
    ranges, balanced = spec.get("loadBalancerSourceRanges"), spec.get("type") == LOAD_BALANCER
    if ranges:
        path = "spec.LoadBalancerSourceRanges"
        if not balanced:
            errors.forbidden(path, BALANCED)
        known = {one.strip() for one in _old_ranges(old)}
        for index, text in enumerate(ranges):
            if text.strip() not in known:
                check_cidr(errors, f"{path}[{index}]", text.strip())
        return
    told = annotations.get(SOURCE_RANGES)
    if told is None:
        return
    path = f"metadata.annotations[{SOURCE_RANGES}]"
    if not balanced:
        errors.forbidden(path, BALANCED)
    if old is not None and (old["metadata"].get("annotations") or {}).get(SOURCE_RANGES) == told:
        return
    if told.strip():
        for text in told.strip().split(","):
            check_cidr(errors, path, text.strip())


def _old_ranges(old: Object | None) -> list[str]:
    return [] if old is None else old["spec"].get("loadBalancerSourceRanges") or []


def _check_balancer(errors: Errors, spec: Object) -> None:
    allocates, balanced = (
        spec.get("allocateLoadBalancerNodePorts"),
        spec.get("type") == LOAD_BALANCER,
    )
    if allocates is not None and not balanced:
        errors.forbidden("spec.allocateLoadBalancerNodePorts", BALANCED)
    if balanced and allocates is None:
        errors.required("allocateLoadBalancerNodePorts")


def check_balancer_class(errors: Errors, spec: Object, old: Object | None) -> None:
    """Check the class of a load balancer, and that it stays the same."""
    path, name = "spec.loadBalancerClass", spec.get("loadBalancerClass")
    balanced = spec.get("type") == LOAD_BALANCER
    was_balanced = old is not None and old.get("type") == LOAD_BALANCER
    if old is not None and balanced and was_balanced and name != old.get("loadBalancerClass"):
        errors.invalid(path, name, ONCE)
    if name is None:
        return
    if balanced:
        fields.qualified_name(errors, path, name)
    else:
        errors.forbidden(path, BALANCED)


def _check_traffic(errors: Errors, spec: Object) -> None:
    path, policy = "spec.externalTrafficPolicy", spec.get("externalTrafficPolicy", "")
    if is_external(spec):
        fields.enum(errors, path, policy, TRAFFIC)
    elif policy:
        errors.invalid(path, typed(policy), "may only be set for externally-accessible services")
    _check_health_port(errors, spec)
    inner, kind = spec.get("internalTrafficPolicy"), spec.get("type")
    path = "spec.internalTrafficPolicy"
    if inner is None and kind in (NODE_PORT, LOAD_BALANCER, CLUSTER_IP):
        errors.required(path)
    fields.optional_enum(errors, path, inner, TRAFFIC)
    distribution = spec.get("trafficDistribution")
    fields.optional_enum(errors, "spec.trafficDistribution", distribution, DISTRIBUTIONS)


def _check_health_port(errors: Errors, spec: Object) -> None:
    path, number = "spec.healthCheckNodePort", spec.get("healthCheckNodePort", 0)
    if not needs_health_check(spec):
        if number:
            what = (
                "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` "
                "is 'Local'"
            )
            errors.invalid(path, number, what)
    elif not number:
        errors.required(path)
    else:
        fields.in_range(errors, path, number, 1, 65535)


def check_balancer_status(errors: Errors, obj: Object, old: Object) -> None:
    """Check where a load balancer is."""
    path = "status.loadBalancer.ingress"
    places = ingress_points(obj)
    if obj["spec"].get("type") != LOAD_BALANCER and places:
        errors.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")
        return
    known = {place.get("ip") for place in ingress_points(old)}
    for index, place in enumerate(places):
        _check_place(errors, f"{path}[{index}]", place, known)


def ingress_points(obj: Object) -> list[Object]:
    """Give the places where a load balancer can be reached."""
    balancer = (obj.get("status") or {}).get("loadBalancer") or {}
    return balancer.get("ingress") or []


def _check_place(errors: Errors, path: str, place: Object, known: set[str | None]) -> None:
    ip, mode, host = place.get("ip", ""), place.get("ipMode"), place.get("hostname", "")
    if ip and ip not in known:
        check_ip(errors, f"{path}.ip", ip)
    if mode is None:
        if ip:
            errors.required(f"{path}.ipMode", "must be specified when `ip` is set")
    elif not ip:
        errors.forbidden(f"{path}.ipMode", "may not be specified when `ip` is not set")
    elif mode not in ("Proxy", "VIP"):
        errors.unsupported(f"{path}.ipMode", typed(mode), ("Proxy", "VIP"))
    if host:
        fields.dns_subdomain(errors, f"{path}.hostname", host)
        if parse_ip(host) is not None:
            what = "must be a DNS name, not an IP address"
            errors.invalid(f"{path}.hostname", host, what)
