"""Pod templates as objects of their own, and the revisions that controllers keep of theirs."""

from typing import ClassVar

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors, changed_metadata
from kedge.apiserver.builtin.internal import shown_raw
from kedge.apiserver.builtin.pods.spec import check_template
from kedge.apiserver.builtin.workload import Templated, keep_generation
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.kube.fielderror import FieldError
from kedge.kube.names import subdomain_name


class PodTemplateStrategy(Templated):
    """Hooks of v1 PodTemplate."""

    template_path: ClassVar[str] = "template"
    warns_of_name = False

    def template(self, obj: Object) -> Object:
        """Give the pod template."""
        template: Object = obj.setdefault("template", {})
        return template

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin with the first generation; there is no status."""
        obj["metadata"]["generation"] = 1
        self.drop(obj)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Count changes of the template."""
        self.drop(new)
        keep_generation(new, old, not same(self.template(new), self.template(old)))

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the template."""
        check_template(errors, "template", self.template(obj), self.options(old))


class ControllerRevisionStrategy(Strategy):
    """Hooks of apps/v1 ControllerRevision."""

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Say what is wrong with metadata.name, or with generateName (`prefix`)."""
        return subdomain_name(name, prefix)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Leave the object as it is."""

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check that there is data, and that it is an object."""
        errors = Errors()
        fields.non_negative(errors, "revision", obj.get("revision", 0))
        if obj.get("data") is None:
            errors.required("data", "data is mandatory")
        elif not isinstance(obj["data"], dict):
            errors.required("data", "data must be a valid JSON object")
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check that the data are the same."""
        errors = changed_metadata(new, old)
        errors += fields.whole_metadata(new)
        fields.non_negative(errors, "revision", new.get("revision", 0))
        if new.get("data") != old.get("data"):
            errors.invalid("data", shown_raw(new.get("data")), fields.IMMUTABLE)
        return errors
