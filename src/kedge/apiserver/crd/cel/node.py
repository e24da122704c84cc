"""The tree of an expression. `at` is the place in the text that errors point to."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kedge.apiserver.crd.cel.types import ERROR, Type


@dataclass(slots=True, eq=False)
class Node:
    """Any expression. `type` is known after checking."""

    at: int
    type: Type = field(default=ERROR, init=False)


@dataclass(slots=True, eq=False)
class Literal(Node):
    """A constant."""

    value: Any
    kind: Type


@dataclass(slots=True, eq=False)
class Ident(Node):
    """A variable, or the name of a type."""

    name: str


@dataclass(slots=True, eq=False)
class Select(Node):
    """A field of an object or a key of a map; `test` asks only whether it is there."""

    operand: Node
    name: str
    test: bool = False


@dataclass(slots=True, eq=False)
class Call(Node):
    """A function, method or operator with its arguments."""

    function: str
    target: Node | None
    args: list[Node]
    overloads: list[str] = field(default_factory=list)
    """Which of the function's overloads may be meant; known after checking."""


@dataclass(slots=True, eq=False)
class ListLiteral(Node):
    """A list; the items at the positions in `optional` are left out where they hold nothing."""

    items: list[Node]
    optional: frozenset[int] = frozenset()


@dataclass(slots=True, eq=False)
class Entry:
    """One entry of a map."""

    at: int
    key: Node
    value: Node
    optional: bool = False


@dataclass(slots=True, eq=False)
class MapLiteral(Node):
    """A map."""

    entries: list[Entry]


@dataclass(slots=True, eq=False)
class StructLiteral(Node):
    """An object made by its type's name, which no schema allows."""

    name: str
    values: list[Node]


@dataclass(slots=True, eq=False)
class Comprehension(Node):
    """A loop that a macro stands for.

    `macro` and `parts` are what the user wrote and what is evaluated; the rest is checked.
    """

    macro: str
    parts: list[Node]
    over: Node
    variable: str
    second: str
    accumulator: str
    start: Node
    condition: Node
    step: Node
    result: Node


def parts_of(node: Node) -> Iterator[Node]:
    """Give the parts of an expression as the user wrote them."""
    if isinstance(node, Select):
        yield node.operand
    elif isinstance(node, Call):
        yield from [node.target] if node.target else []
        yield from node.args
    elif isinstance(node, ListLiteral):
        yield from node.items
    elif isinstance(node, MapLiteral):
        for entry in node.entries:
            yield entry.key
            yield entry.value
    elif isinstance(node, Comprehension):
        yield node.over
        yield from node.parts
