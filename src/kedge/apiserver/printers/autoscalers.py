"""Autoscalers and scales: what is measured and what is wanted."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from kedge.apiserver.builtin.autoscaler_v1 import AutoscalerV1Strategy
from kedge.apiserver.printers.wording import NONE, UNKNOWN, UNSET, Cells, age_of, name_of, part
from kedge.apiserver.resource import Object

NIL: Final = "<nil>"
"""What Go writes for a quantity that is not there."""
_MOST: Final = 2
_V1: Final = AutoscalerV1Strategy()
_FIELDS: Final = {
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def autoscaler(obj: Object, now: datetime) -> Cells:
    """Give the cells of a HorizontalPodAutoscaler in version v2."""
    spec, status = part(obj, "spec"), part(obj, "status")
    target, least = part(spec, "scaleTargetRef"), spec.get("minReplicas")
    return [
        name_of(obj),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        _metrics(spec.get("metrics") or (), status.get("currentMetrics") or ()),
        UNSET if least is None else str(least),
        spec.get("maxReplicas", 0),
        status.get("currentReplicas", 0),
        age_of(obj, now),
    ]


def autoscaler_v1(obj: Object, now: datetime) -> Cells:
    """Give the cells of a HorizontalPodAutoscaler in version v1, which says less than v2."""
    # The empty object of a bookmark must not get the metric that every other one has.
    return autoscaler(_V1.to_storage(obj) if name_of(obj) else obj, now)


def scale(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Scale."""
    wanted, there = (part(obj, name).get("replicas", 0) for name in ("spec", "status"))
    return [name_of(obj), wanted, there, age_of(obj, now)]


def _metrics(specs: Sequence[Object], statuses: Sequence[Object]) -> str:
    if not specs:
        return NONE
    # As in Kubernetes, they belong together by their place.
    current = [*statuses, *[{}] * len(specs)]
    told = ", ".join(_metric(spec, current[at]) for at, spec in enumerate(specs[:_MOST]))
    return f"{told} + {len(specs) - _MOST} more..." if len(specs) > _MOST else told


def _metric(spec: Object, status: Object) -> str:
    kind = spec.get("type", "")
    if kind not in _FIELDS:
        return "<unknown type>"
    source = part(spec, _FIELDS[kind])
    measured = status.get(_FIELDS[kind])
    current = None if measured is None else part(measured, "current")
    target = part(source, "target")
    if kind == "Pods":
        return f"{_amount(current, 'averageValue')}/{target.get('averageValue', NIL)}"
    if kind in ("Resource", "ContainerResource"):
        return f"{source.get('name', '')}: {_resource(target, current)}"
    if "averageValue" in target:
        average = (current or {}).get("averageValue", UNKNOWN)
        return f"{average}/{target['averageValue']} (avg)"
    return f"{_amount(current, 'value')}/{target.get('value', NIL)}"


def _amount(current: Object | None, name: str) -> Any:
    return UNKNOWN if current is None else current.get(name, NIL)


def _resource(target: Object, current: Object | None) -> str:
    if "averageValue" in target:
        return f"{_amount(current, 'averageValue')}/{target['averageValue']}"
    used, wanted = (one.get("averageUtilization") for one in (current or {}, target))
    told = UNKNOWN if used is None else f"{used}%"
    return f"{told}/{'<auto>' if wanted is None else f'{wanted}%'}"
