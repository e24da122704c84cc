"""Merge patch: an object over an object; null takes a field away.

RFC 7386 but for one thing, which is as Kubernetes does it: nulls inside the objects of a new list
go too, unless the list takes the place of an object.
"""

from typing import Any, Final

from kedge.kube.errors import BadRequest, invalid
from kedge.kube.fielderror import invalid as invalid_field
from kedge.kube.gotext import json_kind, to_json, type_text

_TYPE_META: Final = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; '
    r'Kind string "json:\"kind,omitempty\"" }'
)


def merge(target: Any, patch: Any) -> Any:
    """Lay the patch over the target."""
    if not isinstance(patch, dict):
        return patch if isinstance(target, dict) else without_nulls(patch)
    if not isinstance(target, dict):
        return without_nulls(patch)
    result = dict(target)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict | list):
            result[key] = merge(result.get(key), value)
        else:
            result[key] = value
    return result


def without_nulls(value: Any) -> Any:
    """Leave out null fields at every depth; nulls that are items of a list stay."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def check_merge_patch(patch: Any, *, strict: bool = True) -> dict[str, Any]:
    """Insist on an object, or raise the error; `strict` is field validation other than Ignore."""
    if isinstance(patch, dict):
        return patch
    if strict and patch is not None:
        told = f"json: cannot unmarshal {json_kind(patch)} into Go value of type"
        raise BadRequest(f"error decoding patch: {told} {type_text({})}")
    if isinstance(patch, list):  # the list takes the place of the whole object
        return check_object(without_nulls(patch))
    raise BadRequest("Invalid JSON Patch")


def check_object(patched: Any) -> dict[str, Any]:
    """Insist that a patch has left an object, or raise Invalid."""
    if isinstance(patched, dict):
        return patched
    told = (
        f"couldn't get version/kind; json parse error: json: cannot unmarshal {json_kind(patched)}"
    )
    rule = f"{told} into Go value of type {_TYPE_META}"
    raise invalid("", "", "", [invalid_field("patch", to_json(patched), rule)])
