"""Deployments."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_struct
from kedge.apiserver.builtin.replicas import (
    check_owner_selector,
    check_replicated,
    check_same_selector,
)
from kedge.apiserver.builtin.workload import Templated, check_at_most, check_decrement
from kedge.apiserver.resource import Object

COUNTS = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "collisionCount",
)
STRATEGIES = ("Recreate", "RollingUpdate")


class DeploymentStrategy(Templated):
    """Hooks of apps/v1 Deployment."""

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("replicas", 1)
        strategy = spec.setdefault("strategy", {})
        strategy.setdefault("type", "RollingUpdate")
        if strategy["type"] == "RollingUpdate":
            rolling = strategy.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", "25%")
            rolling.setdefault("maxSurge", "25%")
        spec.setdefault("revisionHistoryLimit", 10)
        spec.setdefault("progressDeadlineSeconds", 600)
        super().default(obj)

    def is_moved(self, new: Object, old: Object) -> bool:
        """Tell whether the generation moves on: annotations are copied to replica sets."""
        annotations = new["metadata"].get("annotations") or {}
        before = old["metadata"].get("annotations") or {}
        return annotations != before or not same(new["spec"], old["spec"])

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Name what an endpoint sets back."""
        return (("spec",), ("metadata", "labels")) if subresource == "status" else (("status",),)

    def keep_all_but_status(self, new: Object, old: Object) -> None:
        """Keep the spec and the labels."""
        new["spec"] = old["spec"]
        if "labels" in old["metadata"]:
            new["metadata"]["labels"] = old["metadata"]["labels"]
        else:
            new["metadata"].pop("labels", None)
        new.get("status", {}).pop("terminatingReplicas", None)  # of a feature that is off

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec, and on update that the selector is the same."""
        spec = obj["spec"]
        fields.non_negative(errors, "spec.replicas", spec.get("replicas"))
        check_owner_selector(errors, spec, "deployment")
        check_replicated(errors, spec, self.options(old))
        _check_strategy(errors, spec.get("strategy") or {})
        fields.non_negatives(errors, "spec", spec, ("minReadySeconds", "revisionHistoryLimit"))
        deadline = spec.get("progressDeadlineSeconds")
        if deadline is not None:
            fields.non_negative(errors, "spec.progressDeadlineSeconds", deadline)
            if deadline <= spec.get("minReadySeconds", 0):
                what = "must be greater than minReadySeconds"
                errors.invalid("spec.progressDeadlineSeconds", deadline, what)
        if old is not None:
            check_same_selector(errors, spec, old["spec"])

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the numbers of the status."""
        status = new.get("status") or {}
        fields.non_negatives(errors, "status", status, COUNTS)
        counted = ("updatedReplicas", "readyReplicas", "availableReplicas")
        check_at_most(errors, status, counted, "replicas", "status.replicas")
        check_at_most(errors, status, ("availableReplicas",), "readyReplicas", "readyReplicas")
        check_decrement(errors, status, old.get("status") or {})


def _check_strategy(errors: Errors, strategy: Object) -> None:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            what = "may not be specified when strategy `type` is 'Recreate'"
            errors.forbidden("spec.strategy.rollingUpdate", what)
    elif kind != "RollingUpdate":
        shown = shown_struct("DeploymentStrategy", strategy)
        errors.unsupported("spec.strategy", shown, STRATEGIES)
    else:
        _check_rolling(errors, "spec.strategy.rollingUpdate", rolling or {})


def _check_rolling(errors: Errors, path: str, rolling: Object) -> None:
    down, up = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    fields.int_or_percent(errors, f"{path}.maxUnavailable", down)
    fields.int_or_percent(errors, f"{path}.maxSurge", up)
    if fields.amount(down) == 0 and fields.amount(up) == 0:
        errors.invalid(f"{path}.maxUnavailable", down, "may not be 0 when `maxSurge` is 0")
    fields.at_most_all(errors, f"{path}.maxUnavailable", down)
