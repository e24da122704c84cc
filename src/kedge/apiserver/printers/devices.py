"""Devices: classes and slices of them, and claims on them."""

from datetime import datetime

from kedge.apiserver.printers.wording import Cells, age_of, name_of, part
from kedge.apiserver.resource import Object


def named(obj: Object, now: datetime) -> Cells:
    """Give the cells of a DeviceClass or a ResourceClaimTemplate."""
    return [name_of(obj), age_of(obj, now)]


def claim(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ResourceClaim."""
    status = part(obj, "status")
    deleted = bool(obj["metadata"].get("deletionTimestamp"))
    states = ["deleted"] if deleted else []
    if status.get("allocation") is not None:
        states.append("allocated")
        if status.get("reservedFor"):
            states.append("reserved")
    elif not deleted:
        states.append("pending")
    return [name_of(obj), ",".join(states), age_of(obj, now)]


def device_slice(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ResourceSlice."""
    spec = part(obj, "spec")
    return [
        name_of(obj),
        spec.get("nodeName", ""),
        spec.get("driver", ""),
        part(spec, "pool").get("name", ""),
        age_of(obj, now),
    ]
