"""Endpoint slices: where services are."""

from ipaddress import IPv4Address, IPv6Address

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.addresses import BAD_IP, ip_warnings, parse_ip
from kedge.apiserver.builtin.endpoints import PROTOCOLS, check_reachable
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.builtin.strictips import ip_problems
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import typed

TYPES = ("FQDN", "IPv4", "IPv6")
MOST_ENDPOINTS = 1000
MOST_ADDRESSES = 100
MOST_PORTS = 20000
MOST_HINTS = 8
MANAGER = "endpointslice.kubernetes.io/managed-by"
CONTROLLERS = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")
HOST = "kubernetes.io/hostname"


class EndpointSliceStrategy(Plain):
    """Hooks of discovery.k8s.io/v1 EndpointSlice."""

    def default(self, obj: Object) -> None:
        """Fill in what ports leave out."""
        for port in obj.get("ports") or ():
            port.setdefault("name", "")
            port.setdefault("protocol", "TCP")

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Drop the topology, which this version has no more."""
        for endpoint in obj.get("endpoints") or ():
            endpoint.pop("deprecatedTopology", None)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Count the change: labels count, too. Then drop the topology where endpoints change."""
        labels, before = new["metadata"].get("labels"), old["metadata"].get("labels")
        parts = ("addressType", "endpoints", "ports")
        moved = any(not same(new.get(name), old.get(name)) for name in parts)
        if moved or (labels or {}) != (before or {}):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        if same(new.get("endpoints"), old.get("endpoints")):
            return
        known = {_host(endpoint) for endpoint in old.get("endpoints") or ()}
        for endpoint in new.get("endpoints") or ():
            host = _host(endpoint)
            if "nodeName" not in endpoint and host and host in known:
                endpoint["nodeName"] = host
            endpoint.pop("deprecatedTopology", None)

    def has_changed(self, new: Object, old: Object) -> bool:
        """Tell whether the generation moves on, which `prepare_update` has found out."""
        return bool(new["metadata"].get("generation") != old["metadata"].get("generation"))

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the slice, and that the type stays."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        kind = new.get("addressType", "")
        if kind != old.get("addressType"):
            errors.invalid("addressType", typed(kind), fields.IMMUTABLE)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check type, ports and endpoints; endpoints that have not changed may be as they are."""
        kind = obj.get("addressType", "")
        fields.enum(errors, "addressType", kind, TYPES)
        _check_ports(errors, obj.get("ports") or [])
        found = Errors()
        _check_endpoints(found, kind, obj.get("endpoints") or [])
        if found and old is not None and same(obj.get("endpoints"), old.get("endpoints")):
            return
        errors += found

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of a type that is on its way out, and of oddly written addresses."""
        found = []
        if old is None and obj.get("addressType") == "FQDN":
            found.append("spec.addressType: FQDN endpoints are deprecated")
        if (obj["metadata"].get("labels") or {}).get(MANAGER) in CONTROLLERS:
            return found
        for index, endpoint in enumerate(obj.get("endpoints") or ()):
            for at, address in enumerate(endpoint.get("addresses") or ()):
                found += ip_warnings(f"endpoints[{index}].addresses[{at}]", address)
        return found


def _host(endpoint: Object) -> str:
    host: str = (endpoint.get("deprecatedTopology") or {}).get(HOST, "")
    return host


def _check_ports(errors: Errors, ports: list[Object]) -> None:
    if len(ports) > MOST_PORTS:
        errors.too_many("ports", len(ports), MOST_PORTS)
        return
    seen = set()
    for index, port in enumerate(ports):
        path, name = f"ports[{index}]", port.get("name") or ""
        if name:
            fields.dns_label(errors, f"{path}.name", name)
        if name in seen:
            errors.duplicate(f"{path}.name", name)
        seen.add(name)
        fields.optional_enum(errors, f"{path}.protocol", port.get("protocol"), PROTOCOLS)
        if port.get("appProtocol") is not None:
            fields.qualified_name(errors, f"{path}.appProtocol", port["appProtocol"])


def _check_endpoints(errors: Errors, kind: str, endpoints: list[Object]) -> None:
    if len(endpoints) > MOST_ENDPOINTS:
        errors.too_many("endpoints", len(endpoints), MOST_ENDPOINTS)
        return
    for index, endpoint in enumerate(endpoints):
        path = f"endpoints[{index}]"
        _check_addresses(errors, f"{path}.addresses", kind, endpoint.get("addresses") or [])
        if endpoint.get("nodeName") is not None:
            fields.dns_subdomain(errors, f"{path}.nodeName", endpoint["nodeName"])
        if endpoint.get("hostname") is not None:
            fields.dns_label(errors, f"{path}.hostname", endpoint["hostname"])
        if endpoint.get("hints") is not None:
            _check_hints(errors, f"{path}.hints", endpoint["hints"])


def _check_addresses(errors: Errors, path: str, kind: str, addresses: list[str]) -> None:
    if not addresses:
        errors.required(path, "must contain at least 1 address")
    elif len(addresses) > MOST_ADDRESSES:
        errors.too_many(path, len(addresses), MOST_ADDRESSES)
    for index, text in enumerate(addresses):
        where = f"{path}[{index}]"
        if kind == "FQDN":
            _check_domain(errors, where, text)
        elif kind in ("IPv4", "IPv6"):
            _check_ip(errors, path, where, kind, text)


def _check_ip(errors: Errors, path: str, where: str, kind: str, text: str) -> None:
    address = parse_ip(text)
    problems = ip_problems(text) if kind == "IPv6" else [BAD_IP] if address is None else []
    if problems:
        errors.each(where, text, problems)
        return
    if not isinstance(address, IPv4Address if kind == "IPv4" else IPv6Address):
        errors.invalid(path, text, f"must be an {kind} address")
    check_reachable(errors, where, text)


def _check_domain(errors: Errors, path: str, text: str) -> None:
    if not text:
        errors.required(path)
        return
    name = text.removesuffix(".")
    problems = names.dns_subdomain(name)
    if problems:
        errors.invalid(path, name, ",".join(problems))
    elif "." not in name:
        what = "should be a domain with at least two segments separated by dots"
        errors.invalid(path, name, what)
    else:
        for label in name.split("."):
            problems = names.dns_label(label)
            if problems:
                errors.invalid(path, label, ",".join(problems))
                return


def _check_hints(errors: Errors, path: str, hints: Object) -> None:
    for kind, check in (("forZones", names.label_value), ("forNodes", names.dns_subdomain)):
        targets, where = hints.get(kind) or [], f"{path}.{kind}"
        if len(targets) > MOST_HINTS:
            errors.too_many(where, len(targets), MOST_HINTS)
            return
        seen = set()
        for index, target in enumerate(targets):
            name = target.get("name", "")
            if name in seen:
                errors.duplicate(f"{where}[{index}].name", name)
            seen.add(name)
            errors.each(f"{where}[{index}].name", name, check(name))
