"""Put a plain object into a Go type as a strategic merge patch does: not by way of JSON."""

from typing import Any, Final

from kedge.apiserver.typed.custom import CUSTOM_TYPES
from kedge.apiserver.typed.decode import IGNORE, WARN, Decoded, Empty
from kedge.apiserver.typed.exact import within, written
from kedge.apiserver.typed.plan import Count, Irregular, plan_of
from kedge.apiserver.typed.zero import is_struct, zero_value
from kedge.kube import base64text
from kedge.kube.goerror import GoError
from kedge.kube.schema import Schema

_KINDS: Final[dict[type, str]] = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    list: "slice",
    dict: "map",
}
_GO_KINDS: Final = {"string": "string", "boolean": "bool", "number": "float64"}
_BITS: Final = {"int32": 32, "int64": 64}


def convert(schema: Schema, obj: dict[str, Any], mode: str = WARN) -> Decoded:
    """Convert an object, which is changed in place; raises GoError.

    `strict` of the result names the unknown fields, sorted.
    """
    try:
        count: Count = [0]
        return Decoded(plan_of(schema)(obj, count), [], count[1:])
    except Irregular:
        converter = _Converter()
        empties: list[Empty] = []
        result = written(schema, converter.value(schema, obj, ""), empties)
        return Decoded(result, [] if mode == IGNORE else sorted(converter.unknown), empties)


class _Converter:
    """One pass over one object, in the order of the fields of the type."""

    def __init__(self) -> None:
        self.unknown: list[str] = []

    def value(self, schema: Schema, value: Any, path: str) -> Any:
        if value is None:
            return zero_value(schema)
        custom = CUSTOM_TYPES.get(schema.format)
        if custom is not None:
            return custom(value, within(schema))
        if schema.format == "byte":
            return self._bytes(value)
        if schema.type == "object":
            return self._object(schema, value, path)
        if schema.type == "array":
            return self._array(schema, value, path)
        return _scalar(schema, value) if schema.type else value

    def _object(self, schema: Schema, value: Any, path: str) -> Any:
        if is_struct(schema):
            return self._struct(schema, value, path)
        if not isinstance(value, dict):
            raise GoError(f"cannot restore map from {_kind(value)}")
        assert schema.additional is not None
        return {key: self.value(schema.additional, item, path) for key, item in value.items()}

    def _struct(self, schema: Schema, value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise GoError(f"cannot restore struct from: {_kind(value)}")
        found = {
            name: self.value(field, value[name], f"{path}.{name}" if path else name)
            for name, field in schema.fields.items()
            if value.get(name) is not None
        }
        for name in value:
            if name not in schema.fields:
                self.unknown.append(
                    f'unknown field "{path}.{name}"' if path else f'unknown field "{name}"'
                )
        return found

    def _array(self, schema: Schema, value: Any, path: str) -> Any:
        if not isinstance(value, list):
            raise GoError(f"cannot restore slice from {_kind(value)}")
        assert schema.items is not None
        items = schema.items
        return [self.value(items, item, f"{path}[{index}]") for index, item in enumerate(value)]

    def _bytes(self, value: Any) -> Any:
        if isinstance(value, str):
            try:
                return base64text.canonical(value)
            except GoError as exc:
                raise GoError(f"error decoding from json: {exc.text}") from None
        if not isinstance(value, list):
            raise GoError(f"cannot restore slice from {_kind(value)}")
        element = Schema(type="integer", format="uint8", go_type="uint8")
        return base64text.write(bytes(_scalar(element, item) & 0xFF for item in value))


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "float64")


def _scalar(schema: Schema, value: Any) -> Any:
    target, source = schema.type, type(value)
    if target == "string":
        if source is str:
            return value
        if (
            source is int
        ):  # Go has a conversion from numbers to text, though not the one that is meant
            raise GoError(f"cannot convert int64 to {schema.go_type}")
    elif target == "boolean":
        if source is bool:
            return value
    elif source is int:
        return value if target == "number" else _wrapped(value, _BITS.get(schema.format, 64))
    elif isinstance(value, float):
        if target == "number":
            return value
        if value != int(value):
            raise GoError(f"cannot convert float64 to {schema.go_type}")
        return _wrapped(int(value), _BITS.get(schema.format, 64))
    raise GoError(f"unrecognized type: {_GO_KINDS.get(target, schema.format)}")


def _wrapped(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half
