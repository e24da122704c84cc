"""Custom resources: the hooks of a kind that a CRD defines."""

from typing import TYPE_CHECKING, Any

from kedge.apiserver.crd.jsonpath import JsonPathError, compile_path
from kedge.apiserver.crd.scalepath import validate_spec, validate_status
from kedge.apiserver.crd.schema.compile import Body
from kedge.apiserver.crd.schema.default import copy
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.kube.fielderror import (
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID_REASON,
    FieldError,
    invalid,
)
from kedge.kube.gotext import quote, to_text
from kedge.kube.names import qualified_name

if TYPE_CHECKING:
    from kedge.apiserver.crd.rules import RuleRun

# Errors that leave a value unfit for rules: they would fail, or say something else.
_BLOCKING = frozenset({NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID_REASON})
_STANDARD_FINALIZERS = frozenset({"orphan", "foregroundDeletion", "kubernetes"})


class CustomStrategy(Strategy):
    """Hooks of one version of a custom kind. `notice` is a warning for every request, or empty."""

    allow_unconditional_update = False

    def __init__(
        self, body: Body, *, has_status: bool, scale: Object | None, api_version: str
    ) -> None:
        """Work by the schema of the version."""
        self.body = body
        self.has_status = has_status
        self.scale = scale
        self.api_version = api_version
        self.stored_version = api_version
        self.bodies: dict[str, Body] = {api_version: body}
        self.notice = ""
        self._last: tuple[Object, Object, RuleRun | None] | None = None
        """The update whose rules were run last: its warnings are asked for right afterwards."""

    def default(self, obj: Object) -> None:
        """Fill in the schema's defaults."""
        if self.body.fill is not None:
            self.body.fill(obj)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Drop the status where it has an endpoint of its own."""
        if self.has_status:
            obj.pop("status", None)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the status; on its own endpoint, keep all but the status."""
        if context.subresource == "status":
            _take_status(new, old)
        elif self.has_status:
            new.pop("status", None)
            if "status" in old:
                new["status"] = old["status"]

    def has_changed(self, new: Object, old: Object) -> bool:
        """Say whether the generation moves: by any change but to metadata and a separate status."""
        apart = {"metadata", "apiVersion", "kind"} | ({"status"} if self.has_status else set())
        names = (new.keys() | old.keys()) - apart
        return any(name not in new or name not in old or new[name] != old[name] for name in names)

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Give the paths that an endpoint never writes."""
        if subresource == "status":
            return (("spec",),)
        return (("status",),) if self.has_status and not subresource else ()

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new object."""
        errors = self.body.faults(obj)
        if self.scale is not None:
            errors += [*validate_spec(obj, self.scale), *validate_status(obj, self.scale)]
        errors += self.body.embedded_faults(obj)
        errors += self.body.repetitions(obj)
        return errors + self._rule_faults(obj, None, errors)

    def _rule_faults(
        self, obj: Object, old: Object | None, errors: list[FieldError]
    ) -> list[FieldError]:
        """Run the CEL rules, unless what they read may be of the wrong type."""
        if self.body.rules is None:
            return []
        if any(error.kind in _BLOCKING or error.reason in _BLOCKING for error in errors):
            told = (
                "some validation rules were not checked because the object was invalid; "
                "correct the existing errors to complete validation"
            )
            return [invalid("<nil>", None, told)]
        run = self.body.run_rules(obj, old)
        if old is not None:
            self._last = obj, old, run
        return run.errors if run else []

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed object, or a changed status."""
        if context.subresource == "status":
            errors = self.body.status_faults(new, old)
            if self.scale is not None:
                errors += validate_status(new, self.scale)
            errors += self.body.repetitions(new, old)
            return errors + self._rule_faults(new, old, errors)
        errors = self.body.faults(new, old)
        if self.scale is not None:
            errors += [*validate_spec(new, self.scale), *validate_status(new, self.scale)]
        errors += self.body.embedded_faults(new)
        errors += self.body.repetitions(new, old)
        return errors + self._rule_faults(new, old, errors)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Tell of rules that were broken before, and of finalizers that may clash."""
        found: list[str] = []
        names = set(obj["metadata"].get("finalizers") or ())
        if old is not None:
            names -= set(old["metadata"].get("finalizers") or ())
            run = self._run_of(obj, old)
            found += run.warnings if run else []
        return found + [text for name in sorted(names) for text in _finalizer(name)]

    def _run_of(self, obj: Object, old: Object) -> "RuleRun | None":
        last, self._last = self._last, None
        if last is not None and last[0] is obj and last[1] is old:
            return last[2]
        return self.body.run_rules(obj, old)

    def select(self, obj: Object, path: str) -> Any:
        """Give the value that a field selector compares, as text."""
        try:
            values = compile_path(f".{path.lstrip('.')}")(obj)
        except JsonPathError:
            return None
        return to_text(values[0]) if values and values[0] is not None else None

    def to_storage(self, obj: Object) -> Object:
        """Give the object in the stored version; what that does not know is lost."""
        if self.stored_version == self.api_version:
            return obj
        result = {**copy(obj), "apiVersion": self.stored_version}
        self.bodies[self.stored_version].settle(result)
        return result

    def from_storage(self, obj: Object) -> Object:
        """Give the object in this version: with the defaults of the version it was stored in."""
        written = obj.get("apiVersion", "")
        body = self.bodies.get(written, self.body)
        body.settle(obj)
        if body.fill is not None:
            body.fill(obj)
        if written != self.api_version:
            obj["apiVersion"] = self.api_version
            self.body.settle(obj)
        return obj


def _take_status(new: Object, old: Object) -> None:
    """Make the new object the old one but for its status and the owners of its fields, in place."""
    meta, status = new["metadata"], new.get("status")
    has_status = "status" in new
    managed = meta.get("managedFields")
    new.clear()
    new.update(old)  # it is as the schema wants it: nobody has to change its parts any more
    meta.clear()
    meta.update(old["metadata"])
    new["metadata"] = meta
    meta.pop("managedFields", None)
    if managed:
        meta["managedFields"] = managed
    new.pop("status", None)
    if has_status:
        new["status"] = status


def _finalizer(name: str) -> list[str]:
    path = "metadata.finalizers"
    found = [f"{path}: {quote(name)}: {problem}" for problem in qualified_name(name)]
    if "/" not in name and name not in _STANDARD_FINALIZERS:
        path_hint = " including a path (/)" if "." in name else ""
        found.append(
            f"{path}: {quote(name)}: prefer a domain-qualified finalizer name{path_hint} "
            "to avoid accidental conflicts with other finalizer writers"
        )
    return found
