"""What a service is: questions that defaults, allocation and rules all ask of a spec."""

from kedge.apiserver.resource import Object

NONE = "None"
LOAD_BALANCER, NODE_PORT, CLUSTER_IP = "LoadBalancer", "NodePort", "ClusterIP"
EXTERNAL_NAME = "ExternalName"
SINGLE, PREFER, REQUIRE = "SingleStack", "PreferDualStack", "RequireDualStack"
IPV4, IPV6 = "IPv4", "IPv6"


def is_headless(spec: Object) -> bool:
    """Tell whether a service has no address on purpose."""
    return spec.get("clusterIPs") == [NONE]


def needs_cluster_ip(spec: Object) -> bool:
    """Tell whether a service has an address, be it `None`."""
    return spec.get("type") != EXTERNAL_NAME


def needs_node_ports(spec: Object) -> bool:
    """Tell whether a service gets ports of the nodes by itself."""
    kind = spec.get("type")
    if kind == LOAD_BALANCER:
        return spec.get("allocateLoadBalancerNodePorts") is not False
    return kind == NODE_PORT


def may_have_node_ports(spec: Object) -> bool:
    """Tell whether a service can have ports of the nodes."""
    return spec.get("type") in (NODE_PORT, LOAD_BALANCER)


def is_external(spec: Object) -> bool:
    """Tell whether a service can be reached from outside."""
    if may_have_node_ports(spec):
        return True
    return spec.get("type") == CLUSTER_IP and bool(spec.get("externalIPs"))


def needs_health_check(spec: Object) -> bool:
    """Tell whether a load balancer has to ask nodes whether they have pods."""
    return spec.get("type") == LOAD_BALANCER and spec.get("externalTrafficPolicy") == "Local"


def same_list(left: Object, right: Object, name: str) -> bool:
    """Tell whether two specs have the same values in a list."""
    return (left.get(name) or []) == (right.get(name) or [])


def keep(spec: Object, name: str, value: object) -> None:
    """Set a field, or leave it out where there is nothing to set."""
    if value:
        spec[name] = value
    else:
        spec.pop(name, None)
