"""Where a custom resource keeps its replicas: read, checked and written by the CRD's paths."""

from typing import Any

from kedge.apiserver.resource import Object
from kedge.kube.errors import BadRequest, InternalError
from kedge.kube.fielderror import FieldError, invalid
from kedge.kube.gotext import quote, to_text, type_text

MAX_INT32 = 2**31 - 1
_SHOWN = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


class AccessError(ValueError):
    """A value on the path has another type; the text is Go's."""


def steps_of(path: str) -> list[str]:
    """Split a path; its leading dot does not count."""
    return path.removeprefix(".").split(".")


def find(obj: Any, path: str) -> tuple[Any, bool]:
    """Give the value at a path, and whether there is one. Raises AccessError."""
    steps = steps_of(path)
    for depth, name in enumerate(steps):
        if obj is None:
            return None, False
        if not isinstance(obj, dict):
            place = ".".join(["", *steps[: depth + 1]])
            raise AccessError(_text(place, obj, "map[string]interface{}"))
        if name not in obj:
            return None, False
        obj = obj[name]
    return obj, True


def _text(place: str, value: Any, wanted: str) -> str:
    kind = "<nil>" if value is None else type_text(value)
    return f"{place} accessor error: {to_text(value)} is of the type {kind}, expected {wanted}"


def find_integer(obj: Any, path: str) -> tuple[int, bool]:
    """Give the integer at a path, 0 if there is none. Raises AccessError."""
    value, found = find(obj, path)
    if not found:
        return 0, False
    if value.__class__ is not int:
        raise AccessError(_text(".".join(["", *steps_of(path)]), value, "int64"))
    return value, True


def find_text(obj: Any, path: str) -> str:
    """Give the text at a path, empty if there is none. Raises AccessError."""
    value, found = find(obj, path)
    if not found:
        return ""
    if not isinstance(value, str):
        raise AccessError(_text(".".join(["", *steps_of(path)]), value, "string"))
    return value


def validate_spec(obj: Object, scale: Object) -> list[FieldError]:
    """Check the number of replicas that is asked for."""
    return _replicas(obj, scale["specReplicasPath"])


def validate_status(obj: Object, scale: Object) -> list[FieldError]:
    """Check the number of replicas that there are, and their selector."""
    errors = _replicas(obj, scale["statusReplicasPath"])
    path = scale.get("labelSelectorPath")
    if path is not None:
        try:
            find_text(obj, path)
        except AccessError as exc:
            errors.append(invalid(path, "", str(exc)))
    return errors


def _replicas(obj: Object, path: str) -> list[FieldError]:
    try:
        value, _ = find_integer(obj, path)
    except AccessError as exc:
        return [invalid(path, 0, str(exc))]
    if value < 0:
        return [invalid(path, value, "should be a non-negative integer")]
    if value > MAX_INT32:
        return [invalid(path, value, f"should be less than or equal to {MAX_INT32}")]
    return []


def read_scale(obj: Object, scale: Object) -> tuple[Object, bool]:
    """Make the Scale of an object; say whether it has replicas. Raises AccessError."""
    replicas, found = find_integer(obj, scale["specReplicasPath"])
    current, _ = find_integer(obj, scale["statusReplicasPath"])
    selector = find_text(obj, scale["labelSelectorPath"]) if scale.get("labelSelectorPath") else ""
    meta = obj["metadata"]
    result = {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: meta[name] for name in _SHOWN if name in meta},
        "spec": {"replicas": replicas} if replicas else {},
        "status": {"replicas": current, **({"selector": selector} if selector else {})},
    }
    return result, found


def scale_of(obj: Object, scale: Object) -> Object:
    """Answer a GET of the scale; an object without replicas has none."""
    try:
        result, found = read_scale(obj, scale)
    except AccessError as exc:
        raise InternalError(f"Internal error occurred: {exc}") from None
    if not found:
        path = quote(scale["specReplicasPath"])
        raise InternalError(
            f"Internal error occurred: the spec replicas field {path} does not exist",
            {"causes": [{"message": f"the spec replicas field {path} does not exist"}]},
        )
    return result


def with_replicas(obj: Object, scale: Object, asked: Object, had_replicas: bool) -> Object:
    """Make the object that a Scale asks for, on a copy."""
    replicas = (asked.get("spec") or {}).get("replicas")
    if replicas is None and not had_replicas:
        path = quote(scale["specReplicasPath"])
        raise BadRequest(f"the spec replicas field {path} cannot be empty")
    result = {**obj, "metadata": {**obj["metadata"]}}
    *above, last = steps_of(scale["specReplicasPath"])
    place = result
    for name in above:
        place[name] = dict(place.get(name) or {})
        place = place[name]
    place[last] = replicas or 0
    version = (asked.get("metadata") or {}).get("resourceVersion")
    if version:
        result["metadata"]["resourceVersion"] = version
    return result
