"""The messages of the built-in kinds: which field of a type is written under which number.

tools/proto_types writes fields.json and describes its format. What the fields hold is told by the
table of built-in kinds.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from kedge.apiserver.kinds.table import FieldInfo, Node, builtin

DATA = Path(__file__).with_name("fields.json")
WRAPPED = "*"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message."""

    number: int
    name: str
    """The JSON name; empty for a message whose fields are the type's own in JSON."""
    go: str
    """Go's name of it."""
    node: Node | None = None
    pointer: bool = False
    wrapped: bool = False
    """A list, or each value of a map, is a message of its own that has the elements in field 1."""
    message: "Message | None" = None
    """What is in a field without a name."""


@dataclass(frozen=True, slots=True)
class Message:
    """The fields of a type in the order of their numbers, in which Go writes them."""

    name: str
    fields: tuple[Field, ...]


class _TypeData(Struct, frozen=True):
    fields: tuple[FieldInfo, ...] = ()


class _Data(Struct, frozen=True):
    numbers: dict[str, msgspec.Raw]
    within: dict[str, dict[str, str]]
    types: dict[str, _TypeData]
    kinds: dict[str, str]


@cache
def _data() -> _Data:
    return msgspec.json.decode(DATA.read_bytes(), type=_Data)


def component_of(api_version: str, kind: str) -> str | None:
    """Name the type of a kind; None for kinds that are not built in."""
    found = builtin().component_of(api_version, kind)
    return found or _data().kinds.get(f"{api_version}/{kind}")


def is_message(component: str) -> bool:
    """Whether a type can be written as protobuf: a Table can not."""
    return component in _data().numbers


def form_of(component: str) -> str:
    """Tell what a type is: an object, or one of the types with a form of their own."""
    return "object" if component in _data().types else builtin().type(component).form


@cache
def message_of(component: str) -> Message:
    """Give the message of a type; raises KeyError for types that have none."""
    data = _data()
    numbers: dict[str, str] = msgspec.json.decode(data.numbers[component], type=dict[str, str])
    fields = _fields_of(component)
    found = [_field(fields[name], text) for name, text in numbers.items() if name in fields]
    name = component.rpartition(".")[2]
    return _message(name, found, (), data.within.get(component, {}))


def _fields_of(component: str) -> dict[str, FieldInfo]:
    extra = _data().types.get(component)
    if extra is not None:
        return {field.name: field for field in extra.fields}
    return builtin().type(component).fields


Placed = tuple[tuple[int, ...], Field]


def _field(info: FieldInfo, text: str) -> Placed:
    at, _, go = text.partition(" ")
    wrapped = at.endswith(WRAPPED)
    path = tuple(int(number) for number in at.rstrip(WRAPPED).split("."))
    go = go or info.name[:1].upper() + info.name[1:]
    return path, Field(path[-1], info.name, go, info, info.pointer, wrapped)


def _message(
    name: str, fields: list[Placed], path: tuple[int, ...], within: dict[str, str]
) -> Message:
    depth = len(path)
    own = [field for at, field in fields if at[:-1] == path]
    deeper = sorted({at[depth] for at, _ in fields if at[:depth] == path and len(at) > depth + 1})
    for number in deeper:
        inner = (*path, number)
        go = within[".".join(map(str, inner))]
        own.append(Field(number, "", go, message=_message(go, fields, inner, within)))
    return Message(name, tuple(sorted(own, key=lambda field: field.number)))
