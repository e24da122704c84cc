"""Rules for the metadata of an object, new or changed.

Metadata is expected to be decoded: each field is of its type or absent.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kedge.kube.fielderror import FieldError, forbidden, invalid, required, too_long, typed
from kedge.kube.gotext import Struct, quote
from kedge.kube.names import (
    NameCheck,
    is_label_value,
    is_qualified_name,
    label_name,
    label_value,
    qualified_name,
    size,
)
from kedge.kube.times import TimeError, canonical_time

Meta = Mapping[str, Any]

FIELDS: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
"""The fields of metadata, in the order in which Go writes them."""
ANNOTATIONS_LIMIT: Final = 256 * 1024
MANAGER_LIMIT: Final = 128
SUBRESOURCE_LIMIT: Final = 256
IMMUTABLE: Final = "field is immutable"
MOST_CONTROLLERS: Final = 100
"""References to a second controller of which each is told: with all the others in its text."""
ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"


def validate_meta(
    meta: Meta, *, namespaced: bool, validate_name: NameCheck, path: str = "metadata"
) -> list[FieldError]:
    """Check the metadata of a new object, whose name has been generated."""
    errors = _names(meta, validate_name, path)
    errors += _namespace(meta.get("namespace") or "", namespaced, f"{path}.namespace")
    generation = meta.get("generation") or 0
    if generation < 0:
        rule = "must be greater than or equal to 0"
        errors.append(invalid(f"{path}.generation", generation, rule))
    errors += _changeable(meta, path)
    finalizers = meta.get("finalizers")
    if finalizers:
        errors += validate_finalizers(finalizers, f"{path}.finalizers")
    managed = meta.get("managedFields")
    if managed:
        errors += validate_managed_fields(managed, f"{path}.managedFields")
    return errors


def validate_meta_update(new: Meta, old: Meta, path: str = "metadata") -> list[FieldError]:
    """Check what may change in the metadata of an object, and what must not."""
    errors = []
    if old.get("deletionTimestamp"):
        errors += _no_new_finalizers(new, old, f"{path}.finalizers")
    if not new.get("resourceVersion"):
        errors.append(invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    generation = new.get("generation") or 0
    if generation < (old.get("generation") or 0):
        errors.append(invalid(f"{path}.generation", generation, "must not be decremented"))
    errors += _immutable(new, old, path)
    errors += _changeable(new, path)
    managed = new.get("managedFields")
    if managed:
        errors += validate_managed_fields(managed, f"{path}.managedFields")
    return errors


def _names(meta: Meta, validate_name: NameCheck, path: str) -> list[FieldError]:
    errors = []
    base = meta.get("generateName")
    if base:
        field = f"{path}.generateName"
        errors += [invalid(field, base, problem) for problem in validate_name(base, True)]
    name = meta.get("name")
    if not name:
        errors.append(required(f"{path}.name", "name or generateName is required"))
    else:
        problems = validate_name(name, False)
        if problems:
            errors += [invalid(f"{path}.name", name, problem) for problem in problems]
    return errors


def _namespace(namespace: str, namespaced: bool, path: str) -> list[FieldError]:
    if namespaced:
        if not namespace:
            return [required(path)]
        return [invalid(path, namespace, problem) for problem in label_name(namespace)]
    return [forbidden(path, "not allowed on this type")] if namespace else []


def _changeable(meta: Meta, path: str) -> list[FieldError]:
    """Check what every write may set."""
    errors = []
    labels = meta.get("labels")
    if labels:
        errors += validate_labels(labels, f"{path}.labels")
    annotations = meta.get("annotations")
    if annotations:
        errors += validate_annotations(annotations, f"{path}.annotations")
    owners = meta.get("ownerReferences")
    if owners:
        errors += validate_owners(owners, f"{path}.ownerReferences")
    return errors


def validate_labels(labels: Mapping[str, str], path: str) -> list[FieldError]:
    """Check keys and values of labels."""
    errors: list[FieldError] = []
    for key, value in labels.items():
        if not is_qualified_name(key):
            errors += [invalid(path, key, problem) for problem in qualified_name(key)]
        if not is_label_value(value):
            errors += [invalid(path, value, problem) for problem in label_value(value)]
    return errors


def validate_annotations(annotations: Mapping[str, str], path: str) -> list[FieldError]:
    """Check keys of annotations, where case does not matter, and the size of all together."""
    errors: list[FieldError] = []
    total = 0
    for key, value in annotations.items():
        total += len(key) + len(value)
        if not is_qualified_name(key):
            errors += [invalid(path, key, problem) for problem in qualified_name(key.lower())]
    if total * 4 > ANNOTATIONS_LIMIT:  # a character has four bytes at most: count them
        total = sum(size(key) + size(value) for key, value in annotations.items())
        if total > ANNOTATIONS_LIMIT:
            errors.append(too_long(path, ANNOTATIONS_LIMIT))
    return errors


def validate_owners(owners: Sequence[Mapping[str, Any]], path: str) -> list[FieldError]:
    """Check owner references: complete, no Event, one controller at most."""
    errors: list[FieldError] = []
    first = ""
    for owner in owners:
        errors += _owner(owner, path)
        if owner.get("controller"):
            this = f"{owner.get('kind') or ''}/{owner.get('name') or ''}"
            if first and len(errors) < MOST_CONTROLLERS:
                rule = "Only one reference can have Controller set to true"
                found = f'Found "true" in references for {first} and {this}'
                errors.append(invalid(path, [*map(_struct, owners)], f"{rule}. {found}"))
            first = first or this
    return errors


def _owner(owner: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = []
    api_version, kind = owner.get("apiVersion") or "", owner.get("kind") or ""
    if not _version(api_version):
        errors.append(invalid(f"{path}.apiVersion", api_version, "version must not be empty"))
    if not kind:
        errors.append(invalid(f"{path}.kind", kind, "must not be empty"))
    if not owner.get("name"):
        errors.append(invalid(f"{path}.name", "", "must not be empty"))
    if not owner.get("uid"):
        errors.append(invalid(f"{path}.uid", "", "must not be empty"))
    if api_version in ("v1", "/v1") and kind == "Event":
        rule = "/v1, Kind=Event is disallowed from being an owner"
        errors.append(invalid(path, _struct(owner), rule))
    return errors


def _version(api_version: str) -> str:
    """Take the version of `group/version`; nothing if it is not written so."""
    parts = api_version.split("/")
    return parts[-1] if len(parts) < 3 else ""


def _struct(owner: Mapping[str, Any]) -> Struct:
    shown = Struct({key: owner.get(key) or "" for key in ("apiVersion", "kind", "name", "uid")})
    for key in ("controller", "blockOwnerDeletion"):
        if owner.get(key) is not None:
            shown[key] = owner[key]
    return shown


def validate_finalizers(finalizers: Sequence[str], path: str) -> list[FieldError]:
    """Check names of finalizers, and that not both ways to treat dependents are asked for."""
    errors: list[FieldError] = []
    for name in finalizers:
        errors += [invalid(path, name, problem) for problem in qualified_name(name)]
    if ORPHAN in finalizers and FOREGROUND in finalizers:
        rule = f"finalizer {ORPHAN} and {FOREGROUND} cannot be both set"
        errors.append(invalid(path, list(finalizers), rule))
    return errors


def _no_new_finalizers(new: Meta, old: Meta, path: str) -> list[FieldError]:
    added = set(new.get("finalizers") or ()) - set(old.get("finalizers") or ())
    if not added:
        return []
    names = ", ".join(map(quote, sorted(added)))
    rule = "no new finalizers can be added if the object is being deleted"
    return [forbidden(path, f"{rule}, found new finalizers []string{{{names}}}")]


def _immutable(new: Meta, old: Meta, path: str) -> list[FieldError]:
    errors = []
    for key in ("name", "namespace"):
        value = new.get(key) or ""
        if value != (old.get(key) or ""):
            errors.append(invalid(f"{path}.{key}", value, IMMUTABLE))
    uid = new.get("uid") or ""
    if uid != (old.get("uid") or ""):
        errors.append(invalid(f"{path}.uid", typed(uid), IMMUTABLE))
    for key in ("creationTimestamp", "deletionTimestamp"):
        value = new.get(key)
        if value != old.get(key) and not _same_time(value, old.get(key)):
            shown = typed(canonical) if (canonical := _canonical(value)) else None
            errors.append(invalid(f"{path}.{key}", shown, IMMUTABLE))
    seconds = new.get("deletionGracePeriodSeconds")
    if seconds != old.get("deletionGracePeriodSeconds"):
        errors.append(invalid(f"{path}.deletionGracePeriodSeconds", seconds, IMMUTABLE))
    return errors


def _same_time(one: str | None, other: str | None) -> bool:
    return _canonical(one) == _canonical(other)


def _canonical(time: str | None) -> str | None:
    try:
        return canonical_time(time) if time else None
    except TimeError:
        return time


def validate_manager(manager: str, path: str) -> list[FieldError]:
    """Check the name of a field manager: 128 bytes, all printable."""
    errors = []
    if size(manager) > MANAGER_LIMIT:
        errors.append(too_long(path, MANAGER_LIMIT))
    if not manager.isprintable():
        position = 0
        for char in manager:
            if not char.isprintable():
                rule = f"invalid character U+{ord(char):04X} (at position {position})"
                errors.append(invalid(path, manager, rule))
            position += size(char)
    return errors


def validate_managed_fields(entries: Sequence[Mapping[str, Any]], path: str) -> list[FieldError]:
    """Check the entries of metadata.managedFields, but for the fields they name."""
    errors: list[FieldError] = []
    for index, entry in enumerate(entries):
        field = f"{path}[{index}]"
        operation = entry.get("operation") or ""
        if operation not in ("Apply", "Update"):
            rule = "must be `Apply` or `Update`"
            errors.append(invalid(f"{field}.operation", typed(operation), rule))
        kind = entry.get("fieldsType")
        if kind and kind != "FieldsV1":
            errors.append(invalid(f"{field}.fieldsType", kind, "must be `FieldsV1`"))
        errors += validate_manager(entry.get("manager") or "", f"{field}.manager")
        if size(entry.get("subresource") or "") > SUBRESOURCE_LIMIT:
            errors.append(too_long(f"{field}.subresource", SUBRESOURCE_LIMIT))
    return errors
