"""Daemon sets."""

from typing import ClassVar

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_selector, shown_struct
from kedge.apiserver.builtin.labels import (
    check_selector,
    has_bad_value,
    is_empty,
    is_valid_selector,
)
from kedge.apiserver.builtin.pods.spec import check_template
from kedge.apiserver.builtin.replicas import check_long_running, check_picked, check_same_selector
from kedge.apiserver.builtin.workload import Templated, check_decrement, keep_generation
from kedge.apiserver.resource import Context, Object

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
STRATEGIES = ("RollingUpdate", "OnDelete")
COUNTS = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)


class DaemonSetStrategy(Templated):
    """Hooks of apps/v1 DaemonSet. An annotation counts the changes of the template."""

    zero_status: ClassVar[Object] = {
        "currentNumberScheduled": 0,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 0,
        "numberReady": 0,
    }
    warns_of_name = False

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        spec: Object = obj.setdefault("spec", {})
        strategy = spec.setdefault("updateStrategy", {})
        strategy.setdefault("type", "RollingUpdate")
        if strategy["type"] == "RollingUpdate":
            rolling = strategy.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", 1)
        if "rollingUpdate" in strategy:  # inside, both are numbers that are always there
            strategy["rollingUpdate"].setdefault("maxUnavailable", 0)
            strategy["rollingUpdate"].setdefault("maxSurge", 0)
        spec.setdefault("revisionHistoryLimit", 10)
        _set_count(obj, _count(obj))
        super().default(obj)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin to count."""
        super().prepare_create(obj, context)
        _set_count(obj, max(_count(obj), 1))

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Count changes of the template too."""
        super().prepare_update(new, old, context)
        if context.subresource == "status":
            _set_count(new, _count(old))
            return
        changed = not same(self.template(new), self.template(old))
        _set_count(new, _count(old) + changed)
        keep_generation(new, old, changed or self.is_moved(new, old))

    def bare(self, metadata: Object) -> Object:
        """Leave out the annotation that is a field inside the server."""
        if TEMPLATE_GENERATION not in (metadata.get("annotations") or {}):
            return metadata
        kept = dict(metadata)
        kept["annotations"] = dict(metadata["annotations"])
        del kept["annotations"][TEMPLATE_GENERATION]
        if not kept["annotations"]:
            del kept["annotations"]
        return kept

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec, and on update that the selector is the same."""
        spec, options = obj["spec"], self.options(old)
        if old is not None:
            check_same_selector(errors, spec, old["spec"])
        selector, template = spec.get("selector"), spec.get("template") or {}
        loose = options.loose_selector_values or (
            old is not None and has_bad_value(old["spec"].get("selector"))
        )
        check_selector(errors, "spec.selector", selector, loose)
        if is_valid_selector(selector):
            check_picked(errors, selector, template)
        if is_empty(selector):
            what = "empty selector is invalid for daemonset"
            errors.invalid("spec.selector", shown_selector(selector), what)
        check_template(errors, "spec.template", template, options)
        check_long_running(errors, "spec.template", template, "DaemonSet")
        fields.non_negatives(errors, "spec", spec, ("minReadySeconds",))
        fields.non_negative(errors, "spec.templateGeneration", _count(obj))
        _check_strategy(errors, "spec.updateStrategy", spec.get("updateStrategy") or {})
        fields.non_negatives(errors, "spec", spec, ("revisionHistoryLimit",))

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the numbers of the status."""
        status = new.get("status") or {}
        fields.non_negatives(errors, "status", status, COUNTS)
        check_decrement(errors, status, old.get("status") or {})

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of what the template says, when it is new or changed."""
        if old is not None and _count(obj) == _count(old):
            return []
        return self.template_warnings(obj)


def _count(obj: Object) -> int:
    text = (obj["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "0")
    return int(text) if text.lstrip("+-").isdecimal() and text.isascii() else 0


def _set_count(obj: Object, count: int) -> None:
    annotations = obj["metadata"].get("annotations") or {}
    obj["metadata"]["annotations"] = {**annotations, TEMPLATE_GENERATION: str(count)}


def _check_strategy(errors: Errors, path: str, strategy: Object) -> None:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind == "OnDelete":
        return
    if kind != "RollingUpdate":
        shown = shown_struct("DaemonSetUpdateStrategy", strategy)
        errors.unsupported(path, shown, STRATEGIES)
        return
    where, rolling = f"{path}.rollingUpdate", rolling or {}
    down, up = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    for check in (fields.int_or_percent, fields.at_most_all):
        check(errors, f"{where}.maxUnavailable", down)
        check(errors, f"{where}.maxSurge", up)
    has_down, has_up = fields.amount(down) != 0, fields.amount(up) != 0
    if has_down and has_up:
        what = "may not be set when maxUnavailable is non-zero"
        errors.invalid(f"{where}.maxSurge", up, what)
    elif not has_down and not has_up:
        errors.required(f"{where}.maxUnavailable", "cannot be 0 when maxSurge is 0")
