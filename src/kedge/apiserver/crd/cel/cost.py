"""How much an expression can cost at most, estimated from its schema, as cel-go's checker does."""

from dataclasses import dataclass, field

from kedge.apiserver.crd.cel import costcall
from kedge.apiserver.crd.cel.declare import Declaration
from kedge.apiserver.crd.cel.estimate import ONE, UNKNOWN, ZERO, Estimate, Operand
from kedge.apiserver.crd.cel.macro import ACCUMULATOR
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
from kedge.apiserver.crd.cel.types import Type, unwrapped

Path = tuple[str, ...]

_LIST_COST, _MAP_COST = 10, 30
TRAVERSAL = costcall.TRAVERSAL
_SCALARS = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})


def cost_of(node: Node, root: Declaration) -> int:
    """Give the most that an expression over a schema can cost."""
    return _Coster(root).cost(node).most


@dataclass(frozen=True, slots=True)
class _Entries:
    """The sizes of the keys and values of a list or map."""

    kind: str
    key: Estimate
    value: Estimate

    def union(self, other: "_Entries") -> "_Entries":
        """Cover both."""
        return _Entries(self.kind, self.key.union(other.key), self.value.union(other.value))


@dataclass(slots=True)
class _Variable:
    """What is known of a loop's variable."""

    path: Path
    size: Estimate | None
    entries: _Entries | None = None


@dataclass(slots=True)
class _Coster:
    root: Declaration
    paths: dict[int, Path] = field(default_factory=dict)
    sizes: dict[int, Estimate] = field(default_factory=dict)
    entries: dict[int, _Entries] = field(default_factory=dict)
    variables: dict[str, list[_Variable]] = field(default_factory=dict)

    def cost(self, node: Node) -> Estimate:
        """Estimate the cost of a part."""
        if isinstance(node, Ident):
            known = self.variables.get(node.name)
            self.paths[id(node)] = known[-1].path if known else (node.name,)
            return ONE
        if isinstance(node, Select):
            return self.select(node)
        if isinstance(node, Call):
            return self.call(node)
        if isinstance(node, ListLiteral):
            return self.list_literal(node)
        if isinstance(node, MapLiteral):
            return self.map_literal(node)
        if isinstance(node, Comprehension):
            return self.bind(node) if node.macro == "bind" else self.loop(node)
        return ZERO

    def select(self, node: Select) -> Estimate:
        """Estimate a field."""
        if node.type.kind == "type" and not node.test:
            self.paths[id(node)] = (node.name,)
            return ONE
        cost = self.cost(node.operand)
        if node.test:
            return cost
        if node.operand.type.kind in ("map", "struct", "param"):
            cost = cost.add(ONE)
        self.paths[id(node)] = (*self.path(node.operand), node.name)
        return cost

    def path(self, node: Node) -> Path:
        """Give the way from a variable to a part."""
        if isinstance(node, Ident) and self.variables.get(node.name):
            return self.variables[node.name][-1].path
        return self.paths.get(id(node), ())

    def call(self, node: Call) -> Estimate:
        """Estimate a call, over all overloads that it may mean."""
        if node.function == "dyn":
            cost = self.cost(node.args[0]).add(ONE)
            self.copy_size(node, node.args[0])
            return cost
        costs = [self.cost(arg) for arg in node.args]
        args = [self.operand(arg) for arg in node.args]
        total = ZERO
        target = None
        if node.target is not None:
            total = self.cost(node.target)
            target = self.operand(node.target)
        found = Estimate(2**64 - 1, 0)
        size: Estimate | None = None
        for overload in node.overloads or [""]:
            cost, result = self.overload(node, overload, target, args, costs)
            found = found.union(cost)
            if result is not None:
                size = result if size is None else size.union(result)
            size = self.index(node, overload, size) or size or self.size(node)
        if size is not None:
            self.sizes[id(node)] = size
        return total.add(found)

    def index(self, node: Call, overload: str, size: Estimate | None) -> Estimate | None:
        """Note the way to an item, and give its size."""
        if node.function != "_[_]" or not overload.startswith(("(list", "(map")):
            return size
        part = "@items" if overload.startswith("(list") else "@values"
        self.paths[id(node)] = (*self.path(node.args[0]), part)
        known = self.entries_of(node.args[0])
        return known.value if known else None

    def overload(
        self,
        node: Call,
        overload: str,
        target: Operand | None,
        args: list[Operand],
        costs: list[Estimate],
    ) -> tuple[Estimate, Estimate | None]:
        """Estimate one overload: the cost with its arguments, and the size of the result."""
        total = ZERO
        for one in costs:
            total = total.add(one)
        special = costcall.estimate(node.function, overload, target, args, self.size_at)
        if special is not None:
            return special[0].add(total), special[1]
        if node.function in ("_&&_", "_||_"):
            return Estimate(costs[0].least, costs[0].add(costs[1]).most), None
        if node.function == "_?_:_":
            return self.choice(node, args, costs)
        if node.function == "_+_" and overload.startswith(("(string", "(bytes", "(list")):
            return self.addition(node, overload, args, total)
        plain = costcall.standard(node.function, overload, target, args)
        return plain[0].add(total), plain[1]

    def choice(
        self, node: Call, args: list[Operand], costs: list[Estimate]
    ) -> tuple[Estimate, Estimate | None]:
        """Estimate a choice."""
        yes, no = self.entries_of(node.args[1]), self.entries_of(node.args[2])
        if yes is not None and no is not None:
            self.entries[id(node)] = yes.union(no)
        size = args[1].known.union(args[2].known)
        return costs[0].add(costs[1].union(costs[2])), size

    def addition(
        self, node: Call, overload: str, args: list[Operand], total: Estimate
    ) -> tuple[Estimate, Estimate | None]:
        """Estimate the joining of texts, bytes or lists."""
        size = args[0].known.add(args[1].known)
        left, right = self.entries_of(node.args[0]), self.entries_of(node.args[1])
        if left is not None and right is not None:
            self.entries[id(node)] = left.union(right)
        cost = ONE if overload.startswith("(list") else size.times(TRAVERSAL)
        return cost.add(total), size

    def list_literal(self, node: ListLiteral) -> Estimate:
        """Estimate a list."""
        total = ZERO
        size = Estimate(0 if not node.items else 2**64 - 1, 0)
        for item in node.items:
            total = total.add(self.cost(item))
            size = size.union(self.size(item) or UNKNOWN)
        self.entries[id(node)] = _Entries("list", ONE, size)
        return total.add(Estimate.fixed(_LIST_COST))

    def map_literal(self, node: MapLiteral) -> Estimate:
        """Estimate a map."""
        total = ZERO
        keys = values = Estimate(0 if not node.entries else 2**64 - 1, 0)
        for entry in node.entries:
            total = total.add(self.cost(entry.key)).add(self.cost(entry.value))
            keys = keys.union(self.size(entry.key) or UNKNOWN)
            values = values.union(self.size(entry.value) or UNKNOWN)
        self.entries[id(node)] = _Entries("map", keys, values)
        return total.add(Estimate.fixed(_MAP_COST))

    def loop(self, node: Comprehension) -> Estimate:
        """Estimate a loop: its steps as many times as there are items."""
        total = self.cost(node.over).add(self.cost(node.start))
        start = _Variable(self.path(node.start), self.size(node.start), self.entries_of(node.start))
        self.push(node.accumulator, start)
        self.push_variables(node)
        condition = self.cost(node.condition)
        step = self.cost(node.step)
        self.variables[node.variable].pop()
        if node.second:
            self.variables[node.second].pop()
        total = total.add(self.cost(node.result))
        self.variables[node.accumulator].pop()
        count = self.size(node.over) or UNKNOWN
        if isinstance(node.start, Literal):
            self.sizes[id(node)] = self.size(node.start) or UNKNOWN
        else:
            self.sizes[id(node)] = count
            known = self.entries_of(node.step)
            if known is not None:
                self.entries[id(node)] = known
        return total.add(count.multiply(step.add(condition)))

    def push(self, name: str, variable: _Variable) -> None:
        """Bring a variable into scope."""
        self.variables.setdefault(name, []).append(variable)

    def push_variables(self, node: Comprehension) -> None:
        """Bring the variables of a loop into scope."""
        known, path = self.entries_of(node.over), self.path(node.over)
        is_list = (known.kind if known else node.over.type.kind) == "list"
        key = _Variable((*path, "@indices" if is_list else "@keys"), known.key if known else None)
        value = _Variable(
            (*path, "@items" if is_list else "@values"), known.value if known else None
        )
        if node.second:
            self.push(node.variable, key)
            self.push(node.second, value)
        else:
            self.push(node.variable, value if is_list else key)

    def bind(self, node: Comprehension) -> Estimate:
        """Estimate a name for a value."""
        total = self.cost(node.over).add(self.cost(node.start))
        start = _Variable(self.path(node.start), self.size(node.start), self.entries_of(node.start))
        self.push(node.accumulator, start)
        total = total.add(self.cost(node.result))
        self.variables[node.accumulator].pop()
        self.copy_size(node, node.result)
        return total

    def copy_size(self, node: Node, other: Node) -> None:
        """Give a part the size of another."""
        size, known = self.size(other), self.entries_of(other)
        if size is not None:
            self.sizes[id(node)] = size
        if known is not None:
            self.entries[id(node)] = known

    def operand(self, node: Node) -> Operand:
        """Sum up what is known of an argument."""
        path = self.path(node)
        if path and path[0] in (ACCUMULATOR, "__result__"):
            path = ()
        return Operand(node, path, node.type, self.size(node))

    def size(self, node: Node) -> Estimate | None:
        """Give the size of a part, if anything is known of it."""
        known = self.sizes.get(id(node))
        if known is not None:
            return known
        written = _written_size(node)
        if written is not None:
            return Estimate.fixed(written)
        declared = self.size_at(self.path(node))
        if declared is not None:
            self.sizes[id(node)] = declared
            return declared
        if _is_scalar(node.type):
            return ONE
        if isinstance(node, Ident) and self.variables.get(node.name):
            return self.variables[node.name][-1].size
        return None

    def size_at(self, path: Path) -> Estimate | None:
        """Give the size that the schema allows at a place."""
        if not path:
            return None
        found: Declaration | None = self.root
        for name in path[1:]:
            if found is None:
                return None
            if name in ("@items", "@values"):
                found = found.item
            elif name == "@keys":
                return ZERO if found.type.kind == "map" else None
            else:
                found = found.fields.get(name)
        return None if found is None else Estimate(0, found.max_elements)

    def entries_of(self, node: Node) -> _Entries | None:
        """Give the sizes of what a part holds."""
        known = self.entries.get(id(node))
        if known is None and isinstance(node, Ident) and self.variables.get(node.name):
            return self.variables[node.name][-1].entries
        return known


def _written_size(node: Node) -> int | None:
    if isinstance(node, Literal):
        return len(node.value) if isinstance(node.value, str | bytes) else 1
    if isinstance(node, ListLiteral):
        return len(node.items)
    return len(node.entries) if isinstance(node, MapLiteral) else None


def _is_scalar(kind: Type) -> bool:
    inner, _ = unwrapped(kind)
    return inner.kind in _SCALARS


def too_dear(what: str, cost: int, limit: int) -> str:
    """Say by how much a cost is over its limit."""
    times = cost / limit
    factor = "more than 100x" if times > 100 else f"{times:f}x" if times < 1.5 else f"{times:.1f}x"
    return (
        f"{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding "
        "maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
