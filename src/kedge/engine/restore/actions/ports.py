"""Addresses and ports of Services: those that somebody chose stay, others are given out anew."""

from typing import Any, Final

import msgspec

from kedge.engine.restore.fields import annotations, drop, rows, table, text, value
from kedge.kube.kind import Object

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
HEADLESS: Final = "None"


def shed_service(service: Object) -> None:
    """Forget the addresses of a Service, unless it is to have none."""
    spec = table(service, "spec")
    if spec.get("clusterIP") != HEADLESS:
        drop(spec, "clusterIP", "clusterIPs")


def shed_ports(service: Object) -> None:
    """Forget the node ports that nobody chose."""
    spec = table(service, "spec")
    applied = _last_applied(service)
    if text(spec, "type") != "ExternalName":
        chosen = _Chosen(service, applied)
        for port in rows(spec, "ports"):
            if not chosen.has(port):
                port.pop("nodePort", None)
    is_local = text(spec, "externalTrafficPolicy") == "Local"
    if is_local and text(spec, "type") == "LoadBalancer" and not _chose_check(service, applied):
        spec.pop("healthCheckNodePort", None)


def keeps_ports(data: bytes, *, preserves: bool) -> bool:
    """Tell whether a Service, as it lies in an archive, comes back with node ports of its own."""
    if b"odePort" not in data:
        return False
    try:
        service = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        return False  # what is wrong with it is told when its turn comes
    if not preserves:
        shed_ports(service)
    spec = table(service, "spec")
    return "healthCheckNodePort" in spec or any("nodePort" in one for one in rows(spec, "ports"))


def _last_applied(service: Object) -> Object | None:
    """Give what kubectl applied last; None: nothing that could be read."""
    found = annotations(service).get(LAST_APPLIED)
    if not isinstance(found, str):
        return None
    try:
        return msgspec.json.decode(found, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        return None


class _Chosen:
    """Node ports that somebody chose: by what was applied or, without that, by who owns them."""

    def __init__(self, service: Object, applied: Object | None) -> None:
        self._by_keys = applied is None
        self._names: set[str] = set()
        self._numbers: set[int] = set()
        self._keys: set[str] = set()
        if applied is None:
            for entry in rows(service, "metadata", "managedFields"):
                ports = table(entry, "fieldsV1", "f:spec", "f:ports")
                self._keys |= {key for key in ports if "f:nodePort" in table(ports, key)}
            return
        for port in rows(applied, "spec", "ports"):
            number = _number(port.get("nodePort"))
            if number > 0 and isinstance(port.get("name"), str):
                self._names.add(port["name"])
            elif number > 0:
                self._numbers.add(number)

    def has(self, port: Object) -> bool:
        """Tell whether the node port of this entry was chosen."""
        if self._by_keys:
            key = f'k:{{"port":{port.get("port")},"protocol":"{port.get("protocol")}"}}'
            return key in self._keys
        name = text(port, "name")
        return name in self._names if name else port.get("nodePort") in self._numbers


def _number(found: object) -> int:
    if isinstance(found, str):
        return int(found) if found.isascii() and found.isdigit() else 0
    whole = isinstance(found, int) or (isinstance(found, float) and found.is_integer())
    return int(found) if whole else 0  # type: ignore[call-overload]


def _chose_check(service: Object, applied: Object | None) -> bool:
    if applied is not None and _number(value(applied, "spec", "healthCheckNodePort")) > 0:
        return True
    return any(
        isinstance(value(entry, "fieldsV1", "f:spec", "f:healthCheckNodePort"), dict)
        for entry in rows(service, "metadata", "managedFields")
    )
