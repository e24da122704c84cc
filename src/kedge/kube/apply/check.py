"""Check an object against its schema, in the words of server-side apply."""

from typing import Any, Final

from kedge.kube.apply.atoms import (
    DEDUCED,
    UNTYPED,
    WHOLE,
    Atom,
    ElementError,
    ListAtom,
    MapAtom,
)
from kedge.kube.apply.elements import show
from kedge.kube.gotext import quote, to_text, type_text

_SCALARS: Final[dict[str, frozenset[type]]] = {
    "": frozenset(),
    "boolean": frozenset({bool}),
    "numeric": frozenset({int, float}),
    "string": frozenset({str}),
    UNTYPED: frozenset({bool, int, float, str}),
}
"""What a scalar of a kind is for sure."""


class Checker:
    """Collects what is wrong with one object."""

    def __init__(self, allow_duplicates: bool) -> None:
        """Take whether items of a list may share a key."""
        self.allow_duplicates = allow_duplicates
        self.problems: list[str] = []

    def report(self, path: str, message: str) -> None:
        """Keep one problem."""
        self.problems.append(f"{path}: {message}" if path else message)

    def visit(self, atom: Atom, value: Any, path: str) -> None:
        """Check a value."""
        if value is None:
            return
        if isinstance(value, dict) and atom.map is not None:
            self._fields(atom.map, value, path)
        elif isinstance(value, list) and atom.list is not None:
            self._items(atom.list, value, path)
        elif atom.scalar and not isinstance(value, (dict, list)):
            self._scalar(atom.scalar, value, path)
        else:
            self._mismatch(atom, value, path)

    def _mismatch(self, atom: Atom, value: Any, path: str) -> None:
        if atom.map is not None:
            self.report(path, f"expected map, got &{{{to_text(_floats(value))}}}")
        elif atom.scalar:
            self._scalar(atom.scalar, value, path)
        else:
            self.report(path, f"expected list, got &{{{to_text(_floats(value))}}}")

    def _scalar(self, kind: str, value: Any, path: str) -> None:
        match kind:
            case "numeric" if isinstance(value, bool) or not isinstance(value, (int, float)):
                self.report(path, f"expected numeric (int or float), got {type_text(value)}")
            case "string" if not isinstance(value, str):
                got = f"&value.valueUnstructured{{Value:{_syntax(value)}}}"
                self.report(path, f"expected string, got {got}")
            case "boolean" if not isinstance(value, bool):
                self.report(path, f"expected boolean, got &{{{to_text(_floats(value))}}}")
            case "untyped" if isinstance(value, (dict, list)):
                self.report(path, f"expected any scalar, got &{{{to_text(_floats(value))}}}")

    def _fields(self, atom: MapAtom, value: dict[str, Any], path: str) -> None:
        for name, below in value.items():
            child = atom.fields.get(name, atom.element)
            if child is None:
                self.report(f"{path}.{name}", "field not declared in schema")
                return
            self.visit(child, below, f"{path}.{name}")

    def _items(self, atom: ListAtom, items: list[Any], path: str) -> None:
        seen: set[str] = set()
        for index, item in enumerate(items):
            element = f"i:{index}"
            if not atom.atomic:
                try:
                    element = atom.element(item)
                except ElementError as exc:
                    self.report(path, f"element {index}: {exc}")
                    return
                if element in seen and not self.allow_duplicates:
                    self.report(path, f"duplicate entries for key {show(element)}")
                seen.add(element)
            self.visit(atom.item, item, path + show(element))


def fits(atom: Atom, value: Any) -> bool:
    """Tell whether nothing is wrong for sure, but for items of a list that share a key."""
    if atom is DEDUCED or atom is WHOLE:
        return True
    if isinstance(value, dict):
        return atom.map is not None and _fit(atom.map, value)
    if isinstance(value, list):
        return atom.list is not None and _items_fit(atom.list, value)
    return value is None or type(value) in _SCALARS[atom.scalar]


def _fit(atom: MapAtom, value: dict[str, Any]) -> bool:
    fields, element = atom.fields, atom.element
    for name, below in value.items():
        child = fields.get(name, element)
        if child is None or not fits(child, below):
            return False
    return True


def _items_fit(atom: ListAtom, items: list[Any]) -> bool:
    if not atom.atomic:
        try:
            for item in items:
                atom.element(item)
        except ElementError:
            return False
    return all(fits(atom.item, item) for item in items)


def problem(atom: Atom, obj: Any, allow_duplicates: bool = False) -> str:
    """Say what is wrong with the object; empty where nothing is."""
    if allow_duplicates and fits(atom, obj):
        return ""
    checker = Checker(allow_duplicates)
    checker.visit(atom, obj, "")
    if len(checker.problems) < 2:
        return "".join(checker.problems)
    return "\n".join(["errors:", *(f"  {text}" for text in checker.problems)])


def _floats(value: Any) -> Any:
    """Make the numbers float64, as which Go reads those of a configuration."""
    if isinstance(value, dict):
        return {name: _floats(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _syntax(value: Any) -> str:
    """Write a value as Go source, as `%#v` does."""
    if isinstance(value, dict):
        pairs = (f"{quote(name)}:{_syntax(value[name])}" for name in sorted(value))
        return f"map[string]interface {{}}{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_syntax, value))}}}"
    if value is None:
        return "interface {}(nil)"
    return quote(value) if isinstance(value, str) else to_text(_floats(value))
