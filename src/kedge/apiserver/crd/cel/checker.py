"""The types of an expression's parts, and what does not fit."""

from kedge.apiserver.crd.cel import types, unify
from kedge.apiserver.crd.cel.node import (
    Call,
    Comprehension,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
    StructLiteral,
)
from kedge.apiserver.crd.cel.signature import TYPE_NAMES, Overload, overloads_of
from kedge.apiserver.crd.cel.source import Issues
from kedge.apiserver.crd.cel.types import BOOL, DYN, ERROR, Type


def check(node: Node, issues: Issues, variables: dict[str, Type]) -> Type:
    """Find the types of all parts, give that of the whole; note in `issues` what does not fit."""
    checker = _Checker(issues, variables)
    checker.check(node)
    for part in checker.seen:
        part.type = unify.substitute(checker.mapping, part.type, free_to_dyn=True)
    return node.type


class _Checker:
    def __init__(self, issues: Issues, variables: dict[str, Type]) -> None:
        self.issues = issues
        self.scopes = [variables]
        self.mapping: unify.Mapping = {}
        self.seen: list[Node] = []
        self.free = 0

    def lookup(self, name: str) -> Type | None:
        """Give the type of a variable, or of the name of a type."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        named = TYPE_NAMES.get(name.removeprefix("."))
        return None if named is None else types.type_of(named)

    def set(self, node: Node, kind: Type) -> None:
        """Note the type of a part."""
        node.type = kind
        self.seen.append(node)

    def assign(self, one: Type, other: Type) -> bool:
        """Say whether a type fits; nothing is noted if it does not."""
        mapping = dict(self.mapping)
        if not unify.assign(mapping, one, other):
            return False
        self.mapping = mapping
        return True

    def fresh(self) -> Type:
        """Give a type that is yet to be found."""
        self.free += 1
        return types.parameter(f"_var{self.free - 1}")

    def mismatch(self, node: Node, wanted: Type, found: Type) -> None:
        """Note that a part has another type."""
        self.issues.add(node.at, f"expected type '{wanted}' but found '{found}'")

    def undeclared(self, node: Node, name: str) -> None:
        """Note that there is no such name."""
        self.set(node, ERROR)
        self.issues.add(node.at, f"undeclared reference to '{name}' (in container '')")

    def check(self, node: Node) -> None:
        """Find the type of a part."""
        if isinstance(node, Literal):
            self.set(node, node.kind)
        elif isinstance(node, Ident):
            self.ident(node)
        elif isinstance(node, Select):
            self.select(node)
        elif isinstance(node, Call):
            self.call(node)
        elif isinstance(node, ListLiteral):
            self.list_literal(node)
        elif isinstance(node, MapLiteral):
            self.map_literal(node)
        elif isinstance(node, Comprehension):
            self.comprehension(node)
        elif isinstance(node, StructLiteral):
            self.undeclared(node, node.name)

    def ident(self, node: Ident) -> None:
        """Look up a name."""
        kind = self.lookup(node.name)
        if kind is None:
            self.undeclared(node, node.name)
        else:
            self.set(node, kind)

    def select(self, node: Select) -> None:
        """Look up a field; a dotted name may be that of a type."""
        name = None if node.test else _qualified(node)
        kind = None if name is None else self.lookup(name)
        if kind is not None:
            self.set(node, kind)
            return
        found = self.field(node, node.operand, node.name, False)
        found = BOOL if node.test else unify.substitute(self.mapping, found, False)
        self.set(node, found)

    def field(self, node: Node, operand: Node, name: str, optional: bool) -> Type:
        """Give the type of a field."""
        self.check(operand)
        target = unify.substitute(self.mapping, operand.type, False)
        target, was_optional = types.unwrapped(target)
        result = ERROR
        if target.kind == "map":
            result = target.params[1]
        elif target.kind == "struct":
            known = target.declaration.find(name)
            if known is None:
                self.issues.add(node.at, f"undefined field '{name}'")
            else:
                result = target.declaration.fields[known].type
        elif target.kind == "param":
            self.assign(DYN, target)
            result = DYN
        else:
            if target.kind not in ("dyn", "error"):
                told = f"type '{target}' does not support field selection"
                self.issues.add(node.at, told)
            result = DYN
        return types.optional_of(result) if was_optional or optional else result

    def call(self, node: Call) -> None:
        """Find the overloads that a call may mean."""
        if node.function == "_?._":
            field = node.args[1]
            assert isinstance(field, Literal)
            kind = self.field(node, node.args[0], field.value, True)
            node.overloads = ["select"]
            self.set(node, unify.substitute(self.mapping, kind, False))
            return
        for arg in node.args:
            self.check(arg)
        if node.target is not None:
            prefix = _qualified(node.target)
            name = f"{prefix}.{node.function}"
            if prefix is not None and overloads_of(name) is not None:
                node.function, node.target = name, None
        overloads = overloads_of(node.function)
        if node.target is not None:
            self.check(node.target)
        if overloads is None:
            self.undeclared(node, node.function)
            return
        self.set(node, self.resolve(node, overloads) or ERROR)

    def resolve(self, node: Call, overloads: tuple[Overload, ...]) -> Type | None:
        """Give the type that a call has, or None if no overload fits."""
        args = [*([node.target] if node.target else []), *node.args]
        if node.function in ("_&&_", "_||_"):
            node.overloads = ["logic"]
            return self.logic(args)
        result: Type | None = None
        node.overloads = []
        for overload in overloads:
            if overload.is_method != (node.target is not None):
                continue
            found = self.try_overload(overload, tuple(arg.type for arg in args))
            if found is None:
                continue
            node.overloads.append(overload.name)
            if result is None:
                result = found
            elif not result.is_dyn and found != result:
                result = DYN
        if result is None:
            self.no_overload(node, args)
        return result

    def logic(self, args: list[Node]) -> Type | None:
        """Check that all arguments are booleans."""
        fits = True
        for arg in args:
            if not self.assign(arg.type, BOOL):
                self.mismatch(arg, BOOL, arg.type)
                fits = False
        return BOOL if fits else None

    def try_overload(self, overload: Overload, args: tuple[Type, ...]) -> Type | None:
        """Give the result of an overload if the arguments fit it."""
        fresh = {types.parameter(name): self.fresh() for name in overload.params}
        wanted = tuple(unify.substitute(fresh, one, False) for one in overload.args)
        mapping = dict(self.mapping)
        if not unify.assign_all(mapping, args, wanted):
            return None
        self.mapping = mapping
        result = unify.substitute(fresh, overload.result, False)
        return unify.substitute(self.mapping, result, False)

    def no_overload(self, node: Call, args: list[Node]) -> None:
        """Note that a function does not take such arguments."""
        shown = [str(unify.substitute(self.mapping, arg.type, True)) for arg in args]
        text = f"({', '.join(shown)})"
        if node.target is not None:
            text = f"{shown[0]}.({', '.join(shown[1:])})"
        told = f"found no matching overload for '{node.function}' applied to '{text}'"
        self.issues.add(node.at, told)

    def join(self, before: Type | None, kind: Type) -> Type:
        """Give the type that two items have in common."""
        if before is None:
            return kind
        return unify.most_general(before, kind) if self.assign(before, kind) else DYN

    def held(self, node: Node, optional: bool) -> Type:
        """Give the type of an item, or of what an optional item holds."""
        if not optional:
            return node.type
        kind, was_optional = types.unwrapped(node.type)
        if not was_optional and not kind.is_dyn:
            self.mismatch(node, types.optional_of(kind), kind)
        return kind

    def list_literal(self, node: ListLiteral) -> None:
        """Check that the items of a list have one type."""
        kind: Type | None = None
        for position, item in enumerate(node.items):
            self.check(item)
            kind = self.join(kind, self.held(item, position in node.optional))
        self.set(node, types.list_of(kind or self.fresh()))

    def map_literal(self, node: MapLiteral) -> None:
        """Check that the keys and the values of a map have one type each."""
        key: Type | None = None
        value: Type | None = None
        for entry in node.entries:
            self.check(entry.key)
            key = self.join(key, entry.key.type)
            self.check(entry.value)
            value = self.join(value, self.held(entry.value, entry.optional))
        if key is None or value is None:
            key, value = self.fresh(), self.fresh()
        self.set(node, types.map_of(key, value))

    def comprehension(self, node: Comprehension) -> None:
        """Check a loop."""
        self.check(node.over)
        self.check(node.start)
        over = unify.substitute(self.mapping, node.over.type, False)
        gathered = node.start.type
        first, second = self.variables(node, over)
        self.scopes.append({node.accumulator: gathered})
        inner = {node.variable: first}
        if node.second:
            inner[node.second] = second
        self.scopes.append(inner)
        self.check(node.condition)
        self.must_be(node.condition, BOOL)
        self.check(node.step)
        self.must_be(node.step, gathered)
        self.scopes.pop()
        self.check(node.result)
        self.scopes.pop()
        self.set(node, unify.substitute(self.mapping, node.result.type, False))

    def must_be(self, node: Node, kind: Type) -> None:
        """Check that a part has a type."""
        if not self.assign(kind, node.type):
            self.mismatch(node, kind, node.type)

    def variables(self, node: Comprehension, over: Type) -> tuple[Type, Type]:
        """Give the types of a loop's variables."""
        if over.kind == "list":
            return (types.INT, over.params[0]) if node.second else (over.params[0], ERROR)
        if over.kind == "map":
            return over.params[0], over.params[1]
        if over.kind in ("dyn", "error", "param"):
            self.assign(DYN, over)
            return DYN, DYN
        told = (
            f"expression of type '{over}' cannot be range of a comprehension "
            "(must be list, map, or dynamic)"
        )
        self.issues.add(node.over.at, told)
        return ERROR, ERROR


def _qualified(node: Node) -> str | None:
    """Give a dotted name, if the expression is one."""
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select) and not node.test:
        prefix = _qualified(node.operand)
        return None if prefix is None else f"{prefix}.{node.name}"
    return None
