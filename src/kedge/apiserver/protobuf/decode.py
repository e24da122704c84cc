"""Read protobuf into plain values in the form of JSON: one compiled reader for each type.

What comes out is as Go would have it in memory: a zero that is no pointer is not told from an
absent value. The ordinary decoding of JSON then makes of it what the server keeps.
"""

from base64 import b64encode
from collections.abc import Callable
from struct import unpack_from
from typing import Any, Final

from kedge.apiserver.kinds.table import Node
from kedge.apiserver.protobuf.encode import SCHEMA
from kedge.apiserver.protobuf.form import READERS
from kedge.apiserver.protobuf.message import Field, Message, form_of, message_of
from kedge.apiserver.protobuf.wire import (
    DELIMITED,
    FIXED64,
    TRUNCATED,
    VARINT,
    check_tag,
    parts,
    read_length,
    read_varint,
    signed,
    skip,
    wrong_kind,
)
from kedge.kube.goerror import GoError

Values = dict[str, Any]
Store = Callable[[Values, bytes, int, int], int]
"""Reads a value that begins here into its object, and gives where it ends; raises GoError."""
Read = Callable[[bytes, int, int], Any]
"""Gives the value in a range of bytes; raises GoError."""

TOO_DEEP: Final = "proto: message is nested too deeply"
_readers: Final[dict[str, "Reader"]] = {}


def read_message(component: str, data: bytes, into: Values) -> Values:
    """Read the message of a type into an object; raises GoError."""
    try:
        return reader_of(component).read(data, 0, len(data), into)
    except RecursionError:
        raise GoError(TOO_DEEP) from None


def reader_of(component: str) -> "Reader":
    """Give the reader of a type; raises KeyError for a type that has no message."""
    found = _readers.get(component)
    if found is None:
        found = _readers[component] = Reader(message_of(component))
    return found


class Reader:
    """Reads one kind of message."""

    def __init__(self, message: Message) -> None:
        """Be ready for the fields of `message`, which are compiled when they are first met."""
        self.message = message
        self.stores: dict[int, Store] = {}
        """By tag."""
        self.fields = {field.number: field for field in message.fields}

    def read(self, data: bytes, pos: int, end: int, into: Values) -> Values:
        """Read the fields in a range of bytes into an object; raises GoError."""
        stores = self.stores
        while pos < end:
            begin = pos
            tag = data[pos]
            if tag < 0x80:
                pos += 1
            else:
                tag, pos = read_varint(data, pos, end)
            store = stores.get(tag) or self._compile(tag)
            pos = skip(data, begin, end) if store is None else store(into, data, pos, end)
        return into

    def _compile(self, tag: int) -> Store | None:
        field = self.fields.get(check_tag(tag, self.message.name))
        if field is None:
            return None
        stores = _stores(field)
        if tag & 7 not in stores:
            raise wrong_kind(tag, field.go)
        self.stores[tag] = store = stores[tag & 7]
        return store


def _stores(field: Field) -> dict[int, Store]:
    """Give what reads a field, by the kind of value that its tag announces."""
    if field.message is not None:
        return {DELIMITED: _inline(Reader(field.message))}
    node = field.node
    assert node is not None
    name = field.name
    if node.type == "map":
        assert node.items is not None
        return {DELIMITED: _map(name, node.items)}
    if node.items is None:
        return _single(name, node, field.pointer)
    if field.wrapped:
        return {DELIMITED: _put(name, _wrapped, keeps=True)}
    if node.items.type == "integer":
        number = _number(node.items)
        return {VARINT: _append_integer(name, number), DELIMITED: _packed(name, number)}
    return {DELIMITED: _append(name, _range(node.items))}


def _single(name: str, node: Node, keeps: bool) -> dict[int, Store]:
    if node.type in {"integer", "boolean"}:
        return {VARINT: _put_integer(name, _number(node), keeps)}
    if node.type == "number":
        return {FIXED64: _put_double(name)}
    if node.type == "ref" and form_of(node.ref) == "object":
        return {DELIMITED: _merge(name, node.ref)}
    # Bytes are there even if there are none of them.
    keeps = keeps or node.type == "ref" or node.format == "byte"
    return {DELIMITED: _put(name, _range(node), keeps)}


def _range(node: Node) -> Read:
    """Give what reads one value that has a length."""
    if node.type == "ref":
        return _referred(node.ref)
    return _bytes if node.format == "byte" else _text


def _referred(component: str) -> Read:
    form = form_of(component)
    if form in READERS:
        return READERS[form]
    if form in _UNIONS:
        return _UNIONS[form]
    reader = reader_of(component)

    def run(data: bytes, pos: int, stop: int) -> Values:
        return reader.read(data, pos, stop, {})

    return run


def _text(data: bytes, pos: int, stop: int) -> str:
    return data[pos:stop].decode(errors="replace")


def _bytes(data: bytes, pos: int, stop: int) -> str:
    return b64encode(data[pos:stop]).decode()


def _wrapped(data: bytes, pos: int, stop: int) -> list[str] | None:
    items = parts(data, pos, stop, "ExtraValue", {1: ("Items", DELIMITED)})
    return [_text(data, part.start, part.stop) for part in items] or None


def _number(node: Node) -> Callable[[int], int]:
    if node.type == "boolean":
        return bool
    bits = 32 if node.format == "int32" else 64
    return lambda number: signed(number, bits)


def _put(name: str, read: Read, keeps: bool) -> Store:
    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        pos, stop = read_length(data, pos, end)
        value = read(data, pos, stop)
        if value or (keeps and value is not None):
            into[name] = value
        else:
            into.pop(name, None)
        return stop

    return run


def _merge(name: str, component: str) -> Store:
    reader = reader_of(component)

    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        pos, stop = read_length(data, pos, end)
        into[name] = reader.read(data, pos, stop, into.get(name) or {})
        return stop

    return run


def _inline(reader: Reader) -> Store:
    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        pos, stop = read_length(data, pos, end)
        reader.read(data, pos, stop, into)
        return stop

    return run


def _append(name: str, read: Read) -> Store:
    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        pos, stop = read_length(data, pos, end)
        into.setdefault(name, []).append(read(data, pos, stop))
        return stop

    return run


def _put_integer(name: str, number: Callable[[int], int], keeps: bool) -> Store:
    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        value, pos = read_varint(data, pos, end)
        if value or keeps:
            into[name] = number(value)
        else:
            into.pop(name, None)
        return pos

    return run


def _append_integer(name: str, number: Callable[[int], int]) -> Store:
    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        value, pos = read_varint(data, pos, end)
        into.setdefault(name, []).append(number(value))
        return pos

    return run


def _packed(name: str, number: Callable[[int], int]) -> Store:
    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        pos, stop = read_length(data, pos, end)
        while pos < stop:
            value, pos = read_varint(data, pos, stop)
            into.setdefault(name, []).append(number(value))
        return stop

    return run


def _put_double(name: str) -> Store:
    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        if pos + 8 > end:
            raise GoError(TRUNCATED)
        (into[name],) = unpack_from("<d", data, pos)
        return pos + 8

    return run


def _map(name: str, node: Node) -> Store:
    value_of = _wrapped if node.items is not None else _range(node)
    fields = {1: ("Key", DELIMITED), 2: ("Value", DELIMITED)}

    def run(into: Values, data: bytes, pos: int, end: int) -> int:
        pos, stop = read_length(data, pos, end)
        key, value = "", None
        for part in parts(data, pos, stop, name, fields):
            if part.number == 1:
                key = _text(data, part.start, part.stop)
            else:
                value = value_of(data, part.start, part.stop)
        # An entry without a value has the zero of its type, which is what no bytes mean.
        into.setdefault(name, {})[key] = value_of(b"", 0, 0) if value is None else value
        return stop

    return run


def _schema_or_bool(data: bytes, pos: int, stop: int) -> Any:
    allows, schema = False, None
    fields = {1: ("Allows", VARINT), 2: ("Schema", DELIMITED)}
    for part in parts(data, pos, stop, "JSONSchemaPropsOrBool", fields):
        if part.number == 1:
            allows = bool(part.integer)
        else:
            schema = _schema(data, part.start, part.stop)
    return allows if schema is None else schema


def _schema_or_array(data: bytes, pos: int, stop: int) -> Any:
    schema, schemas = None, []
    fields = {1: ("Schema", DELIMITED), 2: ("JSONSchemas", DELIMITED)}
    for part in parts(data, pos, stop, "JSONSchemaPropsOrArray", fields):
        if part.number == 1:
            schema = _schema(data, part.start, part.stop)
        else:
            schemas.append(_schema(data, part.start, part.stop))
    return schemas or schema


def _schema_or_strings(data: bytes, pos: int, stop: int) -> Any:
    schema, texts = None, []
    fields = {1: ("Schema", DELIMITED), 2: ("Property", DELIMITED)}
    for part in parts(data, pos, stop, "JSONSchemaPropsOrStringArray", fields):
        if part.number == 1:
            schema = _schema(data, part.start, part.stop)
        else:
            texts.append(_text(data, part.start, part.stop))
    return texts or schema


def _schema(data: bytes, pos: int, stop: int) -> Values:
    return reader_of(SCHEMA).read(data, pos, stop, {})


_UNIONS: Final[dict[str, Read]] = {
    "schema-or-bool": _schema_or_bool,
    "schema-or-array": _schema_or_array,
    "schema-or-strings": _schema_or_strings,
}
