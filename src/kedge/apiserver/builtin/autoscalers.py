"""Horizontal pod autoscalers in version v2, which is the one that is stored."""

from typing import Any, ClassVar

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.fields import Errors, changed_metadata
from kedge.apiserver.builtin.pods.resources import check_container_resource
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.kube import names
from kedge.kube.fielderror import FieldError

PREFIX = "autoscaling.alpha.kubernetes.io/"
# Older versions keep in annotations what they have no fields for.
CARRIED = frozenset(
    f"{PREFIX}{name}"
    for name in (
        "metrics",
        "behavior",
        "scale-down-tolerance",
        "scale-up-tolerance",
        "current-metrics",
        "conditions",
    )
)
DEFAULT_UTILIZATION = 80
LONGEST_WINDOW = 3600
LONGEST_PERIOD = 1800
SOURCES = ("object", "external", "pods", "resource", "containerResource")
KINDS = ("ContainerResource", "External", "Object", "Pods", "Resource")
SCALE_UP: Object = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
SCALE_DOWN: Object = {
    "selectPolicy": "Max",
    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
}
ONLY_GIVEN = "must populate the given metric source only"
MISSING = "must populate information for the given metric source"


def cpu_metric(utilization: int) -> Object:
    """Give the metric that holds the use of processors at a percentage."""
    target = {"type": "Utilization", "averageUtilization": utilization}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def without_carried(metadata: Object) -> None:
    """Drop the annotations of older versions, in place."""
    annotations = metadata.get("annotations")
    if annotations and not CARRIED.isdisjoint(annotations):
        kept = {key: text for key, text in annotations.items() if key not in CARRIED}
        metadata["annotations"] = kept
        if not kept:
            del metadata["annotations"]


class AutoscalerStrategy(Strategy):
    """Hooks of autoscaling/v2 HorizontalPodAutoscaler. It has no generation."""

    zero_status: ClassVar[Object] = {"desiredReplicas": 0, "currentMetrics": None}

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Say what is wrong with metadata.name, or with generateName (`prefix`)."""
        return names.subdomain_name(name, prefix)

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("minReplicas", 1)
        if not spec.get("metrics"):
            spec["metrics"] = [cpu_metric(DEFAULT_UTILIZATION)]
        behavior = spec.get("behavior")
        if behavior is not None:
            for name, rules in (("scaleUp", SCALE_UP), ("scaleDown", SCALE_DOWN)):
                behavior[name] = {**_copied(rules), **(behavior.get(name) or {})}
        without_carried(obj["metadata"])

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin with an empty status."""
        obj["status"] = dict(self.zero_status)
        _drop_tolerance(obj)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that this endpoint does not change."""
        if context.subresource == "status":
            new["spec"] = old["spec"]
            return
        new["status"] = old.get("status") or dict(self.zero_status)
        _drop_tolerance(new)

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new object."""
        errors = Errors()
        _check_spec(errors, obj["spec"], None)
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object, or only its status."""
        errors = changed_metadata(new, old)
        if context.subresource == "status":
            counts = ("currentReplicas", "desiredReplicas")
            fields.non_negatives(errors, "status", new.get("status") or {}, counts)
        else:
            _check_spec(errors, new["spec"], old["spec"])
        return errors


def _copied(rules: Object) -> Object:
    return {**rules, "policies": [dict(policy) for policy in rules["policies"]]}


def _drop_tolerance(obj: Object) -> None:
    """Drop a field of a feature that is off."""
    for rules in (obj["spec"].get("behavior") or {}).values():
        rules.pop("tolerance", None)


def _check_spec(errors: Errors, spec: Object, old: Object | None) -> None:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas", 0)
    lowest = 0 if old and old.get("minReplicas") == 0 else 1
    if least is not None and least < lowest:
        what = f"must be greater than or equal to {lowest}"
        errors.invalid("spec.minReplicas", least, what)
    if most < 1:
        errors.invalid("spec.maxReplicas", most, "must be greater than 0")
    if least is not None and most < least:
        what = "must be greater than or equal to `minReplicas`"
        errors.invalid("spec.maxReplicas", most, what)
    target, before = spec.get("scaleTargetRef") or {}, (old or {}).get("scaleTargetRef") or {}
    same = old is not None and all(
        target.get(name) == before.get(name) for name in ("apiVersion", "kind")
    )
    core = target.get("kind") == "ReplicationController"
    _check_reference(errors, "spec.scaleTargetRef", target, any_version=same, core=core)
    _check_metrics(errors, spec, old)
    for name in ("scaleUp", "scaleDown"):
        rules = (spec.get("behavior") or {}).get(name)
        if rules is not None:
            _check_rules(errors, f"spec.behavior.{name}", rules)


def _check_reference(
    errors: Errors, path: str, reference: Object, *, any_version: bool, core: bool
) -> None:
    """Check a reference to an object; `core` lets the group be empty."""
    for name in ("kind", "name"):
        value = reference.get(name, "")
        if value:
            errors.each(f"{path}.{name}", value, names.path_segment(value))
        else:
            errors.required(f"{path}.{name}")
    if not any_version and (problem := _version_problem(reference, core)):
        errors.invalid(f"{path}.apiVersion", reference.get("apiVersion", ""), problem)


def _version_problem(reference: Object, core: bool) -> str:
    version = reference.get("apiVersion", "")
    if version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    group = version.partition("/")[0] if "/" in version else ""
    return "" if group or core else "apiVersion must specify API group"


def _check_metrics(errors: Errors, spec: Object, old: Object | None) -> None:
    metrics = spec.get("metrics") or ()
    broken = any(
        _version_problem((metric.get("object") or {}).get("describedObject") or {}, True)
        for metric in (old or {}).get("metrics") or ()
        if metric.get("type") == "Object" and "object" in metric
    )
    for index, metric in enumerate(metrics):
        _check_metric(errors, f"spec.metrics[{index}]", metric, broken)
    outside = any(metric.get("type") in ("Object", "External") for metric in metrics)
    if spec.get("minReplicas") == 0 and not outside:
        what = (
            "must specify at least one Object or External metric to support scaling "
            "to zero replicas"
        )
        errors.forbidden("spec.metrics", what)


def _check_metric(errors: Errors, path: str, metric: Object, any_version: bool) -> None:
    kind = metric.get("type", "")
    if not kind:
        errors.required(f"{path}.type", "must specify a metric source type")
    if kind not in KINDS:
        errors.unsupported(f"{path}.type", kind, KINDS)
    present = [name for name in SOURCES if name in metric]
    if present:
        _check_source(errors, f"{path}.{present[0]}", present[0], metric, any_version)
    expected = kind[:1].lower() + kind[1:] if kind in KINDS else ""
    if not expected:
        errors.unsupported(f"{path}.type", kind, KINDS)
    elif expected not in metric:
        errors.required(f"{path}.{expected}", MISSING)
    if len(present) != 1:
        for name in present:
            if name != expected:
                errors.forbidden(f"{path}.{name}", ONLY_GIVEN)


def _check_source(errors: Errors, path: str, name: str, metric: Object, any_version: bool) -> None:
    source = metric[name]
    target = source.get("target") or {}
    if name == "object":
        described = source.get("describedObject") or {}
        where = f"{path}.describedObject"
        _check_reference(errors, where, described, any_version=any_version, core=True)
    if name in ("object", "external", "pods"):
        _check_identifier(errors, f"{path}.metric", source.get("metric") or {})
    elif not source.get("name"):
        errors.required(f"{path}.name", "must specify a resource name")
    elif name == "containerResource":
        check_container_resource(errors, f"{path}.name", source["name"])
    if name == "containerResource":
        _check_container(errors, f"{path}.container", source.get("container", ""))
    _check_target(errors, f"{path}.target", target)
    _check_values(errors, f"{path}.target", name, target)


def _check_identifier(errors: Errors, path: str, metric: Object) -> None:
    name = metric.get("name", "")
    if name:
        errors.each(f"{path}.name", name, names.path_segment(name))
    else:
        errors.required(f"{path}.name", "must specify a metric name")


def _check_container(errors: Errors, path: str, name: str) -> None:
    if name:
        fields.dns_label(errors, path, name)
    else:
        errors.required(path, "must specify a container")


def _check_target(errors: Errors, path: str, target: Object) -> None:
    kind = target.get("type", "")
    if not kind:
        errors.required(f"{path}.type", "must specify a metric target type")
    if kind not in ("Utilization", "Value", "AverageValue"):
        what = "must be either Utilization, Value, or AverageValue"
        errors.invalid(f"{path}.type", kind, what)
    for name in ("value", "averageValue"):
        if name in target and amounts.sign(target[name]) <= 0:
            errors.invalid(f"{path}.{name}", target[name], "must be positive")
    utilization = target.get("averageUtilization")
    if utilization is not None and utilization < 1:
        errors.invalid(f"{path}.averageUtilization", utilization, "must be greater than 0")


def _check_values(errors: Errors, path: str, name: str, target: Object) -> None:
    """Check that a target has the values that its source needs, and no other."""
    value, average = "value" in target, "averageValue" in target
    utilization = "averageUtilization" in target
    if name == "object" and not value and not average:
        what = "must set either a target value or averageValue"
        errors.required(f"{path}.averageValue", what)
    elif name == "external":
        if not value and not average:
            what = "must set either a target value for metric or a per-pod target"
            errors.required(f"{path}.averageValue", what)
        elif value and average:
            what = "may not set both a target value for metric and a per-pod target"
            errors.forbidden(f"{path}.value", what)
    elif name == "pods" and not average:
        errors.required(f"{path}.averageValue", "must specify a positive target averageValue")
    elif name in ("resource", "containerResource"):
        if not utilization and not average:
            what = "must set either a target raw value or a target utilization"
            errors.required(f"{path}.averageUtilization", what)
        elif utilization and average:
            what = "may not set both a target raw value and a target utilization"
            errors.forbidden(f"{path}.averageValue", what)


def _check_rules(errors: Errors, path: str, rules: Object) -> None:
    window: Any = rules.get("stabilizationWindowSeconds")
    where = f"{path}.stabilizationWindowSeconds"
    if window is not None and window < 0:
        errors.invalid(where, window, "must be greater than or equal to zero")
    if window is not None and window > LONGEST_WINDOW:
        errors.invalid(where, window, f"must be less than or equal to {LONGEST_WINDOW}")
    policies = ("Disabled", "Max", "Min")
    fields.optional_enum(errors, f"{path}.selectPolicy", rules.get("selectPolicy"), policies)
    if not rules.get("policies"):
        errors.required(f"{path}.policies", "must specify at least one Policy")
    for index, policy in enumerate(rules.get("policies") or ()):
        _check_policy(errors, f"{path}.policies[{index}]", policy)


def _check_policy(errors: Errors, path: str, policy: Object) -> None:
    kind, value = policy.get("type", ""), policy.get("value", 0)
    period = policy.get("periodSeconds", 0)
    if kind not in ("Pods", "Percent"):
        errors.unsupported(f"{path}.type", kind, ("Percent", "Pods"))
    if value <= 0:
        errors.invalid(f"{path}.value", value, fields.NOT_POSITIVE)
    if period <= 0:
        errors.invalid(f"{path}.periodSeconds", period, fields.NOT_POSITIVE)
    if period > LONGEST_PERIOD:
        what = f"must be less than or equal to {LONGEST_PERIOD}"
        errors.invalid(f"{path}.periodSeconds", period, what)
