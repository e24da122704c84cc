"""What server-side apply knows of a place in an object: a scalar, a list, a map, or any of them.

Atoms are compiled from a `Schema` once and kept in its cache. Where there is no schema, the value
itself tells: maps are granular, lists and scalars are owned as a whole.

Built-in kinds have a second, structured form: Go holds them in structs, which have some fields
whether anybody set them or not (`status: {}`), and nobody comes to own those by their presence.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from kedge.kube.apply.elements import json_text, of_value
from kedge.kube.apply.objectmeta import OBJECT_META
from kedge.kube.gotext import quote
from kedge.kube.schema import UNSET, Schema

UNTYPED: Final = "untyped"
ABSENT: Final[Any] = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
TEXT_FORMATS: Final = ("", "byte")
NULLS: Final = ("date-time", "micro-time", "raw")
"""Structs that Go writes as null where nobody set them."""
ZEROS: Final[dict[str, Any]] = {"string": "", "integer": 0, "number": 0, "boolean": False}
ZERO_STRUCTS: Final[dict[str, Any]] = {"quantity": "0", "int-or-string": 0, "duration": "0s"}


class ElementError(ValueError):
    """A list item has no place of its own: its key is missing, or it is of the wrong kind."""


class MapAtom:
    """A map or a struct. What is below it is compiled on first use: some types hold themselves."""

    __slots__ = ("atomic", "element", "fields", "fixed", "is_loose", "load")

    atomic: bool
    """Owned as a whole."""
    is_loose: bool
    """Something below has no type, so that 1 and true can stand in the same place."""
    fields: dict[str, "Atom"]
    """The declared fields."""
    element: "Atom | None"
    """The values of fields that are not declared; None: there may be none."""
    fixed: dict[str, Any]
    """What Go's struct has in these fields when nobody set them."""
    load: Callable[["MapAtom"], None]

    def __getattr__(self, name: str) -> Any:
        """Compile what is below when it is first asked for."""
        if name not in ("fields", "element", "fixed"):
            raise AttributeError(name)
        self.load(self)
        return getattr(self, name)

    def child(self, name: str) -> "Atom":
        """Give the atom of a field."""
        return self.fields.get(name) or self.element or DEDUCED


class ListAtom:
    """A list: owned as a whole, a set of scalars, or a map by some fields of its items."""

    __slots__ = ("atomic", "default", "item", "keys", "names", "prefix")

    def __init__(self, atomic: bool, item: "Atom", keys: dict[str, str | None]) -> None:
        """Take the keys with the texts of their defaults."""
        self.atomic = atomic
        self.item = item
        self.names = tuple(keys)
        self.keys = dict(sorted(keys.items()))
        only = next(iter(keys)) if len(keys) == 1 else ""
        self.prefix = f"k:{{{json_text(only)}:" if only else ""
        self.default = keys[only] if only else None

    def element(self, item: Any) -> str:
        """Give the path element of an item. Raises ElementError."""
        if not self.keys:
            return _set_element(item)
        if not isinstance(item, dict):
            what = "a null element" if item is None else "non-map elements"
            raise ElementError(f"associative list with keys may not have {what}")
        if self.prefix:
            value = item.get(self.names[0], ABSENT)
            text = self.default if value is ABSENT else json_text(value)
            if text is not None:
                return f"{self.prefix}{text}}}"
        return self._long_element(item)

    def _long_element(self, item: dict[str, Any]) -> str:
        parts = []
        for name, default in self.keys.items():
            text = json_text(item[name]) if name in item else default
            if text is not None:
                parts.append(f"{json_text(name)}:{text}")
        if not parts:
            names = " ".join(map(quote, self.names))
            raise ElementError(
                f"associative list with keys has an element that omits all key fields [{names}]"
                " (and doesn't have default values for any key fields)"
            )
        return f"k:{{{','.join(parts)}}}"


def _set_element(item: Any) -> str:
    if isinstance(item, dict):
        raise ElementError("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise ElementError("not supported: associative list with lists as elements")
    if item is None:
        raise ElementError("associative list without keys has an element that's an explicit null")
    return of_value(item)


class Atom:
    """The kinds of value that a place may have; None for those it may not."""

    __slots__ = ("list", "map", "scalar")

    def __init__(
        self, scalar: str = "", lists: ListAtom | None = None, maps: MapAtom | None = None
    ) -> None:
        """Take what is allowed; `scalar` is string, numeric, boolean, untyped, or empty."""
        self.scalar = scalar
        self.list = lists
        self.map = maps


def _untyped(atomic: bool) -> Atom:
    atom = Atom(UNTYPED)
    atom.map = MapAtom()
    atom.map.atomic, atom.map.is_loose = atomic, True
    atom.map.element, atom.map.fields, atom.map.fixed = atom, {}, {}
    atom.list = ListAtom(True, atom, {})
    return atom


WHOLE: Final = _untyped(True)
"""Anything, owned as a whole."""
DEDUCED: Final = _untyped(False)
"""Anything: maps granular, all else owned as a whole."""
DEDUCED.list = WHOLE.list


class Mode(NamedTuple):
    """How what is below a schema is compiled."""

    structured: bool = False
    """Go holds the object in structs."""
    preserve: bool = False
    """A place above keeps unknown fields, and so do the unnamed types below it."""

    @property
    def key(self) -> str:
        """Where the atom of this mode is kept in a schema's cache."""
        return f"apply {self.structured:d}{self.preserve:d}"


def atom_of(schema: Schema, structured: bool = False) -> Atom:
    """Compile the schema of a whole object; `structured` for one that Go holds in a struct."""
    mode = Mode(structured)
    if schema.name:
        return _compiled(schema, mode)
    atom: Atom | None = schema.cache.get("apply whole")
    if atom is None:
        atom = Atom(maps=_map(schema, Mode(preserve=schema.preserve), True))
        schema.cache["apply whole"] = atom
    return atom


def _compiled(schema: Schema, above: Mode) -> Atom:
    """Compile a schema once per mode: its fields are shared by all places that have the type."""
    preserve = schema.preserve or (above.preserve and not schema.name)
    mode = Mode(above.structured, preserve)
    atom: Atom | None = schema.cache.get(mode.key)
    if atom is None:
        atom = schema.cache[mode.key] = _built(schema, mode)
    return atom


def _built(schema: Schema, mode: Mode) -> Atom:
    if schema.format == "raw":
        return WHOLE
    match schema.type:
        case "object":
            return Atom(maps=_map(schema, mode, schema.embedded))
        case "array":
            return Atom(lists=_list(schema, mode))
        case "string":
            return Atom("string" if schema.format in TEXT_FORMATS else UNTYPED)
        case "integer" | "number":
            return Atom("numeric")
        case "boolean":
            return Atom("boolean")
    return Atom(UNTYPED, _list(schema, mode), _map(schema, mode, schema.embedded))


def _map(schema: Schema, mode: Mode, whole: bool) -> MapAtom:
    """Compile a map; a `whole` one is an object, with the fields that all objects have."""

    def load(atom: MapAtom) -> None:
        # A value of several kinds (schema-or-bool) can be anything here.
        declared = schema.fields if schema.type or not schema.format else {}
        fields = {name: _compiled(child, mode) for name, child in declared.items()}
        if whole:
            fields["apiVersion"] = fields["kind"] = Atom("string")
            fields["metadata"] = _compiled(OBJECT_META, Mode())
        atom.fixed = _fixed(schema) if mode.structured and schema.name else {}
        if schema.additional is not None:
            atom.element = _compiled(schema.additional, mode)
        else:
            atom.element = DEDUCED if mode.preserve or not fields else None
        atom.fields = fields

    atom = MapAtom()
    atom.atomic = schema.map_type == "atomic"
    atom.is_loose = not schema.name and (mode.preserve or _has_untyped(schema))
    atom.load = load
    return atom


def _list(schema: Schema, mode: Mode) -> ListAtom:
    item = WHOLE if schema.items is None else _compiled(schema.items, mode)
    keys = schema.list_keys if schema.list_type == "map" else ()
    defaults = {key: _key_default(schema.items, key) for key in keys}
    return ListAtom(schema.list_type == "atomic", item, defaults)


def _key_default(item: Schema | None, key: str) -> str | None:
    field = item.fields.get(key) if item is not None else None
    if item is None or field is None:
        return None
    if field.default is not UNSET and field.default is not None:
        return json_text(field.default)
    # A struct's field that Go always writes has its zero value as the default in OpenAPI.
    always = item.name and not field.omit_empty and not field.pointer
    return json_text(ZEROS[field.type]) if always and field.type in ZEROS else None


def _fixed(schema: Schema) -> dict[str, Any]:
    zeros = ((name, _zero(child)) for name, child in schema.fields.items())
    return {name: zero for name, zero in zeros if zero is not ABSENT}


def _zero(schema: Schema) -> Any:
    """Give what Go writes for a field that nobody set."""
    if schema.omit_zero or (schema.pointer and schema.omit_empty):
        return ABSENT
    if schema.pointer or schema.format in NULLS:
        return None
    if schema.type == "object" and schema.name and not schema.is_map:
        return _fixed(schema)
    if schema.format in ZERO_STRUCTS:
        return ZERO_STRUCTS[schema.format]
    if schema.omit_empty:
        return ABSENT
    return None if schema.format == "byte" else ZEROS.get(schema.type)


def _has_untyped(schema: Schema) -> bool:
    """Tell whether a custom resource's schema lets a value of any kind stand somewhere."""
    if schema.name:
        return False
    if schema.preserve or not schema.type:
        return schema.format != "int-or-string"
    if schema.type == "object" and not schema.fields and schema.additional is None:
        return True
    below = [*schema.fields.values(), schema.additional, schema.items]
    return any(child is not None and _has_untyped(child) for child in below)
