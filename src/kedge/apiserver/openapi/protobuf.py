"""OpenAPI 2 as a protobuf message: the only form that kubectl before 1.29 asks for."""

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

_json = msgspec.json.Encoder().encode

_LENGTH: Final = 2
"""The wire type of texts and messages."""

# Fields of Schema by what they hold; the numbers are those of gnostic's OpenAPIv2.proto.
_TEXTS: Final = {"$ref": 1, "format": 2, "title": 3, "description": 4, "pattern": 13}
_NUMBERS: Final = {"multipleOf": 6, "maximum": 7, "minimum": 9}
_FLAGS: Final = {"exclusiveMaximum": 8, "exclusiveMinimum": 10, "uniqueItems": 16}
_COUNTS: Final = {
    "maxLength": 11,
    "minLength": 12,
    "maxItems": 14,
    "minItems": 15,
    "maxProperties": 17,
    "minProperties": 18,
}
_METHODS: Final = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}


def encode(document: Mapping[str, Any]) -> bytes:
    """Write a document."""
    security = [_named(_text(1, name), b"") for one in document["security"] for name in one]
    return b"".join(
        [
            _text(1, document["swagger"]),
            _message(
                2, _text(1, document["info"]["title"]) + _text(2, document["info"]["version"])
            ),
            _message(8, _entries(2, document["paths"], _path)),
            _message(9, _entries(1, document["definitions"], _schema)),
            *(_message(12, _message(1, one)) for one in security),
            _message(13, _entries(1, document["securityDefinitions"], _security)),
        ]
    )


def _varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _message(number: int, body: bytes) -> bytes:
    return _varint(number << 3 | _LENGTH) + _varint(len(body)) + body


def _text(number: int, text: str) -> bytes:
    return _message(number, text.encode()) if text else b""


def _texts(number: int, texts: Iterable[str]) -> bytes:
    return b"".join(_message(number, text.encode()) for text in texts)


def _flag(number: int, value: object) -> bytes:
    return _varint(number << 3) + b"\x01" if value else b""


def _named(name: bytes, value: bytes) -> bytes:
    return name + _message(2, value)


def _entries(number: int, items: Mapping[str, Any], write: Callable[[Any], bytes]) -> bytes:
    return b"".join(
        _message(number, _named(_text(1, name), write(item))) for name, item in items.items()
    )


def _any(value: Any) -> bytes:
    # The message has a place for YAML, and JSON is YAML.
    return _message(2, _json(value))


def _extensions(number: int, items: Mapping[str, Any]) -> bytes:
    return _entries(
        number, {name: value for name, value in items.items() if name[:2] == "x-"}, _any
    )


def _schema(schema: Mapping[str, Any]) -> bytes:
    parts = [_text(_TEXTS[name], schema[name]) for name in _TEXTS if name in schema]
    parts += [
        _varint(number << 3 | 1) + struct.pack("<d", schema[name])
        for name, number in _NUMBERS.items()
        if name in schema
    ]
    parts += [_flag(number, schema.get(name)) for name, number in _FLAGS.items()]
    parts += [
        _varint(number << 3) + _varint(schema[name])
        for name, number in _COUNTS.items()
        if name in schema
    ]
    if "default" in schema:
        parts.append(_message(5, _any(schema["default"])))
    parts.append(_texts(19, schema.get("required", ())))
    parts += [_message(20, _any(value)) for value in schema.get("enum", ())]
    parts.append(_structure(schema))
    parts.append(_extensions(31, schema))
    return b"".join(parts)


def _structure(schema: Mapping[str, Any]) -> bytes:
    parts = []
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict):
        parts.append(_message(21, _message(1, _schema(additional))))
    elif additional is not None:
        parts.append(_message(21, _flag(2, additional)))
    if "type" in schema:
        parts.append(_message(22, _text(1, schema["type"])))
    if isinstance(schema.get("items"), dict):
        parts.append(_message(23, _message(1, _schema(schema["items"]))))
    parts += [_message(24, _schema(one)) for one in schema.get("allOf", ())]
    if schema.get("properties"):
        parts.append(_message(25, _entries(1, schema["properties"], _schema)))
    return b"".join(parts)


def _path(item: Mapping[str, Any]) -> bytes:
    parts = [
        _message(number, _operation(item[name]))
        for name, number in _METHODS.items()
        if name in item
    ]
    parts += [_message(9, _parameter(one)) for one in item.get("parameters", ())]
    return b"".join(parts)


def _operation(operation: Mapping[str, Any]) -> bytes:
    return b"".join(
        [
            _texts(1, operation["tags"]),
            _text(5, operation["operationId"]),
            _texts(6, operation["produces"]),
            _texts(7, operation["consumes"]),
            *(_message(8, _parameter(one)) for one in operation.get("parameters", ())),
            _message(9, _entries(1, operation["responses"], _response)),
            _texts(10, operation["schemes"]),
            _extensions(13, operation),
        ]
    )


def _response(response: Mapping[str, Any]) -> bytes:
    body = _text(1, response["description"])
    if "schema" in response:
        body += _message(2, _message(1, _schema(response["schema"])))
    return _message(1, body)


def _parameter(parameter: Mapping[str, Any]) -> bytes:
    required = _flag(4 if parameter["in"] == "body" else 1, parameter.get("required"))
    name, place = parameter["name"], parameter["in"]
    if place == "body":
        body = _text(2, name) + _text(3, place) + required
        return _message(1, _message(1, body + _message(5, _schema(parameter["schema"]))))
    # A query parameter has one field more than a path parameter, before its type.
    kind, of_type, unique = (3, 6, 20) if place == "query" else (4, 5, 19)
    body = required + _text(2, place) + _text(4, name) + _text(of_type, parameter["type"])
    body += _flag(unique, parameter.get("uniqueItems"))
    return _message(1, _message(2, _message(kind, body)))


def _security(item: Mapping[str, Any]) -> bytes:
    numbers = {"type": 1, "name": 2, "in": 3, "description": 4}
    return _message(2, b"".join(_text(number, item[name]) for name, number in numbers.items()))
