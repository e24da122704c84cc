"""Namespaces: they go when their finalizers have, and not before."""

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import NAMESPACE_FINALIZER, Halved, check_finalizer
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import FieldError, typed

LABEL = "kubernetes.io/metadata.name"
ACTIVE, TERMINATING = "Active", "Terminating"


class NamespaceStrategy(Halved):
    """Hooks of v1 Namespace."""

    holds_deletion = True

    namespaced = False

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Take labels of RFC 1123."""
        return names.label_name(name, prefix)

    def default(self, obj: Object) -> None:
        """Fill in the phase, and the label with the name."""
        if obj["metadata"].get("name"):
            _set_label(obj["metadata"])
        status = obj.setdefault("status", {})
        if not status.get("phase"):
            status["phase"] = ACTIVE

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin active, with a finalizer, and with the label where the name was generated."""
        obj["status"] = {"phase": ACTIVE}
        finalizers = obj.setdefault("spec", {}).setdefault("finalizers", [])
        if NAMESPACE_FINALIZER not in finalizers:
            finalizers.append(NAMESPACE_FINALIZER)
        if obj["metadata"].get("name"):
            _set_label(obj["metadata"])

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the finalizers, but through their endpoint, and the status but through its own."""
        if context.subresource == "status":
            new["spec"] = old.get("spec") or {}
        else:
            new["status"] = old.get("status") or {}
        if not context.subresource:
            finalizers = (old.get("spec") or {}).get("finalizers")
            new["spec"] = {"finalizers": finalizers} if finalizers else {}
        _set_label(new["metadata"])

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check what the endpoint may change."""
        errors = Errors()
        if not context.subresource:
            self.check_metadata(errors, new)
            self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        if context.subresource == "status":
            _check_phase(errors, new)
        elif context.subresource == "finalize":
            for index, name in enumerate(new["spec"].get("finalizers") or ()):
                _check_finalizer(errors, f"spec.finalizers[{index}]", name)
        return errors

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the finalizers."""
        for name in (obj.get("spec") or {}).get("finalizers") or ():
            _check_finalizer(errors, "spec.finalizers", name)

    def may_vanish(self, obj: Object) -> bool:
        """Tell whether no finalizer of the spec is left either."""
        return not (obj.get("spec") or {}).get("finalizers")

    def hold_deletion(self, obj: Object, now: str) -> bool:
        """Mark the namespace as going: the first time always, then while a finalizer is left."""
        metadata, status = obj["metadata"], obj.setdefault("status", {})
        if status.get("phase") == TERMINATING and self.may_vanish(obj):
            return False
        metadata.setdefault("deletionTimestamp", now)
        metadata.pop("deletionGracePeriodSeconds", None)
        status["phase"] = TERMINATING
        return True


def _set_label(metadata: Object) -> None:
    labels = metadata.get("labels")
    if labels is None:
        labels = metadata["labels"] = {}
    labels[LABEL] = metadata["name"]


def _check_finalizer(errors: Errors, path: str, name: str) -> None:
    errors.each(path, name, names.qualified_name(name))
    check_finalizer(errors, path, name)


def _check_phase(errors: Errors, obj: Object) -> None:
    phase = (obj.get("status") or {}).get("phase", "")
    if not obj["metadata"].get("deletionTimestamp"):
        if phase != ACTIVE:
            what = "may only be 'Active' if `deletionTimestamp` is empty"
            errors.invalid("status.Phase", typed(phase), what)
    elif phase != TERMINATING:
        what = "may only be 'Terminating' if `deletionTimestamp` is not empty"
        errors.invalid("status.Phase", typed(phase), what)
