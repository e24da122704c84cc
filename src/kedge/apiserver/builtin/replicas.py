"""Replica sets and replication controllers, and the rules they share with deployments."""

from typing import ClassVar

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_selector
from kedge.apiserver.builtin.labels import check_selector, is_empty, is_valid_selector, picks
from kedge.apiserver.builtin.pods.defaults import default_template
from kedge.apiserver.builtin.pods.disabled import drop_disabled
from kedge.apiserver.builtin.pods.history import options_for
from kedge.apiserver.builtin.pods.spec import check_template
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.builtin.pods.warnings import pod_warnings
from kedge.apiserver.builtin.workload import Templated, check_at_most, is_next_generation
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import FieldError

COUNTS = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
)


class ReplicaSetStrategy(Templated):
    """Hooks of apps/v1 ReplicaSet."""

    zero_status: ClassVar[Object] = {"replicas": 0}

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        obj.setdefault("spec", {}).setdefault("replicas", 1)
        super().default(obj)

    def keep_all_but_status(self, new: Object, old: Object) -> None:
        """Keep the spec."""
        new["spec"] = old["spec"]
        new.get("status", {}).pop("terminatingReplicas", None)  # of a feature that is off

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec, and on update that the selector is the same."""
        spec = obj["spec"]
        fields.non_negatives(errors, "spec", spec, ("replicas", "minReadySeconds"))
        # The rules were written for deployments first, and say so.
        check_owner_selector(errors, spec, "deployment")
        check_replicated(errors, spec, self.options(old))
        if old is not None:
            check_same_selector(errors, spec, old["spec"])

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the numbers of the status."""
        check_replica_counts(errors, new.get("status") or {})


class ReplicationControllerStrategy(ReplicaSetStrategy):
    """Hooks of v1 ReplicationController: its selector is a map, its template may be missing."""

    orphans_by_default = True

    def default(self, obj: Object) -> None:
        """Fill in what the user left out: selector and labels are those of the template."""
        spec: Object = obj.setdefault("spec", {})
        template = spec.get("template")
        labels = ((template or {}).get("metadata") or {}).get("labels")
        if labels:
            if not spec.get("selector"):
                spec["selector"] = dict(labels)
            if not obj["metadata"].get("labels"):
                obj["metadata"]["labels"] = dict(labels)
        spec.setdefault("replicas", 1)
        if template is not None:
            default_template(template)

    def drop(self, obj: Object) -> None:
        """Drop what belongs to features that are off, in place."""
        template = obj["spec"].get("template")
        if template is not None:
            drop_disabled(template.get("spec") or {})

    def options(self, old: Object | None) -> Options:
        """Give the rules for pods that hold for a new object, or for the update of an old one."""
        template = None if old is None else old["spec"].get("template")
        if template is None:
            return options_for(None, None)
        return options_for(template.get("spec") or {}, template.get("metadata"))

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object as if it were new, then what it was made of: all of it twice."""
        if context.subresource == "status":
            return super().validate_update(new, old, context)
        errors = fields.whole_metadata(new)
        self.check(errors, new, old)
        errors += fields.changed_metadata(new, old)
        self.check(errors, new, old)
        return errors

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec."""
        self._check_spec(errors, obj["spec"], self.options(old))

    def _check_spec(self, errors: Errors, spec: Object, options: Options) -> None:
        fields.non_negatives(errors, "spec", spec, ("minReadySeconds",))
        selector, template = spec.get("selector"), spec.get("template")
        if not selector:
            errors.required("spec.selector")
        fields.non_negative(errors, "spec.replicas", spec.get("replicas"))
        if template is None:
            errors.required("spec.template")
            return
        if selector:
            check_picked(errors, {"matchLabels": selector}, template)
        check_template(errors, "spec.template", template, options)
        check_long_running(errors, "spec.template", template, "ReplicationController")

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of what the template says; on update the original looks at the old one."""
        if old is None or obj["spec"].get("template") is None:
            return super().warnings(obj, old) if obj["spec"].get("template") else []
        if not is_next_generation(obj, old):
            return []
        return pod_warnings("spec.template.", old["spec"].get("template") or {})


def check_replicated(errors: Errors, spec: Object, options: Options) -> None:
    """Check the template of a kind that keeps a number of equal pods running."""
    selector, template = spec.get("selector"), spec.get("template") or {}
    if not is_valid_selector(selector):
        errors.invalid("spec.selector", shown_selector(selector), "invalid label selector")
        return
    check_picked(errors, selector, template)
    check_template(errors, "spec.template", template, options)
    check_long_running(errors, "spec.template", template, "ReplicaSet")


def check_owner_selector(errors: Errors, spec: Object, kind: str) -> None:
    """Check that a selector is there, makes sense, and does not pick everything."""
    selector = spec.get("selector")
    if selector is None:
        errors.required("spec.selector")
        return
    check_selector(errors, "spec.selector", selector)
    if is_empty(selector):
        what = f"empty selector is invalid for {kind}"
        errors.invalid("spec.selector", shown_selector(selector), what)


def check_same_selector(errors: Errors, spec: Object, old: Object) -> None:
    """Check that the selector has not changed."""
    selector, before = spec.get("selector"), old.get("selector")
    if selector != before:
        fields.immutable(errors, "spec.selector", selector, before, shown_selector(selector))


def check_picked(errors: Errors, selector: Object | None, template: Object) -> None:
    """Check that the selector picks the pods of the template; none picks no pod."""
    labels = (template.get("metadata") or {}).get("labels")
    if not picks(selector, labels):
        shown = fields.shown_map(labels)
        errors.invalid("spec.template.metadata.labels", shown, fields.NO_MATCH)


def check_long_running(errors: Errors, path: str, template: Object, kind: str) -> None:
    """Check that a template's pods are meant to run for ever."""
    spec = template.get("spec") or {}
    policy = spec.get("restartPolicy", "")
    if policy != "Always":
        errors.unsupported(f"{path}.spec.restartPolicy", policy, ("Always",))
    if "activeDeadlineSeconds" in spec:
        what = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.forbidden(f"{path}.spec.activeDeadlineSeconds", what)


def check_replica_counts(errors: Errors, status: Object) -> None:
    """Check that the numbers of a status go together."""
    fields.non_negatives(errors, "status", status, COUNTS)
    counted = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    check_at_most(errors, status, counted, "replicas", "status.replicas")
    check_at_most(errors, status, ("availableReplicas",), "readyReplicas", "readyReplicas")
