"""Rules for environment variables, and for the fields and resources that they refer to."""

from collections.abc import Sequence

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.resource import Object
from kedge.kube import formats, names

ENV_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
VOLUME_FIELDS = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
KNOWN_FIELDS = frozenset(
    (*ENV_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase")
)
RESOURCES = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
BYTE_DIVISORS = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"]
ONE_OF = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
ONLY_ONE = "may not have more than one field specified at a time"


def check_env(errors: Errors, path: str, variables: list[Object]) -> None:
    """Check a container's environment variables."""
    for index, variable in enumerate(variables):
        name = variable.get("name", "")
        if not name:
            errors.required(f"{path}[{index}].name")
        elif not (name.isascii() and name.isidentifier()):
            errors.each(f"{path}[{index}].name", name, formats.relaxed_environment_name(name))
        if "valueFrom" in variable:
            _check_source(errors, f"{path}[{index}].valueFrom", variable)


def _check_source(errors: Errors, path: str, variable: Object) -> None:
    source = variable["valueFrom"]
    count = 0
    if "fieldRef" in source:
        count += 1
        check_field(errors, f"{path}.fieldRef", source["fieldRef"], ENV_FIELDS)
    if "resourceFieldRef" in source:
        count += 1
        check_resource(errors, f"{path}.resourceFieldRef", source["resourceFieldRef"], False)
    for name in ("configMapKeyRef", "secretKeyRef"):
        if name in source:
            count += 1
            _check_key(errors, f"{path}.{name}", source[name])
    if count == 0:
        errors.invalid(path, "", ONE_OF)
    elif variable.get("value"):
        errors.invalid(path, "", "may not be specified when `value` is not empty")
    elif count > 1:
        errors.invalid(path, "", ONLY_ONE)


def check_env_from(errors: Errors, path: str, sources: list[Object]) -> None:
    """Check the sources from which a container takes all variables."""
    for index, source in enumerate(sources):
        if prefix := source.get("prefix"):
            errors.each(f"{path}[{index}].prefix", prefix, formats.relaxed_environment_name(prefix))
        count = 0
        for name in ("configMapRef", "secretRef"):
            if name in source:
                count += 1
                _check_name(errors, f"{path}[{index}].{name}.name", source[name].get("name", ""))
        if count == 0:
            errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif count > 1:
            errors.invalid(path, "", ONLY_ONE)


def _check_name(errors: Errors, path: str, name: str) -> None:
    if name:
        errors.each(path, name, names.subdomain_name(name, True))
    else:
        errors.required(path)


def _check_key(errors: Errors, path: str, reference: Object) -> None:
    name, key = reference.get("name", ""), reference.get("key", "")
    errors.each(f"{path}.name", name, names.dns_subdomain(name))
    if key:
        errors.each(f"{path}.key", key, names.data_key(key))
    else:
        errors.required(f"{path}.key")


def check_field(errors: Errors, path: str, reference: Object, allowed: Sequence[str]) -> None:
    """Check a reference to a field of the pod."""
    version, field = reference.get("apiVersion", ""), reference.get("fieldPath", "")
    if not version:
        errors.required(f"{path}.apiVersion")
        return
    if not field:
        errors.required(f"{path}.fieldPath")
        return
    name, key = _split_key(field)
    if problem := _field_problem(version, field, name, key):
        errors.invalid(f"{path}.fieldPath", field, f"error converting fieldPath: {problem}")
    elif key is not None:
        checked = key.lower() if name == "metadata.annotations" else key
        fields.qualified_name(errors, path, checked)
    elif name not in allowed:
        shown = "spec.nodeName" if name == "spec.host" else name
        if shown not in allowed:
            errors.unsupported(f"{path}.fieldPath", shown, allowed)


def _split_key(field: str) -> tuple[str, str | None]:
    """Split `metadata.labels['key']` into the field and the key."""
    if field.endswith("']"):
        name, found, key = field[:-2].partition("['")
        if found and name:
            return name, key
    return field, None


def _field_problem(version: str, field: str, name: str, key: str | None) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    if key is not None:
        known = name in ("metadata.annotations", "metadata.labels")
        return "" if known else f"field label does not support subscript: {field}"
    known = name in KNOWN_FIELDS or name == "spec.host"
    return "" if known else f"field label not supported: {field}"


def check_resource(errors: Errors, path: str, reference: Object, in_volume: bool) -> None:
    """Check a reference to a request or limit of a container."""
    resource = reference.get("resource", "")
    if in_volume and not reference.get("containerName"):
        errors.required(f"{path}.containerName")
    elif not resource:
        errors.required(f"{path}.resource")
    elif resource not in RESOURCES and not resource.startswith(HUGE_PAGES):
        errors.unsupported(f"{path}.resource", resource, RESOURCES)
    divisor = reference.get("divisor", "0")
    if divisor != "0" and amounts.sign(divisor):
        _check_divisor(errors, f"{path}.divisor", resource, divisor)


def _check_divisor(errors: Errors, path: str, resource: str, divisor: str) -> None:
    if resource in ("limits.cpu", "requests.cpu"):
        if divisor not in ("1m", "1"):
            what = "only divisor's values 1m and 1 are supported with the cpu resource"
            errors.invalid(path, resource, what)
        return
    if resource.endswith(".memory"):
        of = "memory"
    elif resource.endswith(".ephemeral-storage"):
        of = "local ephemeral storage"
    elif resource.startswith(HUGE_PAGES):
        of = "hugepages"
    else:
        return
    if divisor not in BYTE_DIVISORS:
        values = ", ".join(BYTE_DIVISORS)
        what = f"only divisor's values {values} are supported with the {of} resource"
        errors.invalid(path, resource, what)
