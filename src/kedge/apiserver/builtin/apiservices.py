"""API services: only those that this server answers for itself."""

from base64 import b64decode

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Halved, keep_metadata
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.errors import forbidden
from kedge.kube.fielderror import typed
from kedge.kube.gotext import quote

NO_AGGREGATION = (
    "this server does not serve aggregated APIs: spec.service must not be set, "
    "only local APIServices are supported"
)
STATUSES = ("True", "False", "Unknown")


class APIServiceStrategy(Halved):
    """Hooks of apiregistration.k8s.io/v1 APIService."""

    namespaced = False
    known_finalizers = False

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Take names that fit in a path; the rest depends on the spec."""
        return names.path_segment(name)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Refuse what another server answers; the rest is there at once."""
        _refuse(obj)
        condition = {
            "type": "Available",
            "status": "True",
            "lastTransitionTime": obj["metadata"].get("creationTimestamp"),
            "reason": "Local",
            "message": "Local APIServices are always available",
        }
        obj["status"] = {"conditions": [condition]}

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that is not written; with the status nothing else is."""
        super().prepare_update(new, old, context)
        if context.subresource == "status":
            keep_metadata(new, old)
        else:
            _refuse(new)

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Own no field of the other half, and of metadata through the main endpoint only."""
        return (("spec",), ("metadata",)) if subresource == "status" else (("status",),)

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the service as if it were new."""
        errors += self.changed_metadata(new, old)
        self.check_metadata(errors, new)
        self.check(errors, new, old)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check name, group and priorities."""
        spec, name = obj["spec"], obj["metadata"].get("name", "")
        group, version = spec.get("group", ""), spec.get("version", "")
        wanted = f"{version}.{group}"
        if name and name != wanted and not names.path_segment(name):
            what = f'must be `spec.version+"."+spec.group`: {quote(wanted)}'
            errors.invalid("metadata.name", name, what)
        if not group and version != "v1":
            what = "only v1 may have an empty group and it better be legacy kube"
            errors.required("spec.group", what)
        if group:
            fields.dns_subdomain(errors, "spec.group", group)
        errors.each("spec.version", version, names.dns_1035_label(version))
        for field, most in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
            value = spec.get(field, 0)
            if not 0 < value <= most:
                what = f"must be positive and less than {most}"
                errors.invalid(f"spec.{field}", value, what)
        bundle = b64decode(spec.get("caBundle") or "")
        if bundle:
            what = "local APIServices may not have a caBundle"
            errors.invalid("spec.caBundle", f"{len(bundle)} bytes", what)
        if spec.get("insecureSkipTLSVerify"):
            what = "local APIServices may not have insecureSkipTLSVerify"
            errors.invalid("spec.insecureSkipTLSVerify", True, what)

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the conditions."""
        for index, condition in enumerate((new.get("status") or {}).get("conditions") or ()):
            status = condition.get("status", "")
            if status not in STATUSES:
                path = f"status.conditions[{index}].status"
                errors.unsupported(path, typed(status), STATUSES)


def _refuse(obj: Object) -> None:
    if obj["spec"].get("service") is not None:
        name = obj["metadata"].get("name", "")
        raise forbidden("apiregistration.k8s.io", "apiservices", name, NO_AGGREGATION)
