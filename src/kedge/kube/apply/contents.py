"""What an object holds, as a field set; and objects with more or fewer of their fields."""

from typing import Any

from kedge.kube.apply.atoms import Atom, ListAtom, MapAtom, atom_of
from kedge.kube.apply.compare import indexed
from kedge.kube.apply.sets import LEAF, FieldSet, is_member, ordered, with_self
from kedge.kube.schema import Schema

Object = dict[str, Any]


def of_object(obj: Object, schema: Schema) -> FieldSet:
    """Give what one comes to own by applying this object."""
    return contents(atom_of(schema), obj)


def contents(atom: Atom, obj: Object) -> FieldSet:
    """Collect an object's leaves, list items and map entries. Raises ElementError."""
    return {} if atom.map is None else _fields(atom.map, obj)


def _node(atom: Atom, value: Any) -> FieldSet | None:
    """Make the node of a value; None where nothing in it can be owned."""
    if isinstance(value, dict) and atom.map is not None and not atom.map.atomic:
        return _fields(atom.map, value) or None
    if isinstance(value, list) and atom.list is not None and not atom.list.atomic:
        return _items(atom.list, value) or None
    return LEAF


def _fields(atom: MapAtom, value: Object) -> FieldSet:
    out: FieldSet = {}
    for name in sorted(value):
        below = value[name]
        node = _node(atom.child(name), below)
        if below is None or below == {}:
            node = LEAF
        elif name not in atom.fields:
            node = LEAF if node is None else with_self(node)
        if node is not None:
            out[f"f:{name}"] = node
    return out


def _items(atom: ListAtom, items: list[Any]) -> FieldSet:
    out: FieldSet = {}
    for element, same_key in indexed(atom, items).items():
        node = _node(atom.item, same_key[0]) if len(same_key) == 1 else LEAF
        out[element] = with_self(node) if node else LEAF
    return ordered(out)


def named(fields: FieldSet, atom: Atom | None) -> FieldSet:
    """Make every declared field that has a member below it a member too."""
    out: FieldSet = {}
    for element, node in fields.items():
        below = atom and _descend(atom, element)
        deep = named(node, below) if node else node
        is_named = atom is not None and atom.map is not None and element[2:] in atom.map.fields
        out[element] = with_self(deep) if is_named and element[:2] == "f:" else deep
    return out


def _descend(atom: Atom, element: str) -> Atom | None:
    if element[:2] == "f:" and atom.map is not None:
        return atom.map.fields.get(element[2:], atom.map.element)
    return atom.list.item if element[:2] == "k:" and atom.list is not None else None


def without(atom: Atom, value: Any, fields: FieldSet) -> Any:
    """Take the members of a set out of a value; None where nothing is left."""
    if isinstance(value, dict) and atom.map is not None:
        return None if atom.map.atomic else _without_fields(atom.map, value, fields)
    if isinstance(value, list) and atom.list is not None:
        return None if atom.list.atomic else _without_items(atom.list, value, fields)
    return value


def _without_fields(atom: MapAtom, value: Object, fields: FieldSet) -> Any:
    out: Object = {}
    for name, below in value.items():
        node = fields.get(f"f:{name}")
        if node is None:
            out[name] = below
        elif not is_member(node):
            out[name] = without(atom.child(name), below, node)
    return out or None


def _without_items(atom: ListAtom, items: list[Any], fields: FieldSet) -> Any:
    out = []
    for item in items:
        node = fields.get(atom.element(item))
        if node is None:
            out.append(item)
        elif not is_member(node):
            out.append(without(atom.item, item, node))
    return out or None


def reconciled(fields: FieldSet, atom: Atom | None) -> FieldSet:
    """Fit a set to a changed schema: what is owned as a whole has no owned parts."""
    out: FieldSet | None = None
    for element, node in fields.items():
        below = _descend(atom, element) if node and atom is not None else None
        if below is None:
            continue
        fresh = LEAF if _is_whole(below) else reconciled(node, below)
        if fresh is not node:
            out = dict(fields) if out is None else out
            out[element] = fresh
    return fields if out is None else out


def _is_whole(atom: Atom) -> bool:
    if atom.map is not None:
        return atom.map.atomic
    return not atom.scalar and atom.list is not None and atom.list.atomic
