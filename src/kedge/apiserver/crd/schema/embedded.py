"""Objects within objects (x-kubernetes-embedded-resource): their metadata is typed and checked."""

from typing import Any

from kedge.apiserver.crd.schema.place import child
from kedge.apiserver.crd.schema.shape import Shape
from kedge.apiserver.kinds.schemas import OBJECT_META, schema_of
from kedge.apiserver.typed.decode import WARN, decode
from kedge.kube.fielderror import FieldError, invalid, required
from kedge.kube.goerror import GoError
from kedge.kube.metadata import validate_meta
from kedge.kube.names import dns_1035_label, path_segment

_UNKNOWN = "unknown field "


class MisplacedError(GoError):
    """The metadata of an embedded object does not decode."""

    def __init__(self, error: FieldError) -> None:
        """Keep the field error, whose text is Go's."""
        super().__init__(str(error))
        self.error = error


def has_embedded(shape: Shape | None) -> bool:
    """Say whether objects are embedded anywhere below the root."""
    if shape is None:
        return False
    parts = [*shape.properties.values(), shape.additional, shape.items]
    return any(part is not None and (part.embedded or has_embedded(part)) for part in parts)


def metadata_of(metadata: Any, mode: str = WARN) -> tuple[dict[str, Any] | None, list[str]]:
    """Decode metadata as Go does; give it with the paths of unknown fields. Raises GoError."""
    decoded = decode(schema_of(OBJECT_META), metadata, mode=mode)
    unknown = [text for text in decoded.strict if text.startswith(_UNKNOWN)]
    return decoded.obj, [text.removeprefix(_UNKNOWN).strip('"') for text in unknown]


def coerce(value: Any, shape: Shape | None, path: str = "") -> list[str]:
    """Decode the metadata of embedded objects in place; give the paths of unknown fields.

    The value itself is not looked at, only what is within it. Raises MisplacedError.
    """
    unknown: list[str] = []
    _coerce_parts(value, shape, path, unknown)
    return sorted(unknown)


def _coerce(value: Any, shape: Shape | None, path: str, unknown: list[str]) -> None:
    if shape is None:
        return
    if shape.embedded and isinstance(value, dict):
        _coerce_object(value, path, unknown)
    _coerce_parts(value, shape, path, unknown)


def _coerce_parts(value: Any, shape: Shape | None, path: str, unknown: list[str]) -> None:
    if shape is None:
        return
    if isinstance(value, dict):
        for name in sorted(value):
            if name in shape.properties:
                _coerce(value[name], shape.properties[name], child(path, name), unknown)
            else:
                _coerce(value[name], shape.additional, f"{path}[{name}]", unknown)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            _coerce(item, shape.items, f"{path}[{position}]", unknown)


def _coerce_object(value: dict[str, Any], path: str, unknown: list[str]) -> None:
    for name in ("apiVersion", "kind"):
        if name in value and not isinstance(value[name], str):
            raise MisplacedError(invalid(child(path, name), value[name], "must be a string"))
    if "metadata" not in value:
        return
    place = child(path, "metadata")
    try:
        metadata, found = metadata_of(value["metadata"])
    except GoError as exc:
        raise MisplacedError(invalid(place, value["metadata"], exc.text)) from None
    unknown += [f"{place}.{name}" for name in found]
    value["metadata"] = metadata or {}


def validate(value: Any, shape: Shape | None, path: str = "") -> list[FieldError]:
    """Check the type and the metadata of embedded objects; the root is checked elsewhere."""
    if shape is None:
        return []
    found: list[FieldError] = []
    if isinstance(value, dict):
        for name in sorted(value):
            part, place = shape.additional, f"{path}[{name}]"
            if name in shape.properties:
                part, place = shape.properties[name], child(path, name)
            found += _validate_part(value[name], part, place)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            found += _validate_part(item, shape.items, f"{path}[{position}]")
    return found


def _validate_part(value: Any, shape: Shape | None, path: str) -> list[FieldError]:
    own: list[FieldError] = []
    if shape is not None and shape.embedded and isinstance(value, dict):
        own = validate_object(value, path)
    return own + validate(value, shape, path)


def validate_object(value: dict[str, Any], path: str) -> list[FieldError]:
    """Check the type and the metadata of one embedded object."""
    names = ("apiVersion", "kind")
    found = [required(child(path, name)) for name in names if name not in value]
    if "apiVersion" in value:
        found += _api_version(value["apiVersion"], child(path, "apiVersion"))
    if "kind" in value:
        found += _kind(value["kind"], child(path, "kind"))
    if "metadata" in value:
        found += _metadata(value["metadata"], child(path, "metadata"))
    return found


def _api_version(value: Any, path: str) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid(path, value, "must be a string")]
    if not value:
        return [invalid(path, value, "must not be empty")]
    if value.count("/") > 1:
        return [invalid(path, value, f"unexpected GroupVersion string: {value}")]
    return []


def _kind(value: Any, path: str) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid(path, value, "must be a string")]
    if not value:
        return [invalid(path, value, "must not be empty")]
    problems = dns_1035_label(value.lower())
    rule = "may have mixed case, but should otherwise match: "
    return [invalid(path, value, rule + ",".join(problems))] if problems else []


def _metadata(value: Any, path: str) -> list[FieldError]:
    try:
        metadata, _ = metadata_of(value)
    except GoError as exc:
        return [invalid(path, value, exc.text)]
    metadata = dict(metadata or {})
    metadata["name"] = metadata.get("name") or "fakename"  # anything, for a name need not be given
    namespaced = bool(metadata.get("namespace"))
    return validate_meta(metadata, namespaced=namespaced, validate_name=path_segment, path=path)
