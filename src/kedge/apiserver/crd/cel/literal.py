"""Constants that make no sense where they stand: patterns, times and spans that do not parse."""

from collections.abc import Callable

from kedge.apiserver.crd.cel import clock, template, unify
from kedge.apiserver.crd.cel.conversion import FUNCTIONS
from kedge.apiserver.crd.cel.node import (
    Call,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    parts_of,
)
from kedge.apiserver.crd.cel.source import Issues
from kedge.apiserver.crd.cel.types import Type
from kedge.apiserver.crd.cel.value import CelError
from kedge.apiserver.crd.text.pattern import PatternError, translate

_CHECKS: dict[str, Callable[[str], object]] = {
    "duration": clock.parse_duration,
    "timestamp": clock.parse_time,
    "matches": translate,
}

_CONVERSIONS = frozenset(
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"]
)

_SEARCHES = frozenset(["find", "findAll"])


def validate(node: Node, issues: Issues) -> None:
    """Note the constants that do not parse, and literals of mixed types."""
    _validate(node, issues, False)


def _validate(node: Node, issues: Issues, exempt: bool) -> None:
    if isinstance(node, Call):
        if node.function in _CHECKS and node.args:
            _constant(node.function, node.args[-1], issues)
        if node.function == "format" and node.target is not None:
            template.validate(node, issues)
            exempt = True
    if isinstance(node, ListLiteral) and not exempt:
        _uniform([(one, i in node.optional) for i, one in enumerate(node.items)], issues)
    if isinstance(node, MapLiteral) and not exempt:
        _uniform([(one.key, False) for one in node.entries], issues)
        _uniform([(one.value, one.optional) for one in node.entries], issues)
    for part in parts_of(node):
        _validate(part, issues, exempt)


def _constant(function: str, node: Node, issues: Issues) -> None:
    if isinstance(node, Literal) and isinstance(node.value, str):
        try:
            _CHECKS[function](node.value)
        except (ValueError, CelError):
            issues.add(node.at, f"invalid {function} argument")


def _uniform(items: list[tuple[Node, bool]], issues: Issues) -> None:
    """Check that items have one type."""
    first: Type | None = None
    for node, optional in items:
        kind = node.type.params[0] if optional and node.type.params else node.type
        first = first or kind
        if not unify.assign({}, first, kind):
            issues.add(node.at, f"expected type '{first}' but found '{kind}'")
            return


def conversion_error(node: Node) -> str:
    """Give the error of the first constant whose conversion, done ahead of time, fails."""
    for part in parts_of(node):
        if error := conversion_error(part):
            return error
    first = node.args[0] if isinstance(node, Call) and node.args else None
    if not isinstance(node, Call) or not isinstance(first, Literal):
        return ""
    try:
        if node.function in _CONVERSIONS and len(node.args) == 1:
            FUNCTIONS[node.function](first.value)
        elif node.function in _SEARCHES and isinstance(first.value, str):
            translate(first.value)
    except (CelError, PatternError) as exc:
        return str(exc)
    return ""
