"""From a checked expression to a function that gives its value.

Variables stand in a list, and every name has its place there; a function takes that list.
"""

from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.cel import types
from kedge.apiserver.crd.cel.function import FUNCTIONS, TypeValue, guarded
from kedge.apiserver.crd.cel.loop import (
    LOOPS,
    MAX_STEPS,
    TOO_MUCH,
    Frame,
    Run,
    boolean,
    pairs,
    singles,
)
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
from kedge.apiserver.crd.cel.reading import Read, equal, equality_of, merged, reader_of
from kedge.apiserver.crd.cel.signature import TYPE_NAMES
from kedge.apiserver.crd.cel.types import Type
from kedge.apiserver.crd.cel.value import (
    NOTHING,
    CelError,
    CostError,
    Optional,
    no_such_overload,
)


class Program:
    """An expression ready to be evaluated."""

    def __init__(self, node: Node, names: tuple[str, ...]) -> None:
        """Compile it; `names` are the variables, in the order of `run`'s arguments."""
        compiler = _Compiler(list(names))
        self._run = compiler.compile(node)
        self._size = compiler.size

    def run(self, *values: Any) -> Any:
        """Evaluate. Raises CelError, and CostError where it takes too long."""
        frame = [*values, *([None] * (self._size - len(values))), MAX_STEPS]
        try:
            return self._run(frame)
        except RecursionError:
            raise CostError(TOO_MUCH) from None


class _Compiler:
    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.size = len(names)

    def compile(self, node: Node) -> Run:
        """Make the function of an expression."""
        if isinstance(node, Literal):
            value = node.value
            return lambda frame: value
        if isinstance(node, Ident):
            return self.ident(node)
        if isinstance(node, Select):
            return self.select(node)
        if isinstance(node, Call):
            return self.call(node)
        if isinstance(node, ListLiteral):
            return self.list_literal(node)
        if isinstance(node, MapLiteral):
            return self.map_literal(node)
        assert isinstance(node, Comprehension)
        return self.comprehension(node)

    def ident(self, node: Ident) -> Run:
        """Read a variable, or name a type."""
        for place in range(len(self.names) - 1, -1, -1):
            if self.names[place] == node.name:
                return lambda frame: frame[place]
        named = TypeValue(node.name.removeprefix("."))
        return lambda frame: named

    def select(self, node: Select) -> Run:
        """Read a field, or ask whether it is there."""
        if isinstance(node.type, Type) and node.type.kind == "type" and not node.test:
            name = _dotted(node)
            if name in TYPE_NAMES:
                return lambda frame: TypeValue(name)
        operand = self.compile(node.operand)
        kind, optional = types.unwrapped(node.operand.type)
        read = _field(kind, node.name)
        if optional:
            return _through_optional(operand, read, node.test)
        if node.test:
            return lambda frame: read(operand(frame)) is not _ABSENT

        def run(frame: Frame) -> Any:
            value = read(operand(frame))
            if value is _ABSENT:
                raise CelError(f"no such key: {node.name}")
            return value

        return run

    def call(self, node: Call) -> Run:
        """Make a call; operators with their own rules of evaluation come first."""
        special = _SPECIAL.get(node.function)
        if special is not None:
            return special(self, node)
        nodes = ([node.target] if node.target else []) + node.args
        # Operators look at their operands themselves.
        is_open = node.function[0].isalpha() and any(one.type.is_dyn for one in nodes)
        function = guarded(node.function) if is_open else FUNCTIONS[node.function]
        args = [self.compile(one) for one in nodes]
        if len(args) == 1:
            only = args[0]
            return lambda frame: function(only(frame))
        if len(args) == 2:
            first, second = args
            return lambda frame: function(first(frame), second(frame))
        return lambda frame: function(*(arg(frame) for arg in args))

    def both(self, node: Call) -> tuple[Run, Run]:
        """Compile two arguments."""
        return self.compile(node.args[0]), self.compile(node.args[1])

    def list_literal(self, node: ListLiteral) -> Run:
        """Make a list."""
        items = [self.compile(item) for item in node.items]
        optional = node.optional
        if not optional:
            return lambda frame: [item(frame) for item in items]

        def run(frame: Frame) -> Any:
            found = []
            for position, item in enumerate(items):
                value = item(frame)
                if position not in optional:
                    found.append(value)
                elif value.is_there:
                    found.append(value.value)
            return found

        return run

    def map_literal(self, node: MapLiteral) -> Run:
        """Make a map."""
        entries = [
            (self.compile(one.key), self.compile(one.value), one.optional) for one in node.entries
        ]

        def run(frame: Frame) -> Any:
            found: dict[Any, Any] = {}
            for key, value, optional in entries:
                name, item = key(frame), value(frame)
                if optional:
                    if not item.is_there:
                        continue
                    item = item.value
                found[name] = item
            return found

        return run

    def comprehension(self, node: Comprehension) -> Run:
        """Make a loop."""
        over = self.compile(node.over)
        depth = len(self.names)
        if node.macro == "bind":
            value = self.compile(node.parts[0])
            self.names.append(node.accumulator)
            self.size = max(self.size, len(self.names))
            body = self.compile(node.parts[1])
            del self.names[depth:]

            def bind(frame: Frame) -> Any:
                frame[depth] = value(frame)
                return body(frame)

            return bind
        self.names.append(node.variable)
        if node.second:
            self.names.append(node.second)
        self.size = max(self.size, len(self.names))
        parts = [self.compile(part) for part in node.parts]
        del self.names[depth:]
        steps = pairs(over, depth) if node.second else singles(over, depth)
        return LOOPS[node.macro](steps, parts)


_ABSENT = object()


def _dotted(node: Node) -> str:
    if isinstance(node, Select):
        return f"{_dotted(node.operand)}.{node.name}"
    return node.name if isinstance(node, Ident) else ""


def _field(kind: Type, name: str) -> Read:
    """Make the reading of one field."""
    if kind.kind != "struct":
        return lambda value: _key(value, name)
    declaration = kind.declaration
    known = declaration.find(name)
    key, convert = declaration.names[known], reader_of(declaration.fields[known])

    def read(value: Any) -> Any:
        if value.__class__ is not dict:
            raise no_such_overload()
        found = value.get(key)
        if found is None:
            return _ABSENT
        return found if convert is None else convert(found)

    return read


def _key(value: Any, name: Any) -> Any:
    if value.__class__ is not dict:
        raise no_such_overload()
    return value.get(name, _ABSENT)


def _through_optional(operand: Run, read: Read, test: bool) -> Run:
    def run(frame: Frame) -> Any:
        value = operand(frame)
        found = read(value.value) if value.is_there else _ABSENT
        if test:
            return found is not _ABSENT
        return NOTHING if found is _ABSENT else Optional(found, True)

    return run


def _logic(stop: bool) -> Callable[[_Compiler, Call], Run]:
    """Make && (stops at false) or || (stops at true): what decides wins over an error."""

    def make(compiler: _Compiler, node: Call) -> Run:
        left, right = compiler.both(node)

        def run(frame: Frame) -> bool:
            try:
                if boolean(left(frame)) is stop:
                    return stop
            except CelError:
                if boolean(right(frame)) is stop:
                    return stop
                raise
            return boolean(right(frame))

        return run

    return make


def _choice(compiler: _Compiler, node: Call) -> Run:
    test, yes, no = (compiler.compile(arg) for arg in node.args)
    return lambda frame: yes(frame) if boolean(test(frame)) else no(frame)


def _equality(negative: bool) -> Callable[[_Compiler, Call], Run]:
    def make(compiler: _Compiler, node: Call) -> Run:
        left, right = compiler.both(node)
        compare = _comparison(node.args[0].type, node.args[1].type)
        if negative:
            return lambda frame: not compare(left(frame), right(frame))
        return lambda frame: compare(left(frame), right(frame))

    return make


def _comparison(left: Type, right: Type) -> Callable[[Any, Any], bool]:
    """Choose how two values are compared: by their schema if one of them has one."""
    for kind in (left, right):
        if kind.declaration is not None:
            return equality_of(kind.declaration)
    for kind in (left, right):
        if kind.kind == "list" and kind.params[0].declaration is not None:
            item = equality_of(kind.params[0].declaration)
            return lambda one, other: len(one) == len(other) and all(map(item, one, other))
    return equal


def _membership(compiler: _Compiler, node: Call) -> Run:
    item, within = compiler.both(node)
    kind = node.args[1].type
    part = kind.params[0] if kind.kind == "list" else types.DYN
    compare = _comparison(part, node.args[0].type)

    def run(frame: Frame) -> bool:
        value, held = item(frame), within(frame)
        if held.__class__ is dict:
            return value.__class__ not in (bool, list, dict) and value in held
        if held.__class__ is not list:
            raise no_such_overload()
        return any(compare(one, value) for one in held)

    return run


def _addition(compiler: _Compiler, node: Call) -> Run:
    left, right = compiler.both(node)
    declaration = node.args[0].type.declaration
    if declaration is not None and declaration.list_type in ("set", "map"):
        return lambda frame: merged(declaration, left(frame), right(frame))
    add = FUNCTIONS["_+_"]
    return lambda frame: add(left(frame), right(frame))


def _index(compiler: _Compiler, node: Call) -> Run:
    held, index = compiler.both(node)
    optional = types.unwrapped(node.args[0].type)[1]
    asked = node.function == "_[?_]"

    def run(frame: Frame) -> Any:
        value, key = held(frame), index(frame)
        if optional:
            if not value.is_there:
                return NOTHING
            value = value.value
        found = _item(value, key)
        if optional or asked:
            return NOTHING if found is _ABSENT else Optional(found, True)
        if found is _ABSENT:
            if value.__class__ is dict:
                raise CelError(f"no such key: {key}")
            raise CelError(f"index out of bounds: {key}")
        return found

    return run


def _item(value: Any, key: Any) -> Any:
    if value.__class__ is dict:
        return value.get(key, _ABSENT)
    if value.__class__ is not list or not isinstance(key, int | float) or key.__class__ is bool:
        raise no_such_overload()
    if key != int(key):
        raise CelError(f"unsupported index value: {key}")
    position = int(key)
    return value[position] if 0 <= position < len(value) else _ABSENT


def _optional_field(compiler: _Compiler, node: Call) -> Run:
    operand = compiler.compile(node.args[0])
    name = node.args[1]
    assert isinstance(name, Literal)
    kind, optional = types.unwrapped(node.args[0].type)
    read = _field(kind, name.value)
    if optional:
        return _through_optional(operand, read, False)

    def run(frame: Frame) -> Any:
        found = read(operand(frame))
        return NOTHING if found is _ABSENT else Optional(found, True)

    return run


def _or_value(compiler: _Compiler, node: Call) -> Run:
    assert node.target is not None
    target, other = compiler.compile(node.target), compiler.compile(node.args[0])

    def run(frame: Frame) -> Any:
        value = target(frame)
        if value.__class__ is not Optional:
            raise no_such_overload()
        if not value.is_there:
            return other(frame)
        return value.value if node.function == "orValue" else value

    return run


_SPECIAL: dict[str, Callable[[_Compiler, Call], Run]] = {
    "_&&_": _logic(stop=False),
    "_||_": _logic(stop=True),
    "_?_:_": _choice,
    "_==_": _equality(negative=False),
    "_!=_": _equality(negative=True),
    "@in": _membership,
    "_+_": _addition,
    "_[_]": _index,
    "_[?_]": _index,
    "_?._": _optional_field,
    "or": _or_value,
    "orValue": _or_value,
}
