"""Services and the endpoints behind them: addresses and ports."""

from datetime import datetime

from kedge.apiserver.printers.wording import (
    NONE,
    UNKNOWN,
    UNSET,
    Cells,
    age_of,
    balancer_text,
    labels_text,
    name_of,
    part,
    shortened,
)
from kedge.apiserver.resource import Object


def service(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Service."""
    spec = part(obj, "spec")
    return [
        name_of(obj),
        spec.get("type", ""),
        next(iter(spec.get("clusterIPs") or ()), NONE),
        _external(spec, part(obj, "status")),
        ",".join(_port(one) for one in spec.get("ports") or ()) or NONE,
        age_of(obj, now),
        labels_text(spec.get("selector")),
    ]


def _external(spec: Object, status: Object) -> str:
    addresses = ",".join(spec.get("externalIPs") or ())
    match spec.get("type"):
        case "ClusterIP" | "NodePort":
            return addresses or NONE
        case "LoadBalancer":
            return ",".join(filter(None, (balancer_text(status), addresses))) or "<pending>"
        case "ExternalName":
            name: str = spec.get("externalName", "")
            return name
        case _:
            return UNKNOWN


def _port(port: Object) -> str:
    number, node = port.get("port", 0), port.get("nodePort", 0)
    number = f"{number}:{node}" if node > 0 else number
    return f"{number}/{port.get('protocol', '')}"


def endpoints(obj: Object, now: datetime) -> Cells:
    """Give the cells of an Endpoints."""
    subsets = obj.get("subsets") or ()
    listed = [address for subset in subsets for address in _addresses(subset)]
    return [name_of(obj), shortened(listed) if subsets else NONE, age_of(obj, now)]


def _addresses(subset: Object) -> list[str]:
    addresses = [one.get("ip", "") for one in subset.get("addresses") or ()]
    ports = subset.get("ports") or ()
    if not ports:
        return addresses
    return [_with_port(address, port.get("port", 0)) for port in ports for address in addresses]


def _with_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def endpoint_slice(obj: Object, now: datetime) -> Cells:
    """Give the cells of an EndpointSlice."""
    ports = [_slice_port(port) for port in obj.get("ports") or ()]
    found = [one for each in obj.get("endpoints") or () for one in each.get("addresses") or ()]
    return [
        name_of(obj),
        obj.get("addressType", ""),
        shortened(ports) or UNSET,
        shortened(found) or UNSET,
        age_of(obj, now),
    ]


def _slice_port(port: Object) -> str:
    number = port.get("port")
    return str(port.get("name", "*") if number is None else number)
