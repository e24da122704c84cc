"""How a service gets its addresses and ports when it is made, and keeps them as it changes."""

from kedge.apiserver.builtin.allocation import Refused, Taking
from kedge.apiserver.builtin.service_families import fill_families, is_settled
from kedge.apiserver.builtin.service_traits import (
    EXTERNAL_NAME,
    NONE,
    keep,
    may_have_node_ports,
    needs_cluster_ip,
    needs_health_check,
    needs_node_ports,
    same_list,
)
from kedge.apiserver.resource import Object
from kedge.kube.errors import ApiError, UnknownError, internal_error, invalid
from kedge.kube.fielderror import invalid as invalid_field


def sync_addresses(spec: Object, old: Object | None) -> None:
    """Make the list of addresses fit the first one, as far as it is clear what the user meant."""
    first, ips = spec.get("clusterIP", ""), spec.get("clusterIPs") or []
    if old is None:
        if first and not ips:
            spec["clusterIPs"] = [first]
        return
    before, known = old.get("clusterIP", ""), old.get("clusterIPs") or []
    if known and not ips and before == first:
        spec["clusterIPs"] = list(known)
    if before != first and same_list(spec, old, "clusterIPs"):
        keep(spec, "clusterIPs", [first] if first or not before else None)


def keep_allocated(spec: Object, old: Object) -> None:
    """Keep what was given before where the user does not name it."""
    if needs_cluster_ip(old) and needs_cluster_ip(spec):
        if not spec.get("clusterIP"):
            keep(spec, "clusterIP", old.get("clusterIP"))
        if not spec.get("clusterIPs"):
            keep(spec, "clusterIPs", list(old.get("clusterIPs") or ()))
    if needs_node_ports(old) and needs_node_ports(spec):
        _keep_ports(spec.get("ports") or [], old.get("ports") or [])
    checked = needs_health_check(old) and needs_health_check(spec)
    if checked and not spec.get("healthCheckNodePort"):
        keep(spec, "healthCheckNodePort", old.get("healthCheckNodePort"))


def _keep_ports(ports: list[Object], old: list[Object]) -> None:
    named = {port.get("name", ""): port.get("nodePort", 0) for port in old}
    used = {port.get("nodePort") for port in ports} & set(named.values())
    for port in ports:
        known = named.get(port.get("name", ""), 0)
        if not port.get("nodePort") and known and known not in used:
            port["nodePort"] = known


def allocate_for_new(name: str, spec: Object, taking: Taking) -> None:
    """Fill in families, addresses and ports of a new service; raises Invalid or InternalError."""
    fill_families(name, spec, None)
    _take_addresses(name, spec, taking)
    if may_have_node_ports(spec):
        _take_ports(name, spec, taking)
    if needs_health_check(spec):
        _take_health_port(spec, taking)


def allocate_for_change(name: str, spec: Object, old: Object, taking: Taking) -> None:
    """Fill in what a changed service needs and has not; raises Invalid or InternalError."""
    fill_families(name, spec, old)
    was_external = old.get("type") == EXTERNAL_NAME
    if was_external and spec.get("type") != EXTERNAL_NAME and not is_settled(spec, old):
        _take_addresses(name, spec, taking)
    if may_have_node_ports(spec):
        _take_new_ports(name, spec, old, taking)
    if needs_health_check(spec) and not needs_health_check(old):
        _take_health_port(spec, taking)


def _take_addresses(name: str, spec: Object, taking: Taking) -> None:
    ips = list(spec.get("clusterIPs") or ())
    if spec.get("type") == EXTERNAL_NAME or ips[:1] == [NONE]:
        return
    for index, _ in enumerate(spec.get("ipFamilies") or ()):
        if index < len(ips) and ips[index]:
            try:
                taking.ip(ips[index])
            except Refused as exc:
                what = f"failed to allocate IP {ips[index]}: {exc}"
                raise _invalid(name, "spec.clusterIPs", ips, what) from None
        else:
            ips[index:] = [_any_address(taking)]
    spec["clusterIPs"] = ips
    spec["clusterIP"] = ips[0]


def _any_address(taking: Taking) -> str:
    try:
        return taking.next_ip()
    except Refused as exc:
        raise internal_error(f"failed to allocate a serviceIP: {exc}") from None


def _take_ports(name: str, spec: Object, taking: Taking) -> None:
    ports = spec.get("ports") or []
    given: dict[int, int] = {}  # the same port in two protocols gets one port of the nodes
    for index, port in enumerate(ports):
        asked, number = port.get("nodePort", 0), port.get("port", 0)
        if not asked and not needs_node_ports(spec):
            continue
        known = given.get(number)
        if known is None:
            wanted = next((one["nodePort"] for one in ports if _asks(one, number)), 0)
            if wanted:
                _take_port(name, index, wanted, taking)
            given[number] = port["nodePort"] = wanted or _any_port(taking)
        elif not asked:
            port["nodePort"] = known
        elif asked != known:
            _take_port(name, index, asked, taking)


def _asks(port: Object, number: int) -> bool:
    return port.get("port", 0) == number and bool(port.get("nodePort"))


def _take_new_ports(name: str, spec: Object, old: Object, taking: Taking) -> None:
    known = {port.get("nodePort", 0) for port in old.get("ports") or ()}
    seen: set[tuple[str, int]] = set()
    for index, port in enumerate(spec.get("ports") or ()):
        asked = port.get("nodePort", 0)
        if not asked:
            if not needs_node_ports(spec):
                continue
            asked = port["nodePort"] = _any_port(taking)
        elif asked not in known:
            _take_port(name, index, asked, taking)
            known.add(asked)
        pair = (port.get("protocol", ""), asked)
        if pair in seen:
            raise _doubled(*pair)
        seen.add(pair)


def _doubled(protocol: str, number: int) -> ApiError:
    return UnknownError(f"duplicate nodePort: {{{protocol} {number}}}")


def _take_port(name: str, index: int, number: int, taking: Taking) -> None:
    try:
        taking.port(number)
    except Refused as exc:
        raise _invalid(name, f"spec.ports[{index}].nodePort", number, str(exc)) from None


def _any_port(taking: Taking) -> int:
    try:
        return taking.next_port()
    except Refused as exc:
        raise internal_error(f"failed to allocate a nodePort: {exc}") from None


def _take_health_port(spec: Object, taking: Taking) -> None:
    asked = spec.get("healthCheckNodePort", 0)
    try:
        if asked:
            taking.port(asked)
        else:
            spec["healthCheckNodePort"] = taking.next_port()
    except Refused as exc:
        what = f"failed to allocate requested HealthCheck NodePort {asked}"
        if not asked:
            what = "failed to allocate a HealthCheck NodePort 0"
        raise internal_error(f"{what}: {exc}") from None


def _invalid(name: str, path: str, value: object, detail: str) -> ApiError:
    return invalid("", "Service", name, [invalid_field(path, value, detail)])
