"""Templates of `format`, checked against the types of what is filled in."""

import re

from kedge.apiserver.crd.cel.node import Call, ListLiteral, Literal, Node
from kedge.apiserver.crd.cel.source import Issues

CLAUSE = re.compile(r"%(?:\.(\d+))?(.)?", re.DOTALL)
_TYPES = {
    "d": ("int", "uint", "double"),
    "f": ("double", "int", "uint"),
    "e": ("double", "int", "uint"),
    "b": ("int", "uint", "bool"),
    "o": ("int", "uint"),
    "x": ("int", "uint", "string", "bytes"),
    "X": ("int", "uint", "string", "bytes"),
}
_RULES = {
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
        problem = _problem(kind, used, values.items)
        if problem is not None:
            at = values.items[used].at if used < len(values.items) and kind in _TYPES else node.at
            issues.add(at, problem)
            return
        used += 1
    if len(values.items) > used:
        told = "too many arguments supplied to string.format"
        issues.add(node.at, f"{told} (expected {used}, got {len(values.items)})")


def _problem(kind: str | None, position: int, items: list[Node]) -> str | None:
    if kind is None:
        return "could not parse formatting clause: unexpected end of string"
    if kind != "s" and kind not in _TYPES:
        return f'could not parse formatting clause: unrecognized formatting clause "{kind}"'
    if position >= len(items):
        return f"index {position} out of range"
    found = items[position].type
    if kind == "s" or found.is_dyn or found.kind in _TYPES[kind]:
        return None
    return wrong_type(kind, str(found))
