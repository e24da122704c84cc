"""Endpoints, the old way to say where a service is."""

from ipaddress import IPv4Address

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.addresses import Address, check_ip, ip_warnings, parse_ip
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Object
from kedge.kube import names

PROTOCOLS = ("SCTP", "TCP", "UDP")
CONTROLLER = ("endpoints.kubernetes.io/managed-by", "endpoint-controller")
"""The label of endpoints that the controller made; its addresses are well written."""


class EndpointsStrategy(Plain):
    """Hooks of v1 Endpoints."""

    repeats_metadata = True

    def default(self, obj: Object) -> None:
        """Fill in the protocols."""
        for subset in obj.get("subsets") or ():
            for port in subset.get("ports") or ():
                if not port.get("protocol"):
                    port["protocol"] = "TCP"

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the subsets; those that have not changed may be as they are."""
        found = Errors()
        for index, subset in enumerate(obj.get("subsets") or ()):
            _check_subset(found, f"subsets[{index}]", subset)
        if found and old is not None and same(obj.get("subsets"), old.get("subsets")):
            return
        errors += found

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of addresses that are not written as they should be."""
        key, controller = CONTROLLER
        if (obj["metadata"].get("labels") or {}).get(key) == controller:
            return []
        found: list[str] = []
        for index, subset in enumerate(obj.get("subsets") or ()):
            for kind in ("addresses", "notReadyAddresses"):
                for at, address in enumerate(subset.get(kind) or ()):
                    path = f"subsets[{index}].{kind}[{at}].ip"
                    found += ip_warnings(path, address.get("ip", ""))
        return found


def _check_subset(errors: Errors, path: str, subset: Object) -> None:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        errors.required(path, "must specify `addresses` or `notReadyAddresses`")
    for kind in ("addresses", "notReadyAddresses"):
        for index, address in enumerate(subset.get(kind) or ()):
            _check_address(errors, f"{path}.{kind}[{index}]", address)
    ports = subset.get("ports") or ()
    for index, port in enumerate(ports):
        _check_port(errors, f"{path}.ports[{index}]", port, len(ports) > 1)


def _check_address(errors: Errors, path: str, address: Object) -> None:
    ip = address.get("ip", "")
    check_ip(errors, f"{path}.ip", ip)
    if address.get("hostname"):
        fields.dns_label(errors, f"{path}.hostname", address["hostname"])
    if address.get("nodeName") is not None:
        node = address["nodeName"]
        errors.each(f"{path}.nodeName", node, names.subdomain_name(node))
    check_reachable(errors, f"{path}.ip", ip)


def check_reachable(errors: Errors, path: str, text: str) -> None:
    """Check that an address can be one that others reach."""
    address = parse_ip(text)
    if address is None:
        errors.invalid(path, text, "must be a valid IP address")
        return
    if address.is_unspecified:
        errors.invalid(path, text, f"may not be unspecified ({text})")
    if address.is_loopback:
        what = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
        errors.invalid(path, text, what)
    if address.is_link_local:
        what = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
        errors.invalid(path, text, what)
    if _is_link_multicast(address):
        what = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
        errors.invalid(path, text, what)


def _is_link_multicast(address: Address) -> bool:
    head = address.packed
    if isinstance(address, IPv4Address):
        return head[:3] == b"\xe0\x00\x00"
    return head[0] == 0xFF and head[1] & 0x0F == 2


def _check_port(errors: Errors, path: str, port: Object, needs_name: bool) -> None:
    name = port.get("name", "")
    if needs_name and not name:
        errors.required(f"{path}.name")
    elif name:
        fields.dns_label(errors, f"{path}.name", name)
    fields.in_range(errors, f"{path}.port", port.get("port", 0), 1, 65535)
    fields.enum(errors, f"{path}.protocol", port.get("protocol", ""), PROTOCOLS)
    if port.get("appProtocol") is not None:
        fields.qualified_name(errors, f"{path}.appProtocol", port["appProtocol"])
