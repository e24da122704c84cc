"""The spec of a CRD in Kubernetes' internal form: what all versions share stands above them.

Error messages follow that form: `spec.validation.openAPIV3Schema`, not `spec.versions[0].schema`.
"""

from typing import Any

Json = dict[str, Any]

_MOVED = (
    ("subresources", "subresources"),
    ("schema", "validation"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
)


def internal_spec(spec: Json) -> Json:
    """Move what all versions share to the spec itself; the argument stays as it is."""
    versions = [dict(version) for version in spec.get("versions") or ()]
    result = {**spec, "versions": versions, "isListed": spec.get("versions") is not None}
    if not versions:
        return result
    for name, above in _MOVED:
        first = versions[0].get(name)
        if all(is_alike(version.get(name), first) for version in versions):
            result[above] = first
            for version in versions:
                version.pop(name, None)
    return result


def is_alike(one: Any, other: Any) -> bool:
    """Compare as Go does semantically: no list and an empty one are the same."""
    return bool(_settled([one]) == _settled([other]))


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        settled = {name: _settled(item) for name, item in value.items()}
        return {name: item for name, item in settled.items() if item not in (None, [])}
    if isinstance(value, list):
        return [None if item == [] else _settled(item) for item in value]
    return value
