"""Runtime classes: with what pods are run."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_struct
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.builtin.pods.resources import check_overhead
from kedge.apiserver.builtin.pods.scheduling import check_tolerations
from kedge.apiserver.builtin.pods.surroundings import Options, Surroundings
from kedge.apiserver.builtin.pods.warnings import OLD_NODE_LABELS
from kedge.apiserver.resource import Object


class RuntimeClassStrategy(Plain):
    """Hooks of node.k8s.io/v1 RuntimeClass."""

    namespaced = False
    known_finalizers = False

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the class, and that the handler stays."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        handler, before = new.get("handler", ""), old.get("handler", "")
        fields.immutable(errors, "handler", handler, before)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check all fields."""
        fields.dns_label(errors, "handler", obj.get("handler", ""))
        if obj.get("overhead") is not None:
            fixed = obj["overhead"].get("podFixed") or {}
            check_overhead(errors, "overhead", fixed, Surroundings(Options()))
        scheduling = obj.get("scheduling")
        if scheduling is None:
            return
        path = "scheduling.tolerations"
        fields.labels(errors, "scheduling.nodeSelector", scheduling.get("nodeSelector"))
        tolerations = scheduling.get("tolerations") or []
        check_tolerations(errors, f"{path}.tolerations", tolerations)
        seen = set()
        for index, one in enumerate(tolerations):
            key = tuple(one.get(name, "") for name in ("key", "operator", "value", "effect"))
            if key in seen:
                errors.duplicate(f"{path}[{index}]", shown_struct("Toleration", one))
            seen.add(key)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of labels that have got new names."""
        selector = (obj.get("scheduling") or {}).get("nodeSelector") or {}
        return [
            f"scheduling.nodeSelector: {OLD_NODE_LABELS[key]}"
            for key in selector
            if key in OLD_NODE_LABELS
        ]
