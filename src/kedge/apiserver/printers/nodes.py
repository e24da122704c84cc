"""Nodes, and what else tells how and where pods run."""

from datetime import datetime
from typing import Final

from kedge.apiserver.printers.wording import NONE, UNKNOWN, Cells, age_of, name_of, part
from kedge.apiserver.resource import Object

_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE: Final = "kubernetes.io/role"


def node(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Node."""
    status = part(obj, "status")
    info = part(status, "nodeInfo")
    return [
        name_of(obj),
        _state(obj, status),
        ",".join(_roles(obj)) or NONE,
        age_of(obj, now),
        info.get("kubeletVersion", ""),
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info.get("osImage") or UNKNOWN,
        info.get("kernelVersion") or UNKNOWN,
        info.get("containerRuntimeVersion") or UNKNOWN,
    ]


def _state(obj: Object, status: Object) -> str:
    conditions = {one.get("type"): one.get("status") for one in status.get("conditions") or ()}
    state = "Unknown"
    if "Ready" in conditions:
        state = "Ready" if conditions["Ready"] == "True" else "NotReady"
    return f"{state},SchedulingDisabled" if part(obj, "spec").get("unschedulable") else state


def _roles(obj: Object) -> list[str]:
    roles = set()
    for key, value in part(obj["metadata"], "labels").items():
        if key.startswith(_ROLE_PREFIX):
            roles.add(key.removeprefix(_ROLE_PREFIX))
        elif key == _ROLE:
            roles.add(value)
    return sorted(roles - {""})


def _address(status: Object, kind: str) -> str:
    addresses = status.get("addresses") or ()
    return next((one.get("address", "") for one in addresses if one.get("type") == kind), NONE)


def component_status(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ComponentStatus."""
    for condition in obj.get("conditions") or ():
        if condition.get("type") == "Healthy":
            state = "Healthy" if condition.get("status") == "True" else "Unhealthy"
            return [name_of(obj), state, condition.get("message", ""), condition.get("error", "")]
    return [name_of(obj), "Unknown", "", ""]


def priority_class(obj: Object, now: datetime) -> Cells:
    """Give the cells of a PriorityClass."""
    return [
        name_of(obj),
        obj.get("value", 0),
        obj.get("globalDefault", False),
        age_of(obj, now),
        obj.get("preemptionPolicy", ""),
    ]


def runtime_class(obj: Object, now: datetime) -> Cells:
    """Give the cells of a RuntimeClass."""
    return [name_of(obj), obj.get("handler", ""), age_of(obj, now)]
