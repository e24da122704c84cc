"""Rules that fields of many kinds share; each adds what it finds in Kubernetes' words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kedge.apiserver.builtin.equality import same
from kedge.kube import fielderror, formats, metadata, names
from kedge.kube.fielderror import FieldError, Shown, typed
from kedge.kube.gotext import to_json

IMMUTABLE = "field is immutable"
LARGEST_INT32 = 2**31 - 1
NEGATIVE = "must be greater than or equal to 0"
NOT_POSITIVE = "must be greater than zero"
NO_MATCH = "`selector` does not match template `labels`"
PERCENT = re.compile(r"[0-9]+%")
WHOLE = re.compile(r"[+-]?[0-9]+")


class Errors(list[FieldError]):
    """The errors of one object, in the order in which they were found."""

    def required(self, path: str, detail: str = "") -> None:
        """Add that a value is missing."""
        self.append(fielderror.required(path, detail))

    def invalid(self, path: str, value: Any, detail: str) -> None:
        """Add that a value breaks a rule."""
        self.append(fielderror.invalid(path, value, detail))

    def unsupported(self, path: str, value: Any, allowed: Iterable[str]) -> None:
        """Add that a value is none of those there are."""
        self.append(fielderror.not_supported(path, value, allowed))

    def forbidden(self, path: str, detail: str) -> None:
        """Add that a field may not be set, or not so."""
        self.append(fielderror.forbidden(path, detail))

    def duplicate(self, path: str, value: Any) -> None:
        """Add that a value is there twice."""
        self.append(fielderror.duplicate(path, value))

    def not_found(self, path: str, value: Any, detail: str = "") -> None:
        """Add that what a value names is not there."""
        self.append(FieldError(fielderror.NOT_FOUND, path, value, detail))

    def too_long(self, path: str, limit: int) -> None:
        """Add that a text has more than `limit` bytes."""
        self.append(fielderror.too_long(path, limit))

    def too_many(self, path: str, count: int, limit: int) -> None:
        """Add that a list has more than `limit` items."""
        self.append(fielderror.too_many(path, count, limit))

    def each(self, path: str, value: Any, problems: Iterable[str]) -> None:
        """Add one error for each problem of a value."""
        for problem in problems:
            self.append(fielderror.invalid(path, value, problem))


def non_negative(errors: Errors, path: str, value: int | None) -> None:
    """Check that a number is not below zero."""
    if value is not None and value < 0:
        errors.invalid(path, value, NEGATIVE)


def non_negatives(
    errors: Errors, path: str, values: Mapping[str, Any], wanted: Sequence[str]
) -> None:
    """Check that none of these fields of a struct is below zero."""
    for name in wanted:
        if values.get(name, 0) < 0:
            errors.invalid(f"{path}.{name}", values[name], NEGATIVE)


def in_range(errors: Errors, path: str, value: int, low: int, high: int) -> None:
    """Check that a number lies between two, both included."""
    if not low <= value <= high:
        errors.invalid(path, value, names.in_range(low, high))


def immutable(errors: Errors, path: str, new: Any, old: Any, shown: str | None = None) -> None:
    """Check that a value has not changed. `shown` is its text where it is a struct."""
    if not same(new, old):
        errors.invalid(path, new if shown is None else Shown(shown), IMMUTABLE)


def enum(errors: Errors, path: str, value: str, allowed: Sequence[str]) -> None:
    """Check that a value is there and one of those allowed."""
    if not value:
        errors.required(path)
    elif value not in allowed:
        errors.unsupported(path, typed(value), allowed)


def optional_enum(errors: Errors, path: str, value: str | None, allowed: Sequence[str]) -> None:
    """Check that a value, if set at all, is one of those allowed."""
    if value is not None and value not in allowed:
        errors.unsupported(path, typed(value), allowed)


def dns_label(errors: Errors, path: str, value: str) -> None:
    """Check that a text is a label of RFC 1123."""
    errors.each(path, value, names.dns_label(value))


def dns_subdomain(errors: Errors, path: str, value: str) -> None:
    """Check that a text is a subdomain of RFC 1123."""
    errors.each(path, value, names.dns_subdomain(value))


def required_label(errors: Errors, path: str, value: str) -> None:
    """Check that a text is there and a label of RFC 1123."""
    if value:
        errors.each(path, value, names.dns_label(value))
    else:
        errors.required(path)


def qualified_name(errors: Errors, path: str, value: str) -> None:
    """Check that a text is a name with an optional domain before it."""
    errors.each(path, value, names.qualified_name(value))


def port(errors: Errors, path: str, value: int | str) -> None:
    """Check that a value is the number or the name of a port."""
    if isinstance(value, int):
        in_range(errors, path, value, 1, 65535)
    else:
        errors.each(path, value, formats.port_name(value))


def labels(errors: Errors, path: str, values: Mapping[str, str] | None) -> None:
    """Check the keys and the values of labels; all errors are at the one path."""
    if values:
        errors += metadata.validate_labels(values, path)


def annotations(errors: Errors, path: str, values: Mapping[str, str] | None) -> None:
    """Check the keys of annotations, and that all of them together are not too large."""
    if values:
        errors += metadata.validate_annotations(values, path)


def int_or_percent(errors: Errors, path: str, value: int | str) -> None:
    """Check that a value is a number that is not negative, or a percentage."""
    if isinstance(value, int):
        non_negative(errors, path, value)
    else:
        errors.each(path, typed(value), formats.percent(value))


def at_most_all(errors: Errors, path: str, value: int | str) -> None:
    """Check that a percentage is no more than 100."""
    if isinstance(value, str) and PERCENT.fullmatch(value) and int(value[:-1]) > 100:
        errors.invalid(path, value, "must not be greater than 100%")


def amount(value: int | str) -> int:
    """Give the number of a count or a percentage; what is neither counts as zero."""
    if isinstance(value, int):
        return value
    if PERCENT.fullmatch(value):
        return int(value[:-1])
    return int(value) if WHOLE.fullmatch(value) else 0


def shown_map(values: Mapping[str, Any] | None) -> Shown:
    """Write a map as a message does: null when there is none."""
    return Shown(to_json(None if values is None else dict(values)))


FINALIZERS = ("kubernetes", metadata.ORPHAN, metadata.FOREGROUND)


def finalizers(errors: Errors, meta: Mapping[str, Any]) -> None:
    """Check that finalizers have a domain, or are some of Kubernetes' own."""
    for index, name in enumerate(meta.get("finalizers") or ()):
        if "/" not in name and name not in FINALIZERS:
            what = "name is neither a standard finalizer name nor is it fully qualified"
            errors.invalid(f"metadata.finalizers[{index}]", name, what)


def changed_metadata(new: Mapping[str, Any], old: Mapping[str, Any]) -> Errors:
    """Check changed metadata: kinds do so after the server has, and each cause is told again."""
    errors = Errors(metadata.validate_meta_update(new["metadata"], old["metadata"]))
    finalizers(errors, new["metadata"])
    return errors


def whole_metadata(obj: Mapping[str, Any]) -> Errors:
    """Check the metadata of a namespaced object once more, as some kinds do on update."""
    meta = obj["metadata"]
    errors = Errors(
        metadata.validate_meta(meta, namespaced=True, validate_name=names.subdomain_name)
    )
    finalizers(errors, meta)
    return errors
