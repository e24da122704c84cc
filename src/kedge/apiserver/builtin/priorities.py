"""Priority classes."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors, changed_metadata
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.kube.fielderror import FieldError
from kedge.kube.names import subdomain_name

HIGHEST = 1_000_000_000
"""The highest priority that a user may define."""
SYSTEM_PREFIX = "system-"
SYSTEM: dict[str, int] = {
    "system-node-critical": 2 * HIGHEST + 1000,
    "system-cluster-critical": 2 * HIGHEST,
}
PREEMPTIONS = ("PreemptLowerPriority", "Never")


class PriorityClassStrategy(Strategy):
    """Hooks of scheduling.k8s.io/v1 PriorityClass. Its generation is 1 for ever."""

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Say what is wrong with metadata.name, or with generateName (`prefix`)."""
        return subdomain_name(name, prefix)

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        obj.setdefault("preemptionPolicy", "PreemptLowerPriority")

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Leave the object as it is."""

    def has_changed(self, new: Object, old: Object) -> bool:
        """Tell that the generation does not move."""
        return False

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check that the class is not one of the system's, nor above what users may have."""
        errors = Errors()
        name, value = obj["metadata"].get("name", ""), obj.get("value", 0)
        if name.startswith(SYSTEM_PREFIX):
            if problem := _system_problem(name, obj):
                what = (
                    f"priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system "
                    f"use only. error: {problem}"
                )
                errors.forbidden("metadata.name", what)
        elif value > HIGHEST:
            what = f"maximum allowed value of a user defined priority is {HIGHEST}"
            errors.forbidden("value", what)
        policy = obj.get("preemptionPolicy")
        if policy is not None:
            fields.enum(errors, "preemptionPolicy", policy, PREEMPTIONS)
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check that neither value nor policy changed."""
        errors = changed_metadata(new, old)
        if new.get("value", 0) != old.get("value", 0):
            errors.forbidden("value", "may not be changed in an update.")
        policy, before = new.get("preemptionPolicy"), old.get("preemptionPolicy")
        fields.immutable(errors, "preemptionPolicy", policy, before)
        return errors


def _system_problem(name: str, obj: Object) -> str:
    if name not in SYSTEM:
        return f"{name} is not a known system priority class"
    if obj.get("value", 0) != SYSTEM[name]:
        return f"value of {name} PriorityClass must be {SYSTEM[name]}"
    if obj.get("globalDefault"):
        return f"globalDefault of {name} PriorityClass must be false"
    return ""
