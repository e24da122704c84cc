"""What the kinds that run nothing have in common: whole objects, or a spec and a status apart."""

from typing import ClassVar

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.kube.fielderror import FieldError
from kedge.kube.metadata import FOREGROUND, ORPHAN, validate_meta, validate_meta_update

NAMESPACE_FINALIZER = "kubernetes"
FINALIZERS = (NAMESPACE_FINALIZER, ORPHAN, FOREGROUND)


def check_finalizer(errors: Errors, path: str, name: str) -> None:
    """Check that a finalizer has a domain, or is one of Kubernetes' own."""
    if "/" not in name and name not in FINALIZERS:
        what = "name is neither a standard finalizer name nor is it fully qualified"
        errors.invalid(path, name, what)


class Plain(Strategy):
    """A kind all of whose fields are written through one endpoint."""

    namespaced: ClassVar[bool] = True
    known_finalizers: bool = True
    """A finalizer without a domain must be one of Kubernetes' own."""
    repeats_metadata: ClassVar[bool] = False
    """Metadata of a changed object is checked once more, so that each cause is told once more."""

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Leave the object as it is."""

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Every field can be owned."""
        return ()

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new object."""
        errors = Errors()
        self.check_finalizers(errors, obj)
        self.check(errors, obj, None)
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object."""
        errors = Errors()
        self.check_update(errors, new, old)
        return errors

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check what may not change, then the object as if it were new."""
        errors += self.changed_metadata(new, old)
        self.check_change(errors, new, old)
        if self.repeats_metadata:
            self.check_metadata(errors, new)
        self.check(errors, new, old)

    def check_metadata(self, errors: Errors, obj: Object) -> None:
        """Check the metadata once more, as some kinds do."""
        errors += validate_meta(
            obj["metadata"], namespaced=self.namespaced, validate_name=self.validate_name
        )
        self.check_finalizers(errors, obj)

    def changed_metadata(self, new: Object, old: Object) -> Errors:
        """Check changed metadata: kinds do so after the server has, and causes are told twice."""
        errors = Errors(validate_meta_update(new["metadata"], old["metadata"]))
        self.check_finalizers(errors, new)
        return errors

    def check_finalizers(self, errors: Errors, obj: Object) -> None:
        """Check that finalizers without a domain are known."""
        finalizers = obj["metadata"].get("finalizers")
        if finalizers and self.known_finalizers:
            for index, name in enumerate(finalizers):
                check_finalizer(errors, f"metadata.finalizers[{index}]", name)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check an object; `old` is what it was, and none for a new one."""

    def check_change(self, errors: Errors, new: Object, old: Object) -> None:
        """Check that nothing changed that must not."""


class Halved(Plain):
    """A kind with a status that has an endpoint of its own."""

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin with an empty status."""
        obj["status"] = self.new_status()

    def new_status(self) -> Object:
        """Make the status of a new object, with what Go writes even when it is empty."""
        return {}

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that this endpoint does not change."""
        half = "spec" if context.subresource == "status" else "status"
        if half in old:
            new[half] = old[half]
        else:
            new.pop(half, None)

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Own no field of the other half."""
        return (("spec",),) if subresource == "status" else (("status",),)

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object, or only its status."""
        if context.subresource != "status":
            return super().validate_update(new, old, context)
        errors = self.changed_metadata(new, old)
        self.check_status(errors, new, old)
        return errors

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check an update of the status."""


KEPT = (
    "deletionTimestamp",
    "generation",
    "selfLink",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
)


def keep_metadata(new: Object, old: Object) -> None:
    """Undo changes of metadata, for a status endpoint that lets nothing else change."""
    metadata, before = new["metadata"], old["metadata"]
    for name in KEPT:
        if name in before:
            metadata[name] = before[name]
        else:
            metadata.pop(name, None)


def keep_all_metadata(new: Object, old: Object) -> None:
    """Undo all changes of metadata, but for who owns which field."""
    metadata = new["metadata"]
    managed = metadata.get("managedFields")
    metadata.clear()
    metadata.update(old["metadata"])
    metadata.pop("managedFields", None)
    if managed:
        metadata["managedFields"] = managed
