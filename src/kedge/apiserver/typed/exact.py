"""Decode a value into a Go type to the letter: the first error, unknown and doubled fields.

This is the reference. The compiled decoder in plan.py takes the bodies that have nothing wrong with
them; what it can not take comes here, where each rule of encoding/json has its place.
"""

import math
from collections.abc import Iterable
from typing import Any

from kedge.apiserver.kinds.schemas import KEEPS_EMPTY
from kedge.apiserver.typed.custom import CUSTOM_TYPES, Within
from kedge.apiserver.typed.errors import TypeMismatch
from kedge.apiserver.typed.jsontext import Pairs
from kedge.apiserver.typed.untyped import untyped
from kedge.apiserver.typed.words import word
from kedge.apiserver.typed.zero import is_omitted, is_struct, zero, zero_value
from kedge.kube import base64text
from kedge.kube.goerror import GoError
from kedge.kube.gonumbers import INT32, INT64, as_json_number, number_text
from kedge.kube.gotext import quote
from kedge.kube.schema import Schema

MAX_STRICT = 100  # sigs.k8s.io/json keeps no more


def pairs(value: Any) -> Iterable[tuple[str, Any]]:
    """Keys and values of an object, in the order of the text."""
    found: Iterable[tuple[str, Any]] = value.items() if isinstance(value, dict) else value
    return found


class Strict:
    """Collects what a strict reader complains about, once each."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.found: dict[str, None] = {}

    def add(self, kind: str, path: str) -> None:
        """Note an `unknown` or `duplicate` field."""
        if len(self.found) < MAX_STRICT:
            self.found[f"{kind} field {quote(path)}"] = None


class Decoder:
    """One pass over one value. Of type errors the first counts, once all is read; as in Go."""

    def __init__(self) -> None:
        """Begin at the root."""
        self.strict = Strict()
        self.empties: list[Any] = []
        self._error: GoError | None = None
        self._mismatched: TypeMismatch | None = None
        self._struct = ""
        self._fields: list[str] = []

    def decode(self, schema: Schema, value: Any) -> Any:
        """Give the value as Go would write it; raises GoError."""
        try:
            result = self._value(schema, value, "")
        except TypeMismatch as exc:
            raise self._placed(exc) from None
        if self._error is not None:
            raise self._error
        return written(schema, result, self.empties)

    def decode_within(self, schema: Schema, value: Any) -> Any:
        """Decode a value within another, which will say where a TypeMismatch was."""
        result = self._value(schema, value, "")
        if self._error is not None:
            raise self._mismatched or self._error
        return written(schema, result)

    def _value(self, schema: Schema, value: Any, path: str, into: Any = None) -> Any:
        custom = CUSTOM_TYPES.get(schema.format)
        if custom is not None:
            # A type that reads its own JSON stops the whole decoding when it fails.
            return custom(value, within(schema))
        if value is None:
            return None if _is_nil(schema) else zero_value(schema)
        if schema.type == "object":
            return self._object(schema, value, path, into)
        if schema.type == "array":
            return self._array(schema, value, path)
        if schema.format == "byte":
            return self._bytes(schema, value)
        return self._scalar(schema, value, path)

    def _object(self, schema: Schema, value: Any, path: str, into: Any) -> Any:
        if not isinstance(value, dict | Pairs):
            return self._mismatch(schema, word(value))
        if is_struct(schema):
            return self._struct_value(schema, value, path, into if into is not None else {})
        assert schema.additional is not None
        result: dict[str, Any] = into if into is not None else {}
        seen = set()
        for key, item in pairs(value):
            if key in seen:
                self.strict.add("duplicate", _join(path, key))
            seen.add(key)
            result[key] = self._value(schema.additional, item, _join(path, key))
        return result

    def _struct_value(self, schema: Schema, value: Any, path: str, found: dict[str, Any]) -> Any:
        fields = schema.fields
        outer, depth = self._struct, len(self._fields)
        seen = set()
        for key, item in pairs(value):
            field = fields.get(key)
            if field is None:
                self.strict.add("unknown", _join(path, key))
                continue
            if key in seen:
                self.strict.add("duplicate", _join(path, key))
            seen.add(key)
            self._fields.append(key)
            self._struct = schema.name
            if item is not None:
                # A doubled key is decoded into what is there already: objects grow together.
                found[key] = self._value(field, item, _join(path, key), found.get(key))
            elif field.pointer or _is_nil(field):
                found[key] = None
            del self._fields[depth:]
            self._struct = outer
        return found

    def _array(self, schema: Schema, value: Any, path: str) -> Any:
        if not isinstance(value, list) or isinstance(value, Pairs):
            return self._mismatch(schema, word(value))
        assert schema.items is not None
        items = schema.items
        return [self._value(items, item, f"{path}[{index}]") for index, item in enumerate(value)]

    def _bytes(self, schema: Schema, value: Any) -> Any:
        if isinstance(value, list) and not isinstance(value, Pairs):
            return self._byte_list(value)
        if not isinstance(value, str):
            return self._mismatch(schema, word(value))
        try:
            return base64text.canonical(value)
        except GoError as exc:
            self._error = self._error or exc
            return None

    def _byte_list(self, value: list[Any]) -> Any:
        element = Schema(type="integer", format="uint8", go_type="uint8")
        read = bytes(self._scalar(element, item, "") or 0 for item in value)
        return base64text.write(read)

    def _scalar(self, schema: Schema, value: Any, path: str) -> Any:
        kind = schema.type
        if kind == "":
            return untyped(value, path, self.strict)
        if kind == "string" and isinstance(value, str):
            return value
        if kind == "boolean" and isinstance(value, bool):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self._mismatch(schema, word(value))
        if kind == "number" and not math.isinf(value):
            return as_json_number(value)
        if kind not in {"integer", "number"}:
            return self._mismatch(schema, "number")
        if isinstance(value, float) or value not in RANGES.get(schema.format, INT64):
            return self._mismatch(schema, f"number {number_text(value)}")
        return value

    def _mismatch(self, schema: Schema, what: str) -> Any:
        if self._error is None:
            self._mismatched = TypeMismatch(what, schema.go_type)
            self._error = self._placed(self._mismatched)
        return None

    def _placed(self, mismatch: TypeMismatch) -> GoError:
        if not self._fields:
            return mismatch
        return mismatch.at(self._struct, ".".join(self._fields))


def within(union: Schema) -> Within:
    """Give what reads the schema in a union: anew, so what is unknown is dropped without a word."""
    return lambda value: Decoder().decode_within(union.fields["schema"], value)


RANGES = {"int32": INT32, "uint8": range(256)}


def _is_nil(schema: Schema) -> bool:
    # Maps and slices become nil by a null; other values stay what they are.
    return schema.type == "array" or schema.format == "byte" or schema.additional is not None


def written(schema: Schema, value: Any, empties: list[Any] | None = None) -> Any:
    """Write the value of a place as Go does: fields in their order, empty ones left out.

    `empties` takes lists and maps that were left out: the object, the key and the value of each.
    """
    if value is None or schema.format in CUSTOM_TYPES:
        return value
    if is_struct(schema):
        return _written_struct(schema.fields, value, empties)
    if schema.additional is not None:
        element = schema.additional
        return {key: _written_element(element, value[key], empties) for key in sorted(value)}
    if schema.items is not None:
        return [_written_element(schema.items, item, empties) for item in value]
    return value


def _written_element(schema: Schema, value: Any, empties: list[Any] | None) -> Any:
    # Protobuf, in which objects are stored, has no element that is not there.
    return "" if value is None and schema.format == "byte" else written(schema, value, empties)


def _written_struct(
    fields: dict[str, Schema], found: dict[str, Any], empties: list[Any] | None
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, field in fields.items():
        value = given = written(field, found[name], empties) if name in found else zero(field)
        if value == [] and not field.omit_empty and KEEPS_EMPTY not in field.cache:
            value = None
        if not is_omitted(field, value):
            result[name] = value
            if value is given:
                continue
        if empties is not None and (given == [] or given == {}):
            empties.append((result, name, given))
    return result


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
