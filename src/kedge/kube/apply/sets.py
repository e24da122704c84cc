"""The algebra of field sets, in their FieldsV1 form.

A set is a nested dict: `{"f:metadata": {"f:labels": {".": {}, "f:app": {}}}}`. An empty dict below
the root is a member without children; a node with children is a member too where it has the key
".". The empty dict at the root is the empty set. Sets are values: nothing here changes one, and
results share nodes with the operands. A result that equals its first operand is that operand, so
that to see that nothing changed costs one `is`.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from kedge.kube.apply.elements import SELF, canonical, order, show

FieldSet = dict[str, Any]

LEAF: Final[FieldSet] = {}
"""A member without children."""
EMPTY: Final[FieldSet] = {}
"""The set with no member."""
ANY: Final = "*"
"""In a pattern: every element."""


def is_empty(fields: FieldSet) -> bool:
    """Tell whether the set has no member."""
    return not fields


def is_member(node: FieldSet) -> bool:
    """Tell whether a node below the root is itself in the set."""
    return not node or SELF in node


def with_self(node: FieldSet) -> FieldSet:
    """Make the node a member."""
    return node if not node or SELF in node else {SELF: LEAF, **node}


def ordered(node: FieldSet) -> FieldSet:
    """Sort the elements of a node as Kubernetes does."""
    if len(node) < 2:
        return node
    names = sorted(node)
    if names[-1] > "g":  # keys, values or indexes: their order is not that of their texts
        names.sort(key=order)
    return node if list(node) == names else {name: node[name] for name in names}


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """Give what is in either."""
    if not right or left is right:
        return left
    if not left:
        return right
    out: FieldSet | None = None
    grown = False
    for element, theirs in right.items():
        ours = left.get(element)
        joined = theirs if ours is None else _joined(ours, theirs)
        if joined is not ours:
            grown = grown or ours is None
            out = dict(left) if out is None else out
            out[element] = joined
    if out is None:
        return left
    return ordered(out) if grown else out


def _joined(ours: FieldSet, theirs: FieldSet) -> FieldSet:
    if not ours:
        return with_self(theirs) if theirs else ours
    if not theirs:
        return with_self(ours)
    return union(ours, theirs)


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Give what is in the first and not in the second; children of a member stay."""
    out: FieldSet | None = None
    for element, theirs in right.items():
        ours = left.get(element)
        if ours is None:
            continue
        rest = _rest(ours, theirs)
        if rest is not ours:
            out = dict(left) if out is None else out
            if rest is None:
                del out[element]
            else:
                out[element] = rest
    return left if out is None else out


def _rest(ours: FieldSet, theirs: FieldSet) -> FieldSet | None:
    if not ours:
        return None if is_member(theirs) else ours
    if theirs:
        return _normal(difference(ours, theirs))
    return {name: node for name, node in ours.items() if name != SELF} if SELF in ours else ours


def _normal(node: FieldSet) -> FieldSet | None:
    """Bring a node from which something was taken into its one form; None: nothing is left."""
    if not node:
        return None
    return LEAF if len(node) == 1 and SELF in node else node


def recursive_difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Give the first without the members of the second and all that is below them."""
    out: FieldSet | None = None
    for element, theirs in right.items():
        ours = left.get(element)
        if ours is None:
            continue
        rest: FieldSet | None = None
        if not is_member(theirs):
            rest = _normal(recursive_difference(ours, theirs)) if ours else ours
        if rest is not ours:
            out = dict(left) if out is None else out
            if rest is None:
                del out[element]
            else:
                out[element] = rest
    return left if out is None else out


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """Give what is in both."""
    if left is right:
        return left
    out: FieldSet = {}
    for element, ours in left.items():
        theirs = right.get(element)
        if theirs is None:
            continue
        common = _common(ours, theirs)
        if common is not None:
            out[element] = common
    return left if len(out) == len(left) and all(out[name] is left[name] for name in out) else out


def _common(ours: FieldSet, theirs: FieldSet) -> FieldSet | None:
    if ours and theirs:
        return _normal(intersection(ours, theirs))
    return LEAF if is_member(ours) and is_member(theirs) else None


def matching(fields: FieldSet, pattern: FieldSet) -> FieldSet:
    """Give what lies along the paths of a pattern: `*` is any element, a leaf is all below."""
    out: FieldSet = {}
    for element, node in fields.items():
        below = LEAF if element == SELF else pattern.get(element, pattern.get(ANY))
        if below is None:
            continue
        kept = _normal(matching(node, below)) if node and below else node
        if kept is not None:
            out[element] = kept
    return out


def has(fields: FieldSet, path: Sequence[str]) -> bool:
    """Tell whether the path is a member."""
    node: FieldSet | None = fields
    for element in path:
        node = node.get(element) if node else None
        if node is None:
            return False
    return bool(path) and node is not None and is_member(node)


def of_paths(*paths: Sequence[str]) -> FieldSet:
    """Make the set of these paths."""
    fields = EMPTY
    for path in paths:
        node: FieldSet = LEAF
        for element in reversed(path):
            node = {element: node}
        fields = union(fields, node)
    return fields


def paths(fields: FieldSet, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """List the members as Kubernetes does: those of a node, then what is below them."""
    for element, node in fields.items():
        if element != SELF and is_member(node):
            yield (*prefix, element)
    for element, node in fields.items():
        if node:
            yield from paths(node, (*prefix, element))


def show_path(path: Sequence[str]) -> str:
    """Write a path as messages do: `.spec.containers[name="a"].image`."""
    return "".join(map(show, path))


def parse(raw: Any) -> FieldSet:
    """Read the FieldsV1 that a user sent. Raises ValueError."""
    fields = _parsed(raw)
    return {name: fields[name] for name in fields if name != SELF} if SELF in fields else fields


def _parsed(raw: Any) -> FieldSet:
    if raw is None:
        return EMPTY
    if not isinstance(raw, dict):
        raise ValueError("a field set is an object")  # noqa: TRY004 - as for all that is malformed
    out: FieldSet = {}
    for key, value in raw.items():
        element = SELF if key == SELF else canonical(key)
        if element is None:
            continue
        node = LEAF if element == SELF else _parsed(value)
        node = LEAF if len(node) == 1 and SELF in node else node
        out[element] = _joined(out[element], node) if element in out else node
    return ordered(out)
