"""An expression on its way from text to program."""

from collections.abc import Iterator
from dataclasses import dataclass

from kedge.apiserver.crd.cel import checker, literal, parser
from kedge.apiserver.crd.cel.evaluate import Program
from kedge.apiserver.crd.cel.node import Ident, Node, parts_of
from kedge.apiserver.crd.cel.parser import TOO_DEEP
from kedge.apiserver.crd.cel.source import Issues, Source
from kedge.apiserver.crd.cel.types import ERROR, Type

MOST_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class Checked:
    """An expression that has been read and checked; `issues` is empty if all is well."""

    node: Node | None
    type: Type
    issues: str
    names: frozenset[str] = frozenset()
    """The variables it refers to."""
    broken: str = ""
    """What keeps it from being made a program, though its types are right."""

    def program(self, variables: tuple[str, ...]) -> Program:
        """Make it ready to be evaluated."""
        assert self.node is not None
        return Program(self.node, variables)


def compile_text(text: str, variables: dict[str, Type]) -> Checked:
    """Read and check an expression."""
    if len(text) > MOST_CHARACTERS:
        told = f"size: {len(text)}, limit {MOST_CHARACTERS}"
        issue = f"ERROR: <input>:-1:0: expression code point size exceeds limit: {told}"
        return Checked(None, ERROR, issue)
    try:
        return _compile(text, variables)
    except RecursionError:  # deeper than Python goes is deeper than anybody needs
        issues = Issues(Source(text))
        issues.add(0, TOO_DEEP)
        return Checked(None, ERROR, str(issues))


def _compile(text: str, variables: dict[str, Type]) -> Checked:
    issues = Issues(Source(text))
    node = parser.parse(text, issues)
    if node is None or issues.found:
        return Checked(None, ERROR, str(issues))
    kind = checker.check(node, issues, variables)
    if not issues.found:
        literal.validate(node, issues)
    if issues.found:
        return Checked(None, kind, str(issues))
    names = frozenset(names_in(node))
    return Checked(node, kind, "", names, literal.conversion_error(node))


def names_in(node: Node) -> Iterator[str]:
    """Give the names that an expression refers to."""
    if isinstance(node, Ident):
        yield node.name
    for part in parts_of(node):
        yield from names_in(part)
