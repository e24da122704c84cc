"""Pod disruption budgets."""

from typing import ClassVar

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.conditions import check_conditions
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_struct
from kedge.apiserver.builtin.labels import check_selector, is_valid_selector
from kedge.apiserver.builtin.workload import Specced
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import FieldError
from kedge.kube.names import path_segment

OLD_KEY = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
POLICIES = ("AlwaysAllow", "IfHealthyBudget")
COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
NOTHING = {"matchExpressions": [{"key": OLD_KEY, "operator": "Exists"}]}


class DisruptionBudgetStrategy(Specced):
    """Hooks of policy/v1 PodDisruptionBudget. An update needs a resourceVersion."""

    allow_unconditional_update = False
    checks_metadata = False
    known_finalizers = False
    zero_status: ClassVar[Object] = {
        "disruptionsAllowed": 0,
        "currentHealthy": 0,
        "desiredHealthy": 0,
        "expectedPods": 0,
    }

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Say what is wrong with the name: only that it does not fit in a path."""
        return path_segment(name, prefix)

    def default(self, obj: Object) -> None:
        """Drop the mark by which version v1beta1 tells an empty selector."""
        obj.setdefault("spec", {})
        selector = obj["spec"].get("selector")
        rules = (selector or {}).get("matchExpressions")
        if rules and selector != NOTHING and any(rule.get("key") == OLD_KEY for rule in rules):
            kept = [rule for rule in rules if rule.get("key") != OLD_KEY]
            selector["matchExpressions"] = kept
            if not kept:
                del selector["matchExpressions"]

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object, or only its status; the metadata are left to the server."""
        errors = Errors()
        if context.subresource == "status":
            self.check_status(errors, new, old)
        else:
            self.check(errors, new, old)
        return errors

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec."""
        spec = obj["spec"]
        if "minAvailable" in spec and "maxUnavailable" in spec:
            shown = shown_struct("PodDisruptionBudgetSpec", spec)
            what = "minAvailable and maxUnavailable cannot be both set"
            errors.invalid("spec", shown, what)
        for name in ("minAvailable", "maxUnavailable"):
            if name in spec:
                fields.int_or_percent(errors, f"spec.{name}", spec[name])
                fields.at_most_all(errors, f"spec.{name}", spec[name])
        loose = old is not None and not is_valid_selector(old["spec"].get("selector"))
        check_selector(errors, "spec.selector", spec.get("selector"), loose)
        policy = spec.get("unhealthyPodEvictionPolicy")
        fields.optional_enum(errors, "spec.unhealthyPodEvictionPolicy", policy, POLICIES)

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the conditions and the numbers of the status."""
        status = new.get("status") or {}
        check_conditions(errors, "status.conditions", status.get("conditions") or [])
        fields.non_negatives(errors, "status", status, COUNTS)
