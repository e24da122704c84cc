"""Services: defaults, what the server gives them, and what changes with their type."""

from kedge.apiserver.builtin.addresses import ip_warnings
from kedge.apiserver.builtin.allocation import Allocations, Taking
from kedge.apiserver.builtin.cidrs import cidr_warnings
from kedge.apiserver.builtin.fields import IMMUTABLE, Errors
from kedge.apiserver.builtin.plain import Halved
from kedge.apiserver.builtin.service_addresses import check_address_change
from kedge.apiserver.builtin.service_allocation import (
    allocate_for_change,
    allocate_for_new,
    keep_allocated,
    sync_addresses,
)
from kedge.apiserver.builtin.service_rules import (
    TOPOLOGY_HINTS,
    TOPOLOGY_MODE,
    TRAFFIC,
    check_balancer_class,
    check_balancer_status,
    check_service,
    ingress_points,
)
from kedge.apiserver.builtin.service_traits import (
    CLUSTER_IP,
    EXTERNAL_NAME,
    LOAD_BALANCER,
    NONE,
    is_external,
    may_have_node_ports,
    needs_cluster_ip,
    needs_health_check,
    same_list,
)
from kedge.apiserver.resource import Context, Object
from kedge.kube.names import label_1035_name

AFFINITY_SECONDS = 10800


class ServiceStrategy(Halved):
    """Hooks of v1 Service; each server has its own, since they know who has which address."""

    learns = True

    def __init__(self, allocations: Allocations | None = None) -> None:
        """Give out what these allocations have free."""
        self.allocations = allocations or Allocations()

    def new_status(self) -> Object:
        """Make the status of a new object."""
        return {"loadBalancer": {}}

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Take labels of RFC 1035."""
        return label_1035_name(name, prefix)

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        spec = obj.setdefault("spec", {})
        _default_affinity(spec)
        kind = spec["type"] = spec.get("type") or CLUSTER_IP
        for port in spec.get("ports") or ():
            if not port.get("protocol"):
                port["protocol"] = "TCP"
            if not port.get("targetPort"):
                port["targetPort"] = port.get("port", 0)
        if is_external(spec) and not spec.get("externalTrafficPolicy"):
            spec["externalTrafficPolicy"] = "Cluster"
        if may_have_node_ports(spec) or kind == CLUSTER_IP:
            spec.setdefault("internalTrafficPolicy", "Cluster")
        if kind == LOAD_BALANCER:
            spec.setdefault("allocateLoadBalancerNodePorts", True)
            for place in ingress_points(obj):
                if place.get("ip"):
                    place.setdefault("ipMode", "VIP")

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Give addresses and ports to a new service; raises Invalid where they can not be had."""
        super().prepare_create(obj, context)
        spec, taking = obj["spec"], self._taking(obj, context)
        sync_addresses(spec, None)
        try:
            allocate_for_new(obj["metadata"].get("name", ""), spec, taking)
        except Exception:
            taking.undo()
            raise
        _drop_inner_policy(spec)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep what was given before, give what is new, and drop what the type no longer has."""
        if context.subresource == "status":
            super().prepare_update(new, old, context)
            return
        spec, before, taking = new["spec"], old["spec"], self._taking(new, context)
        keep_allocated(spec, before)
        sync_addresses(spec, before)
        try:
            allocate_for_change(new["metadata"].get("name", ""), spec, before, taking)
        except Exception:
            taking.undo()
            raise
        super().prepare_update(new, old, context)
        _drop_by_type(spec, before)
        if spec.get("type") != LOAD_BALANCER:
            new["status"] = {**(new.get("status") or {}), "loadBalancer": {}}
        _drop_inner_policy(spec)

    def _taking(self, obj: Object, context: Context) -> Taking:
        owner = f"{context.namespace}/{obj['metadata'].get('name', '')}"
        return Taking(self.allocations, owner, context.dry_run)

    def learn(self, namespace: str, name: str, obj: Object | None) -> None:
        """Note which addresses and ports a service has."""
        self.allocations.learn(f"{namespace}/{name}", obj)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the whole spec."""
        check_service(errors, obj, old)

    def check_change(self, errors: Errors, new: Object, old: Object) -> None:
        """Check that what was given is not taken away."""
        spec, before = new["spec"], old["spec"]
        check_address_change(errors, spec, before)
        check_balancer_class(errors, spec, before)
        checked = needs_health_check(spec) and needs_health_check(before)
        if checked and spec.get("healthCheckNodePort") != before.get("healthCheckNodePort"):
            errors.forbidden("spec.healthCheckNodePort", IMMUTABLE)

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check where the load balancer is."""
        check_balancer_status(errors, new, old)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of what is ignored, on its way out, or oddly written."""
        if old is not None and obj["spec"] is old["spec"]:  # only the status is written
            return [
                text
                for index, place in enumerate(ingress_points(obj))
                for text in ip_warnings(
                    f"status.loadBalancer.ingress[{index}]", place.get("ip", "")
                )
            ]
        return service_warnings(obj)


def _default_affinity(spec: Object) -> None:
    affinity = spec["sessionAffinity"] = spec.get("sessionAffinity") or NONE
    if affinity == NONE:
        spec.pop("sessionAffinityConfig", None)
    elif affinity == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": AFFINITY_SECONDS}}


def _drop_inner_policy(spec: Object) -> None:
    # Services without an address have none, though they may be sent with one.
    if spec.get("type") == EXTERNAL_NAME and spec.get("internalTrafficPolicy") in TRAFFIC:
        del spec["internalTrafficPolicy"]


def _drop_by_type(spec: Object, old: Object) -> None:
    """Drop what the new type has no use for, where the user has not changed it."""
    if needs_cluster_ip(old) and not needs_cluster_ip(spec):
        _drop_addresses(spec, old)
    if may_have_node_ports(old) and not may_have_node_ports(spec):
        known = {port.get("nodePort") for port in old.get("ports") or ()} | {None, 0}
        ports = spec.get("ports") or ()
        if all(port.get("nodePort") in known for port in ports):
            for port in ports:
                port.pop("nodePort", None)
    if needs_health_check(old) and not needs_health_check(spec):
        _drop_same(spec, old, "healthCheckNodePort")
    if old.get("type") == LOAD_BALANCER and spec.get("type") != LOAD_BALANCER:
        _drop_same(spec, old, "allocateLoadBalancerNodePorts")
        _drop_same(spec, old, "loadBalancerClass")
    if is_external(old) and not is_external(spec):
        _drop_same(spec, old, "externalTrafficPolicy")


def _drop_addresses(spec: Object, old: Object) -> None:
    same = (spec.get("clusterIP") or "") == (old.get("clusterIP") or "")
    if same and same_list(spec, old, "clusterIPs"):
        spec.pop("clusterIP", None)
        spec.pop("clusterIPs", None)
    _drop_same(spec, old, "ipFamilies")
    _drop_same(spec, old, "ipFamilyPolicy")


def _drop_same(spec: Object, old: Object, name: str) -> None:
    if name in spec and spec[name] == old.get(name):
        del spec[name]


def service_warnings(obj: Object) -> list[str]:
    """Warn of what is ignored, on its way out, or oddly written."""
    spec, found = obj["spec"], []
    if TOPOLOGY_HINTS in (obj["metadata"].get("annotations") or {}):
        found.append(
            f"annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead"
        )
    first = spec.get("clusterIP")
    if first and first != NONE:
        for index, ip in enumerate(spec.get("clusterIPs") or ()):
            found += ip_warnings(f"spec.clusterIPs[{index}]", ip)
    if first == NONE and spec.get("type") == CLUSTER_IP:
        found += _headless_warnings(spec)
    return found + _outside_warnings(spec)


def _outside_warnings(spec: Object) -> list[str]:
    found: list[str] = []
    for index, ip in enumerate(spec.get("externalIPs") or ()):
        found += ip_warnings(f"spec.externalIPs[{index}]", ip)
    if spec.get("loadBalancerIP"):
        found += ip_warnings("spec.loadBalancerIP", spec["loadBalancerIP"])
    for index, text in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        found += cidr_warnings(f"spec.loadBalancerSourceRanges[{index}]", text)
    if spec.get("type") != EXTERNAL_NAME:
        if spec.get("externalName"):
            found.append('spec.externalName is ignored when spec.type is not "ExternalName"')
    elif spec.get("externalIPs"):
        found.append('spec.externalIPs is ignored when spec.type is "ExternalName"')
    return found


def _headless_warnings(spec: Object) -> list[str]:
    found = []
    for name in ("loadBalancerIP", "externalIPs"):
        if spec.get(name):
            found.append(f"spec.{name} is ignored for headless services")
    if spec.get("sessionAffinity") != NONE:
        found.append("spec.SessionAffinity is ignored for headless services")
    return found
