"""What the specs of persistent volume claims have by default, and rules for them.

Pods and stateful sets hold such specs too.
"""

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.labels import check_selector, is_valid_selector
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.fielderror import Shown
from kedge.kube.metadata import FIELDS

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
# What the metadata of a template may not have, in Go's order.
NOT_IN_TEMPLATES = tuple(name for name in FIELDS if name not in {"labels", "annotations"})


def default_spec(spec: Object) -> None:
    """Fill in the spec of a claim."""
    spec.setdefault("volumeMode", "Filesystem")
    resources = spec.setdefault("resources", {})
    for name in ("limits", "requests"):
        if resources.get(name):
            amounts.round_all(resources[name])


def check_template(errors: Errors, path: str, template: Object) -> None:
    """Check the template of a claim that is made for a pod."""
    metadata = template.get("metadata") or {}
    fields.annotations(errors, f"{path}.metadata.annotations", metadata.get("annotations"))
    fields.labels(errors, f"{path}.metadata.labels", metadata.get("labels"))
    for name in NOT_IN_TEMPLATES:
        if metadata.get(name):
            errors.forbidden(f"{path}.metadata.{GO_NAMES.get(name, name)}", "cannot be set")
    check_spec(errors, f"{path}.spec", template.get("spec") or {})


# A field's path there is Go's name with a small first letter.
GO_NAMES = {"uid": "uID"}


def check_spec(errors: Errors, path: str, spec: Object, old: Object | None = None) -> None:
    """Check the spec of a claim; `old` is the spec it had, which lets some mistakes pass."""
    loose_selector = old is not None and not is_valid_selector(old.get("selector"))
    modes = spec.get("accessModes") or ()
    if not modes:
        errors.required(f"{path}.accessModes", "at least 1 access mode is required")
    if "selector" in spec:
        check_selector(errors, f"{path}.selector", spec["selector"], loose_selector)
    for mode in modes:
        if mode not in ACCESS_MODES:
            errors.unsupported(f"{path}.accessModes", mode, ACCESS_MODES)
    known = {mode for mode in modes if mode in ACCESS_MODES}
    if "ReadWriteOncePod" in known and len(known) > 1:
        what = "may not use ReadWriteOncePod with other access modes"
        errors.forbidden(f"{path}.accessModes", what)
    _check_storage(errors, f"{path}.resources[storage]", spec.get("resources") or {})
    if name := spec.get("storageClassName"):
        errors.each(f"{path}.storageClassName", name, names.dns_subdomain(name))
    mode = spec.get("volumeMode")
    fields.optional_enum(errors, f"{path}.volumeMode", mode, ("Block", "Filesystem"))
    _check_sources(errors, path, spec, old is not None and _names_group(old))
    if name := spec.get("volumeAttributesClassName"):
        errors.each(f"{path}.volumeAttributesClassName", name, names.dns_subdomain(name))


def _check_storage(errors: Errors, path: str, resources: Object) -> None:
    storage = (resources.get("requests") or {}).get("storage")
    if storage is None:
        errors.required(path)
    elif amounts.sign(storage) <= 0:
        errors.invalid(path, storage, fields.NOT_POSITIVE)


def _names_group(spec: Object) -> bool:
    sources = (spec.get("dataSource"), spec.get("dataSourceRef"))
    return any(source and source.get("apiGroup") is not None for source in sources)


def _check_sources(errors: Errors, path: str, spec: Object, loose: bool) -> None:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        _check_source(errors, f"{path}.dataSource", source, loose)
    if reference is not None:
        _check_source(errors, f"{path}.dataSourceRef", reference, loose)
        if namespace := reference.get("namespace"):
            problems = names.dns_label(namespace)
            errors.each(f"{path}.dataSourceRef.namespace", namespace, problems)
    if source is None or reference is None:
        return
    if reference.get("namespace"):
        what = "may not be specified when dataSourceRef.namespace is specified"
        errors.invalid(path, Shown("{}"), what)
    elif any(source.get(name) != reference.get(name) for name in ("apiGroup", "kind", "name")):
        errors.invalid(path, Shown("{}"), "must match dataSourceRef")


def _check_source(errors: Errors, path: str, source: Object, loose: bool) -> None:
    for name in ("name", "kind"):
        if not source.get(name):
            errors.required(f"{path}.{name}")
    group = source.get("apiGroup") or ""
    if group:
        if not loose:
            errors.each(f"{path}.apiGroup", group, names.dns_subdomain(group))
    elif source.get("kind") != "PersistentVolumeClaim":
        what = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        errors.invalid(path, source.get("kind", ""), what)


def claim_warnings(path: str, spec: Object) -> list[str]:
    """Warn of parts of a byte."""
    found: list[str] = []
    for name in ("requests", "limits"):
        amount = ((spec.get("resources") or {}).get(name) or {}).get("storage")
        if amount is not None:
            found += amounts.fraction_warning(f"{path}.resources.{name}[storage]", amount)
    return found
