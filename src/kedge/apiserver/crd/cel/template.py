"""Templates of `format`, checked against the types of what is filled in."""

import re

from kedge.apiserver.crd.cel.node import Call, ListLiteral, Literal, MapLiteral, Node, parts_of
from kedge.apiserver.crd.cel.source import Issues

CLAUSE = re.compile(r"%(?:\.(\d+))?(.)?", re.DOTALL)
_TYPES = {
    "d": ("int", "uint"),
    "f": ("double", "string"),
    "e": ("double", "string"),
    "b": ("int", "uint", "bool"),
    "o": ("int", "uint"),
    "x": ("int", "uint", "string", "bytes"),
    "X": ("int", "uint", "string", "bytes"),
}
_RULES = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
    "types, durations, and timestamps",
    "d": "decimal clause can only be used on integers",
    "f": "fixed-point clause can only be used on doubles",
    "e": "scientific clause can only be used on doubles",
    "b": "only integers and bools can be formatted as binary",
    "o": "octal clause can only be used on integers",
    "x": "only integers, byte buffers, and strings can be formatted as hex",
    "X": "only integers, byte buffers, and strings can be formatted as hex",
}


def wrong_type(clause: str, name: str) -> str:
    """Say that a clause does not take such values."""
    return f"error during formatting: {_RULES[clause]}, was given {name}"


def validate(node: Call, issues: Issues) -> None:
    """Note what does not fit; only a constant template with its values in a list can be checked."""
    target, values = node.target, node.args[0] if node.args else None
    if not isinstance(target, Literal) or not isinstance(values, ListLiteral):
        return
    used = 0
    for found in CLAUSE.finditer(str(target.value)):
        kind = found[2]
        if kind == "%":
            continue
        at, problem = _problem(kind, used, values.items)
        if problem:
            issues.add(node.at if at is None else at.at, problem)
            return
        used += 1
    if len(values.items) > used:
        told = "too many arguments supplied to string.format"
        issues.add(node.at, f"{told} (expected {used}, got {len(values.items)})")


def _problem(kind: str | None, position: int, items: list[Node]) -> tuple[Node | None, str]:
    """Say what is wrong with a clause, and with which value if it is one."""
    if kind is None:
        return None, "unexpected end of string"
    if kind != "s" and kind not in _TYPES:
        told = f'could not parse formatting clause: unrecognized formatting clause "{kind}"'
        return None, told
    if position >= len(items):
        return None, f"index {position} out of range"
    item: Node | None = items[position]
    if kind == "s":
        item = _unwritten(items[position])
    elif items[position].type.is_dyn or items[position].type.kind in _TYPES[kind]:
        item = None
    if item is None:
        return None, ""
    return item, wrong_type(kind, item.type.name or str(item.type))


def _unwritten(node: Node) -> Node | None:
    """Find a value, also in a list or a map, that has no form as a text."""
    if isinstance(node, ListLiteral | MapLiteral):
        return next((found for part in parts_of(node) if (found := _unwritten(part))), None)
    return node if node.type.kind in ("opaque", "struct") else None
