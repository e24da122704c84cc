"""Horizontal pod autoscalers in version v1: what it has no fields for is JSON in annotations."""

import json
from typing import Any, ClassVar

from kedge.apiserver.builtin.autoscalers import (
    DEFAULT_UTILIZATION,
    PREFIX,
    AutoscalerStrategy,
    cpu_metric,
    without_carried,
)
from kedge.apiserver.builtin.internal import internal_value
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import FieldError
from kedge.kube.gotext import Struct, to_json

METRICS = f"{PREFIX}metrics"
BEHAVIOR = f"{PREFIX}behavior"
STATUSES = f"{PREFIX}current-metrics"
CONDITIONS = f"{PREFIX}conditions"
CONDITION = ("type", "status", "lastTransitionTime", "reason", "message")
REFERENCE = ("kind", "name", "apiVersion")


class AutoscalerV1Strategy(AutoscalerStrategy):
    """Hooks of autoscaling/v1 HorizontalPodAutoscaler: it is checked in the form of v2."""

    zero_status: ClassVar[Object] = {"currentReplicas": 0, "desiredReplicas": 0}

    def default(self, obj: Object) -> None:
        """Fill in what the user left out; a default metric shows as a field."""
        obj.setdefault("spec", {})
        whole = self.to_storage(obj)
        super().default(whole)
        converted = self.from_storage(whole)
        obj["spec"] = converted["spec"]
        _refill(obj["metadata"], converted["metadata"])

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin with an empty status."""
        obj["status"] = dict(self.zero_status)
        annotations = obj["metadata"].get("annotations") or {}
        for name in (STATUSES, CONDITIONS):
            annotations.pop(name, None)
        if not annotations:
            obj["metadata"].pop("annotations", None)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that this endpoint does not change, in the form that has it all."""
        whole, before = self.to_storage(new), self.to_storage(old)
        super().prepare_update(whole, before, context)
        converted = self.from_storage(whole)
        new["spec"], new["status"] = converted["spec"], converted["status"]
        _refill(new["metadata"], converted["metadata"])

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new object."""
        return super().validate(self.to_storage(obj), context)

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object, or only its status."""
        return super().validate_update(self.to_storage(new), self.to_storage(old), context)

    def bare(self, metadata: Object) -> Object:
        """Leave out the annotations that are fields of v2."""
        shown = dict(metadata)
        without_carried(shown)
        return shown

    def to_storage(self, obj: Object) -> Object:
        """Give the object in version v2."""
        annotations = obj["metadata"].get("annotations") or {}
        metadata = dict(obj["metadata"])
        without_carried(metadata)
        result = {**obj, "apiVersion": "autoscaling/v2", "metadata": metadata}
        result["spec"] = _spec_to_v2(obj.get("spec") or {}, annotations)
        result["status"] = _status_to_v2(obj.get("status") or {}, annotations)
        return result

    def from_storage(self, obj: Object) -> Object:
        """Give the object in version v1."""
        metadata = dict(obj["metadata"])
        without_carried(metadata)
        carried = _carried(obj.get("spec") or {}, obj.get("status") or {})
        if carried:
            metadata["annotations"] = {**(metadata.get("annotations") or {}), **carried}
        result = {**obj, "apiVersion": "autoscaling/v1", "metadata": metadata}
        result["spec"] = _spec_to_v1(obj.get("spec") or {})
        result["status"] = _status_to_v1(obj.get("status") or {})
        return result


def _refill(metadata: Object, values: Object) -> None:
    """Change metadata in place: whoever asked for the change goes on with it."""
    metadata.clear()
    metadata.update(values)


def _read(annotations: dict[str, str], name: str) -> Any:
    try:
        return json.loads(annotations.get(name, "null"))
    except (ValueError, RecursionError):
        return None


def _objects(value: Any) -> list[Object]:
    if not isinstance(value, list):
        return []
    return value if all(isinstance(one, dict) for one in value) else []


def _spec_to_v2(spec: Object, annotations: dict[str, str]) -> Object:
    result = {
        name: value for name, value in spec.items() if name != "targetCPUUtilizationPercentage"
    }
    metrics = [_metric_to_v2(one, "target") for one in _objects(_read(annotations, METRICS))]
    utilization = spec.get("targetCPUUtilizationPercentage")
    if utilization is not None:
        metrics.append(cpu_metric(utilization))
    result["metrics"] = metrics or [cpu_metric(DEFAULT_UTILIZATION)]
    behavior = _read(annotations, BEHAVIOR)
    if isinstance(behavior, dict) and any(behavior.values()):
        result["behavior"] = _behavior_to_v2(behavior)
    return result


def _spec_to_v1(spec: Object) -> Object:
    result = {name: value for name, value in spec.items() if name not in ("metrics", "behavior")}
    for metric in spec.get("metrics") or ():
        if _is_cpu_target(metric):
            utilization = metric["resource"]["target"]["averageUtilization"]
            result["targetCPUUtilizationPercentage"] = utilization
            break
    return result


def _is_cpu_target(metric: Object) -> bool:
    resource = metric.get("resource") or {}
    target = resource.get("target") or {}
    return (
        metric.get("type") == "Resource"
        and resource.get("name") == "cpu"
        and "averageUtilization" in target
    )


def _status_to_v2(status: Object, annotations: dict[str, str]) -> Object:
    result = {
        name: value for name, value in status.items() if name != "currentCPUUtilizationPercentage"
    }
    if not result.get("currentReplicas"):
        result.pop("currentReplicas", None)
    result.setdefault("desiredReplicas", 0)
    metrics: list[Object] | None = None
    utilization = status.get("currentCPUUtilizationPercentage")
    if utilization is not None:
        current = {"averageUtilization": utilization}
        metrics = [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
    if STATUSES in annotations:
        carried = _objects(_read(annotations, STATUSES))
        metrics = [_metric_to_v2(one, "current") for one in carried] or metrics
    result["currentMetrics"] = metrics
    conditions = _objects(_read(annotations, CONDITIONS))
    if conditions:
        result["conditions"] = conditions
    return result


def _status_to_v1(status: Object) -> Object:
    result = {
        name: value
        for name, value in status.items()
        if name not in ("currentMetrics", "conditions")
    }
    result.setdefault("currentReplicas", 0)
    result.setdefault("desiredReplicas", 0)
    for metric in status.get("currentMetrics") or ():
        resource = metric.get("resource") or {}
        current = resource.get("current") or {}
        if resource.get("name") == "cpu" and "averageUtilization" in current:
            result["currentCPUUtilizationPercentage"] = current["averageUtilization"]
    return result


def _carried(spec: Object, status: Object) -> dict[str, str]:
    """Give the annotations that carry what v1 has no fields for."""
    carried: dict[str, str] = {}
    metrics = [one for one in spec.get("metrics") or () if not _is_cpu_target(one)]
    if metrics:
        carried[METRICS] = to_json([_metric_to_v1(one, "target") for one in metrics])
    if statuses := status.get("currentMetrics"):
        carried[STATUSES] = to_json([_metric_to_v1(one, "current") for one in statuses])
    if "behavior" in spec:
        type_ = "*HorizontalPodAutoscalerBehavior"
        carried[BEHAVIOR] = to_json(internal_value(type_, spec["behavior"]))
    if conditions := status.get("conditions"):
        carried[CONDITIONS] = to_json(
            [Struct((name, one[name]) for name in CONDITION if name in one) for one in conditions]
        )
    return carried


# How v1 calls value, averageValue and averageUtilization, by the kind of metric.
VALUE_NAMES = {
    "object": ("{}Value", "averageValue", ""),
    "pods": ("", "{}AverageValue", ""),
    "resource": ("", "{}AverageValue", "{}AverageUtilization"),
    "containerResource": ("", "{}AverageValue", "{}AverageUtilization"),
    "external": ("{}Value", "{}AverageValue", ""),
}
VALUES = ("value", "averageValue", "averageUtilization")
# The fields of v1 in Go's order; `{}` stands for target or current.
ORDER = {
    "object": ("target", "metricName", "{}Value", "selector", "averageValue"),
    "pods": ("metricName", "{}AverageValue", "selector"),
    "resource": ("name", "{}AverageUtilization", "{}AverageValue"),
    "containerResource": ("name", "{}AverageUtilization", "{}AverageValue", "container"),
    "external": ("metricName", "metricSelector", "{}Value", "{}AverageValue"),
}
# Values that v1 always writes, so that one that is not set is zero.
ALWAYS = {
    "target": {"object": "targetValue", "pods": "targetAverageValue"},
    "current": {
        "object": "currentValue",
        "pods": "currentAverageValue",
        "resource": "currentAverageValue",
        "containerResource": "currentAverageValue",
        "external": "currentValue",
    },
}


def _metric_to_v1(metric: Object, part: str) -> Struct:
    result = Struct(type=metric.get("type", ""))
    for kind in ("object", "pods", "resource", "containerResource", "external"):
        if kind in metric:
            result[kind] = _source_to_v1(kind, metric[kind], part)
    return result


def _source_to_v1(kind: str, source: Object, part: str) -> Struct:
    values: Object = {}
    for name, written in zip(VALUES, VALUE_NAMES[kind], strict=True):
        value = (source.get(part) or {}).get(name)
        if written and value is not None:
            values[written.format(part)] = value
    always = ALWAYS[part].get(kind)
    if always:
        values.setdefault(always, "0")
    metric = source.get("metric") or {}
    if kind in ("object", "pods", "external"):
        values["metricName"] = metric.get("name", "")
        if "selector" in metric:
            name = "metricSelector" if kind == "external" else "selector"
            values[name] = internal_value("*sel", metric["selector"])
    else:
        values["name"] = source.get("name", "")
    if kind == "object":
        described = source.get("describedObject") or {}
        values["target"] = Struct(
            (name, described.get(name, ""))
            for name in REFERENCE
            if name != "apiVersion" or described.get(name)
        )
    if kind == "containerResource":
        values["container"] = source.get("container", "")
    names = [name.format(part) for name in ORDER[kind]]
    return Struct((name, values[name]) for name in names if name in values)


def _metric_to_v2(metric: Object, part: str) -> Object:
    result: Object = {"type": metric.get("type", "")}
    for kind in ("object", "pods", "resource", "containerResource", "external"):
        if isinstance(metric.get(kind), dict):
            result[kind] = _source_to_v2(kind, metric[kind], part)
    return result


def _source_to_v2(kind: str, source: Object, part: str) -> Object:
    values: Object = {}
    for name, written in zip(VALUES, VALUE_NAMES[kind], strict=True):
        if written and source.get(written.format(part)) is not None:
            values[name] = source[written.format(part)]
    if part == "target":
        values = {"type": _target_type(kind, values), **values}
    result: Object = {part: values}
    if kind in ("object", "pods", "external"):
        result["metric"] = {"name": source.get("metricName", "")}
        selector = source.get("metricSelector" if kind == "external" else "selector")
        if selector is not None:
            result["metric"]["selector"] = selector
    else:
        result["name"] = source.get("name", "")
    if kind == "object":
        result["describedObject"] = source.get("target") or {"kind": "", "name": ""}
    if kind == "containerResource":
        result["container"] = source.get("container", "")
    return result


def _target_type(kind: str, values: Object) -> str:
    if kind == "object":
        return "AverageValue" if "averageValue" in values else "Value"
    if kind == "external":
        return "Value" if "value" in values else "AverageValue"
    if kind == "pods":
        return "AverageValue"
    return "Utilization" if "averageUtilization" in values else "AverageValue"


def _behavior_to_v2(behavior: Object) -> Object:
    """Read the JSON of the internal type: Go's names, nothing left out."""
    result: Object = {}
    for go, name in (("ScaleUp", "scaleUp"), ("ScaleDown", "scaleDown")):
        rules = behavior.get(go)
        if not isinstance(rules, dict):
            continue
        kept = {
            key[:1].lower() + key[1:]: value for key, value in rules.items() if value is not None
        }
        if "policies" in kept:
            kept["policies"] = [
                {key[:1].lower() + key[1:]: value for key, value in policy.items()}
                for policy in _objects(kept["policies"])
            ]
        result[name] = kept
    return result
