"""Field selectors: `metadata.name=x,spec.nodeName!=y`; values escape commas and equals signs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kedge.kube.requirements import SelectorError

Getter = Callable[[str], str]
"""Gives the value of a field of an object, as text; nothing if it is not there."""
Convert = Callable[[str, str], tuple[str, str]]
"""Gives another field and value for a condition, or raises SelectorError."""


@dataclass(frozen=True, slots=True)
class FieldRequirement:
    """One condition: the field has the value, or with `negated` it has not."""

    field: str
    value: str
    negated: bool = False

    def __str__(self) -> str:
        """Write it as a selector does."""
        return f"{self.field}{'!=' if self.negated else '='}{escape(self.value)}"


@dataclass(frozen=True, slots=True)
class FieldSelector:
    """All of the requirements must hold."""

    requirements: tuple[FieldRequirement, ...] = ()

    def matches(self, get: Getter) -> bool:
        """Tell whether an object is selected."""
        return all((get(each.field) == each.value) != each.negated for each in self.requirements)

    @property
    def empty(self) -> bool:
        """Whether every object matches."""
        return not self.requirements

    def exact(self, field: str) -> str | None:
        """Give the one value that a field must have, if the selector asks for one."""
        for each in self.requirements:
            if each.field == field and not each.negated:
                return each.value
        return None

    def convert(self, change: Convert) -> "FieldSelector":
        """Change fields and values; a condition that becomes empty is left out."""
        changed = []
        for each in self.requirements:
            field, value = change(each.field, each.value)
            if field or value:
                changed.append(FieldRequirement(field, value, each.negated))
        return FieldSelector(tuple(changed))

    def __str__(self) -> str:
        """Write it in canonical form."""
        return ",".join(map(str, self.requirements))


EVERYTHING: Final = FieldSelector()


def parse_fields(text: str) -> FieldSelector:
    """Read a field selector, or raise SelectorError."""
    if not text:
        return EVERYTHING
    found = []
    for term in sorted(filter(None, _terms(text))):
        field, operator, value = _split(term)
        if not operator:
            raise SelectorError(f"invalid selector: '{text}'; can't understand '{term}'")
        value = unescape(value)
        if field or value:  # Kubernetes takes `=` alone for no condition
            found.append(FieldRequirement(field, value, operator == "!="))
    return FieldSelector(tuple(found))


def _terms(text: str) -> list[str]:
    """Split at commas that have no backslash before them."""
    terms = []
    start, escaped = 0, False
    for position, char in enumerate(text):
        if char == "," and not escaped:
            terms.append(text[start:position])
            start = position + 1
        escaped = char == "\\" and not escaped
    return [*terms, text[start:]]


def _split(term: str) -> tuple[str, str, str]:
    """Split at the first operator, which no field name can hold."""
    for position, char in enumerate(term):
        for operator in ("!=", "==", "=") if char in "!=" else ():
            if term.startswith(operator, position):
                return term[:position], operator, term[position + len(operator) :]
    return term, "", ""


def escape(value: str) -> str:
    """Protect what has a meaning in a selector."""
    return value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")


def unescape(value: str) -> str:
    """Take the protection away, or raise SelectorError where it is wrong or missing."""
    out = []
    chars = iter(value)
    for char in chars:
        if char == "\\":
            char = next(chars, "")
            if char not in ("\\", ",", "="):
                told = f"invalid escape sequence: \\{char}"
                raise SelectorError(f"invalid field selector: {told}")
        elif char in ",=":
            told = f"unescaped character in value: {ord(char)}"  # as a number, as Kubernetes does
            raise SelectorError(f"invalid field selector: {told}")
        out.append(char)
    return "".join(out)
