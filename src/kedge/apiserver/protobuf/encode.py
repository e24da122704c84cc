"""Write objects as protobuf: one compiled function for each type.

Go writes fields in the order of their numbers, also those that are zero unless they are pointers,
and the keys of maps in order; so do these functions, to the byte.
"""

from binascii import a2b_base64
from collections.abc import Callable
from struct import pack
from typing import Any, Final

from kedge.apiserver.kinds.table import Node
from kedge.apiserver.protobuf.form import WRITERS
from kedge.apiserver.protobuf.message import Field, Message, form_of, message_of
from kedge.apiserver.protobuf.wire import (
    DELIMITED,
    FIXED64,
    VARINT,
    delimited,
    heads_of,
    tag_of,
    varint,
)

Write = Callable[[Any], bytes]
"""Gives the bytes of a value, with or without its tag."""
Entry = tuple[str, Write, bytes]
"""The name of a field, what writes it, and what is written where there is none."""

SCHEMA: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
_ONE_BYTE: Final = 0x80
_EMPTY: Final[dict[str, Any]] = {}
_writers: Final[dict[str, Write]] = {}


def write_message(component: str, obj: dict[str, Any]) -> bytes:
    """Write an object as the message of its type; raises KeyError for a type without one."""
    return _type(component)(obj)


def _type(component: str) -> Write:
    found = _writers.get(component)
    if found is None:
        message = message_of(component)
        entries: list[Entry] = []
        # Known before it is whole: a schema has schemas within.
        found = _writers[component] = _struct(entries, message)
        entries.extend(_entry(field) for field in message.fields)
    return found


def _struct(entries: list[Entry], message: Message) -> Write:
    if any(field.message for field in message.fields):
        return _mixed_struct(entries)

    def run(obj: dict[str, Any]) -> bytes:
        get = obj.get
        return b"".join(
            [
                absent if (value := get(name)) is None else write(value)
                for name, write, absent in entries
            ]
        )

    return run


def _mixed_struct(entries: list[Entry]) -> Write:
    """Write an object some of whose fields are in messages without a name."""

    def run(obj: dict[str, Any]) -> bytes:
        found = []
        for name, write, absent in entries:
            value = obj.get(name) if name else obj
            found.append(absent if value is None else write(value))
        return b"".join(found)

    return run


def _entry(field: Field) -> Entry:
    if field.message is not None:
        entries = [_entry(inner) for inner in field.message.fields]
        return "", _delimited(field.number, _struct(entries, field.message)), b""
    assert field.node is not None
    node = field.node
    if node.items is None:
        write, absent = _single(field.number, node)
        return field.name, write, b"" if field.pointer else absent
    if node.type == "map":
        return field.name, _map(field, node.items), b""
    one, _ = _single(field.number, node.items)
    if field.wrapped:
        one = _delimited(field.number, _list(_single(1, node.items)[0]))
        return field.name, one, b""
    return field.name, _list(one), b""


def _single(number: int, node: Node) -> tuple[Write, bytes]:
    """Give what writes a field with one value, and the field with the zero of its type."""
    if node.type == "integer":
        return _integer(tag_of(number, VARINT)), tag_of(number, VARINT) + b"\x00"
    if node.type == "boolean":
        tag = tag_of(number, VARINT)
        return _boolean(tag), tag + b"\x00"
    if node.type == "number":
        return _double(tag_of(number, FIXED64)), tag_of(number, FIXED64) + bytes(8)
    if node.format == "byte":
        return _delimited(number, a2b_base64), b""
    if node.type == "string":
        return _delimited(number, str.encode), delimited(number, b"")
    write, zero = _referred(node.ref)
    return _delimited(number, write), delimited(number, zero)


def _referred(component: str) -> tuple[Write, bytes]:
    form = form_of(component)
    if form in WRITERS:
        return WRITERS[form]
    if form in _UNIONS:
        return _UNIONS[form], b""
    write = _type(component)
    return write, write(_EMPTY)


def _delimited(number: int, content: Write) -> Write:
    heads, tag = heads_of(number), tag_of(number, DELIMITED)

    def run(value: Any) -> bytes:
        data = content(value)
        size = len(data)
        if size < _ONE_BYTE:
            return heads[size] + data
        return b"".join((tag, varint(size), data))

    return run


def _integer(tag: bytes) -> Write:
    def run(value: int) -> bytes:
        return tag + varint(value)

    return run


def _boolean(tag: bytes) -> Write:
    both = (tag + b"\x00", tag + b"\x01")

    def run(value: bool) -> bytes:
        return both[value]

    return run


def _double(tag: bytes) -> Write:
    def run(value: float) -> bytes:
        return tag + pack("<d", value)

    return run


def _list(one: Write) -> Write:
    def run(value: list[Any]) -> bytes:
        return b"".join([one(item) for item in value])

    return run


def _map(field: Field, node: Node) -> Write:
    if node.items is not None:
        # The values are lists: each a message of its own.
        value_of = _delimited(2, _list(_single(1, node.items)[0]))
        absent = delimited(2, b"")
    else:
        value_of, absent = _single(2, node)
    key_of = _delimited(1, str.encode)

    def pair(item: tuple[str, Any]) -> bytes:
        key, value = item
        return key_of(key) + (absent if value is None else value_of(value))

    one = _delimited(field.number, pair)

    def run(value: dict[str, Any]) -> bytes:
        return b"".join([one(item) for item in sorted(value.items())])

    return run


def _schema_or_bool(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"\x08\x01" if value else b"\x08\x00"
    return b"\x08\x01" + delimited(2, _type(SCHEMA)(value))


def _schema_or_array(value: Any) -> bytes:
    write = _type(SCHEMA)
    if isinstance(value, list):
        return b"".join([delimited(2, write(item)) for item in value])
    return delimited(1, write(value))


def _schema_or_strings(value: Any) -> bytes:
    if isinstance(value, list):
        return b"".join([delimited(2, item.encode()) for item in value])
    return delimited(1, _type(SCHEMA)(value))


_UNIONS: Final[dict[str, Write]] = {
    "schema-or-bool": _schema_or_bool,
    "schema-or-array": _schema_or_array,
    "schema-or-strings": _schema_or_strings,
}
