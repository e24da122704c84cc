"""What the kinds with a spec, a status endpoint and a counted generation have in common."""

from typing import ClassVar

from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors, changed_metadata
from kedge.apiserver.builtin.pods.defaults import default_template
from kedge.apiserver.builtin.pods.disabled import drop_disabled
from kedge.apiserver.builtin.pods.history import options_for
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.builtin.pods.warnings import name_warning, pod_warnings
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.kube.fielderror import FieldError
from kedge.kube.names import subdomain_name

POD_NAMES = "Pod names and hostnames"


class Specced(Strategy):
    """A kind whose status has an endpoint of its own, and whose generation counts its changes."""

    zero_status: ClassVar[Object] = {}
    """The status of a new object: Go writes some numbers even when they are zero."""

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Say what is wrong with metadata.name, or with generateName (`prefix`)."""
        return subdomain_name(name, prefix)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin with an empty status and the first generation."""
        obj["status"] = dict(self.zero_status)
        obj["metadata"]["generation"] = 1
        self.drop(obj)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that this endpoint does not change, and count changes of the spec."""
        if context.subresource == "status":
            self.keep_all_but_status(new, old)
            keep_generation(new, old)
            return
        new["status"] = old.get("status") or dict(self.zero_status)
        self.drop(new)
        keep_generation(new, old, self.is_moved(new, old))

    def has_changed(self, new: Object, old: Object) -> bool:
        """Tell whether the generation moves on, which `prepare_update` has found out."""
        return is_next_generation(new, old)

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new object."""
        errors = Errors()
        self.check(errors, obj, None)
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object, or only its status."""
        errors = changed_metadata(new, old)
        if context.subresource == "status":
            self.check_status(errors, new, old)
        else:
            self.check(errors, new, old)
        return errors

    def drop(self, obj: Object) -> None:
        """Drop what belongs to features that are off, in place."""

    def keep_all_but_status(self, new: Object, old: Object) -> None:
        """Undo what the status endpoint may not change, in place."""
        new["spec"] = old["spec"]

    def is_moved(self, new: Object, old: Object) -> bool:
        """Tell whether a change through the main endpoint is one that the generation counts."""
        return not same(new["spec"], old["spec"])

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check an object; `old` is what it was, and none for a new one."""

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check an update of the status."""


class Templated(Specced):
    """A kind that holds a pod template."""

    warns_of_name: ClassVar[bool] = True
    """Pods take over the name, so that it had better be a DNS label."""

    def template(self, obj: Object) -> Object:
        """Give the pod template."""
        spec: Object = obj.setdefault("spec", {})
        template: Object = spec.setdefault("template", {})
        return template

    template_path: ClassVar[str] = "spec.template"

    def default(self, obj: Object) -> None:
        """Fill in the template."""
        default_template(self.template(obj))

    def drop(self, obj: Object) -> None:
        """Drop what belongs to features that are off, in place."""
        drop_disabled(self.template(obj).get("spec") or {})

    def options(self, old: Object | None) -> Options:
        """Give the rules for pods that hold for a new object, or for the update of an old one."""
        if old is None:
            return options_for(None, None)
        template = self.template(old)
        return options_for(template.get("spec") or {}, template.get("metadata"))

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of what the template says, when it is new or something changed."""
        if old is not None:
            return self.template_warnings(obj) if is_next_generation(obj, old) else []
        found: list[str] = []
        if self.warns_of_name:
            found += name_warning(obj["metadata"].get("name", ""), POD_NAMES)
        return found + self.template_warnings(obj)

    def template_warnings(self, obj: Object) -> list[str]:
        """Warn of what the template says."""
        return pod_warnings(f"{self.template_path}.", self.template(obj))


def keep_generation(new: Object, old: Object, changed: bool = False) -> None:
    """Set the generation to that of the old object, or to the next."""
    generation = old["metadata"].get("generation", 0) + changed
    if generation:
        new["metadata"]["generation"] = generation
    else:
        new["metadata"].pop("generation", None)


def is_next_generation(new: Object, old: Object) -> bool:
    """Tell whether an object is of another generation than it was."""
    return bool(new["metadata"].get("generation") != old["metadata"].get("generation"))


def check_decrement(errors: Errors, new: Object, old: Object) -> None:
    """Check that the count of name collisions does not shrink; both are statuses."""
    count, before = new.get("collisionCount"), old.get("collisionCount")
    if before is not None and (count is None or count < before):
        errors.invalid("status.collisionCount", count or 0, "cannot be decremented")


def check_at_most(
    errors: Errors, status: Object, names: tuple[str, ...], most: str, what: str
) -> None:
    """Check that numbers of a status are no more than another of its numbers."""
    for name in names:
        value = status.get(name, 0)
        if value > status.get(most, 0):
            errors.invalid(f"status.{name}", value, f"cannot be greater than {what}")
