"""Macros: calls that stand for loops, presence tests and bindings of optional values."""

from collections.abc import Callable

from kedge.apiserver.crd.cel.node import (
    Call,
    Comprehension,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
)
from kedge.apiserver.crd.cel.types import BOOL, INT

ACCUMULATOR = "@result"
_TAKEN = (ACCUMULATOR, "__result__")
_UNUSED = "#unused"


class MacroError(Exception):
    """The macro is known, but not with these arguments."""

    def __init__(self, at: int, message: str) -> None:
        """Point to the argument."""
        super().__init__(message)
        self.at = at


Expand = Callable[[int, Node | None, list[Node]], Node]


def expand(at: int, function: str, target: Node | None, args: list[Node]) -> Node | None:
    """Give what a call stands for if it is a macro. Raises MacroError."""
    found = _MACROS.get((function, len(args), target is not None))
    return None if found is None else found(at, target, args)


def _accumulated(at: int) -> Ident:
    return Ident(at, ACCUMULATOR)


def _variable(node: Node, message: str) -> str:
    if not isinstance(node, Ident):
        raise MacroError(node.at, message)
    if node.name in _TAKEN:
        raise MacroError(node.at, "iteration variable overwrites accumulator variable")
    return node.name


def _has(at: int, target: Node | None, args: list[Node]) -> Node:
    if not isinstance(args[0], Select):
        raise MacroError(args[0].at, "invalid argument to has() macro")
    return Select(at, args[0].operand, args[0].name, test=True)


class _Loop:
    """The variables and the range of a loop that is being made."""

    def __init__(self, at: int, over: Node | None, first: str, second: str = "") -> None:
        assert over is not None
        self.at, self.over, self.first, self.second = at, over, first, second

    def make(
        self, macro: str, parts: list[Node], start: Node, step: Node, result: Node | None = None
    ) -> Comprehension:
        at = self.at
        condition: Node = Literal(at, True, BOOL)
        if macro in ("all", "exists"):
            test: Node = _accumulated(at)
            if macro == "exists":
                test = Call(at, "!_", None, [test])
            condition = Call(at, "@not_strictly_false", None, [test])
        ending = result or _accumulated(at)
        names = (self.first, self.second, ACCUMULATOR)
        return Comprehension(at, macro, parts, self.over, *names, start, condition, step, ending)

    def quantifier(self, macro: str, predicate: Node) -> Node:
        at = self.at
        if macro == "exists_one":
            more = Call(at, "_+_", None, [_accumulated(at), Literal(at, 1, INT)])
            step: Node = Call(at, "_?_:_", None, [predicate, more, _accumulated(at)])
            result = Call(at, "_==_", None, [_accumulated(at), Literal(at, 1, INT)])
            return self.make(macro, [predicate], Literal(at, 0, INT), step, result)
        operator = "_&&_" if macro == "all" else "_||_"
        step = Call(at, operator, None, [_accumulated(at), predicate])
        return self.make(macro, [predicate], Literal(at, macro == "all", BOOL), step)

    def listing(self, macro: str, item: Node, predicate: Node | None) -> Node:
        at = self.at
        step: Node = Call(at, "_+_", None, [_accumulated(at), ListLiteral(at, [item])])
        if predicate is not None:
            step = Call(at, "_?_:_", None, [predicate, step, _accumulated(at)])
        parts = [item] if predicate is None else [item, predicate]
        return self.make(macro, parts, ListLiteral(at, []), step)

    def mapping(self, macro: str, args: list[Node], predicate: Node | None) -> Node:
        at = self.at
        step: Node = Call(at, "cel.@mapInsert", None, [_accumulated(at), *args])
        if predicate is not None:
            step = Call(at, "_?_:_", None, [predicate, step, _accumulated(at)])
        parts = args if predicate is None else [*args, predicate]
        return self.make(macro, parts, MapLiteral(at, []), step)


def _quantifier(macro: str) -> Expand:
    def make(at: int, target: Node | None, args: list[Node]) -> Node:
        first = _variable(args[0], "argument must be a simple name")
        return _Loop(at, target, first).quantifier(macro, args[1])

    return make


def _map(at: int, target: Node | None, args: list[Node]) -> Node:
    first = _variable(args[0], "argument is not an identifier")
    predicate = args[1] if len(args) == 3 else None
    return _Loop(at, target, first).listing("map", args[-1], predicate)


def _filter(at: int, target: Node | None, args: list[Node]) -> Node:
    first = _variable(args[0], "argument is not an identifier")
    return _Loop(at, target, first).listing("map", args[0], args[1])


def _two(args: list[Node]) -> tuple[str, str]:
    names = []
    for node in args[:2]:
        if not isinstance(node, Ident):
            raise MacroError(node.at, "argument must be a simple name")
        names.append(node.name)
    if names[0] == names[1]:
        raise MacroError(args[1].at, f"duplicate variable name: {names[0]}")
    for node, name in zip(args[:2], names, strict=True):
        if name in _TAKEN:
            raise MacroError(node.at, "iteration variable overwrites accumulator variable")
    return names[0], names[1]


def _quantifier_of_two(macro: str) -> Expand:
    def make(at: int, target: Node | None, args: list[Node]) -> Node:
        return _Loop(at, target, *_two(args)).quantifier(macro, args[2])

    return make


def _transform_list(at: int, target: Node | None, args: list[Node]) -> Node:
    predicate = args[2] if len(args) == 4 else None
    return _Loop(at, target, *_two(args)).listing("map", args[-1], predicate)


def _transform_map(at: int, target: Node | None, args: list[Node]) -> Node:
    predicate = args[2] if len(args) == 4 else None
    loop = _Loop(at, target, *_two(args))
    return loop.mapping("transformMap", [Ident(at, loop.first), args[-1]], predicate)


def _transform_entry(at: int, target: Node | None, args: list[Node]) -> Node:
    predicate = args[2] if len(args) == 4 else None
    return _Loop(at, target, *_two(args)).mapping("transformMapEntry", [args[-1]], predicate)


def _optional(flat: bool) -> Expand:
    def make(at: int, target: Node | None, args: list[Node]) -> Node:
        assert target is not None
        name = "optFlatMap()" if flat else "optMap()"
        if not isinstance(args[0], Ident):
            raise MacroError(args[0].at, f"{name} variable name must be a simple identifier")
        value = Call(at, "value", target, [])
        empty = Literal(at, False, BOOL)
        loop = Comprehension(
            at,
            "bind",
            [value, args[1]],
            ListLiteral(at, []),
            _UNUSED,
            "",
            args[0].name,
            value,
            empty,
            Ident(at, args[0].name),
            args[1],
        )
        body: Node = loop if flat else Call(at, "optional.of", None, [loop])
        has = Call(at, "hasValue", target, [])
        none = Call(at, "optional.none", None, [])
        return Call(at, "_?_:_", None, [has, body, none])

    return make


_MACROS: dict[tuple[str, int, bool], Expand] = {
    ("has", 1, False): _has,
    ("all", 2, True): _quantifier("all"),
    ("exists", 2, True): _quantifier("exists"),
    ("exists_one", 2, True): _quantifier("exists_one"),
    ("map", 2, True): _map,
    ("map", 3, True): _map,
    ("filter", 2, True): _filter,
    ("all", 3, True): _quantifier_of_two("all"),
    ("exists", 3, True): _quantifier_of_two("exists"),
    ("exists_one", 3, True): _quantifier_of_two("exists_one"),
    ("existsOne", 3, True): _quantifier_of_two("exists_one"),
    ("transformList", 3, True): _transform_list,
    ("transformList", 4, True): _transform_list,
    ("transformMap", 3, True): _transform_map,
    ("transformMap", 4, True): _transform_map,
    ("transformMapEntry", 3, True): _transform_entry,
    ("transformMapEntry", 4, True): _transform_entry,
    ("optMap", 2, True): _optional(flat=False),
    ("optFlatMap", 2, True): _optional(flat=True),
}
