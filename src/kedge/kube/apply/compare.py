"""Tell which fields differ between two objects, as field sets."""

from typing import Any

from kedge.kube.apply.atoms import ABSENT, DEDUCED, Atom, ListAtom, MapAtom
from kedge.kube.apply.elements import SELF
from kedge.kube.apply.sets import LEAF, FieldSet, ordered

Object = dict[str, Any]


def compare(atom: Atom, old: Object, new: Object) -> tuple[FieldSet, FieldSet]:
    """Give the fields that are new or have another value, and those that are gone."""
    changed: FieldSet = {}
    removed: FieldSet = {}
    if atom.map is not None and old is not new:
        _fields(atom.map, old, new, changed, removed)
    return ordered(changed), ordered(removed)


def same(left: Any, right: Any) -> bool:
    """Tell whether two values are the same to Kubernetes: 1 is 1.0, but not true."""
    if left is right:
        return True
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and len(left) == len(right)
            and all(name in right and same(value, right[name]) for name, value in left.items())
        )
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _fields(atom: MapAtom, old: Object, new: Object, changed: FieldSet, removed: FieldSet) -> None:
    fixed = atom.fixed
    for name, value in new.items():
        before = old.get(name, ABSENT)
        if before is value:
            continue
        if before is ABSENT:
            before = fixed.get(name, ABSENT)
            if before is ABSENT:
                deep = isinstance(value, (dict, list))
                changed[f"f:{name}"] = everything(atom.child(name), value) if deep else LEAF
                continue
        if before == value and (not atom.is_loose or same(before, value)):
            continue  # the quick comparison takes 1 for true
        _values(atom.child(name), before, value, f"f:{name}", (changed, removed))
    if not old.keys() <= new.keys():
        _lost_fields(atom, old, new, changed, removed)


def _lost_fields(
    atom: MapAtom, old: Object, new: Object, changed: FieldSet, removed: FieldSet
) -> None:
    fixed = atom.fixed
    for name, before in old.items():
        if name in new:
            continue
        if name not in fixed:
            removed[f"f:{name}"] = everything(atom.child(name), before)
        elif before != fixed[name]:
            _values(atom.child(name), before, fixed[name], f"f:{name}", (changed, removed))


def _values(atom: Atom, old: Any, new: Any, element: str, sets: tuple[FieldSet, FieldSet]) -> None:
    """Compare two values that differ; each of `sets` gets its node under `element`."""
    below: tuple[FieldSet, FieldSet] = {}, {}
    granular = atom.map is not None and not atom.map.atomic
    if granular and isinstance(old, dict) and isinstance(new, dict):
        _fields(atom.map, old, new, *below)  # type: ignore[arg-type]
    elif atom.list is not None and not atom.list.atomic and type(old) is type(new) is list:
        _items(atom.list, old, new, *below)
    else:
        _unlike(atom, old, new, element, sets)
        return
    if below[0]:
        sets[0][element] = ordered(below[0])
    if below[1]:
        sets[1][element] = ordered(below[1])


def _unlike(atom: Atom, old: Any, new: Any, element: str, sets: tuple[FieldSet, FieldSet]) -> None:
    """Compare leaves, or values of two kinds; null is not the same as a map without fields."""
    changed, removed = sets
    gone, come = _below(atom, old), _below(atom, new)
    if gone:
        removed[element] = gone
    if come and old is None:
        changed[element] = come
    elif not gone or new is not None:
        changed[element] = {SELF: LEAF, **come} if come else LEAF


def _below(atom: Atom, value: Any) -> FieldSet:
    """Make the node of all that is below a value, without the value itself."""
    node = everything(atom, value)
    return {name: node[name] for name in node if name != SELF}


def everything(atom: Atom, value: Any) -> FieldSet:
    """Make the node of a value and of every part of it that can be owned."""
    if isinstance(value, dict):
        return _all_fields(atom.map, value)
    if isinstance(value, list) and value and atom.list is not None and not atom.list.atomic:
        return _all_items(atom.list, value)
    return LEAF


def _all_fields(atom: MapAtom | None, value: Object) -> FieldSet:
    if atom is None or atom.atomic:
        return LEAF
    fixed = atom.fixed
    if fixed and not fixed.keys() <= value.keys():
        value = {**fixed, **value}
    if not value:
        return LEAF
    fields, other = atom.fields, atom.element or DEDUCED
    node: FieldSet = {SELF: LEAF}
    for name in sorted(value):
        below = value[name]
        if isinstance(below, dict):
            node[f"f:{name}"] = _all_fields((fields.get(name) or other).map, below)
        elif isinstance(below, list):
            node[f"f:{name}"] = everything(fields.get(name) or other, below)
        else:
            node[f"f:{name}"] = LEAF
    return node


def _all_items(atom: ListAtom, items: list[Any]) -> FieldSet:
    if len(items) == 1:
        return {SELF: LEAF, atom.element(items[0]): everything(atom.item, items[0])}
    node: FieldSet = {SELF: LEAF}
    for element, same_key in indexed(atom, items).items():
        node[element] = _whole(atom, same_key)
    return ordered(node)


def indexed(atom: ListAtom, items: list[Any]) -> dict[str, list[Any]]:
    """Group the items by path element, in the order of the list. Raises ElementError."""
    by_element: dict[str, list[Any]] = {}
    for item in items:
        by_element.setdefault(atom.element(item), []).append(item)
    return by_element


def _items(
    atom: ListAtom, old: list[Any], new: list[Any], changed: FieldSet, removed: FieldSet
) -> None:
    before, after = indexed(atom, old), indexed(atom, new)
    for element, items in after.items():
        known = before.get(element, [])
        if len(known) == len(items) == 1:
            if not _alike(atom, known[0], items[0]):
                _values(atom.item, known[0], items[0], element, (changed, removed))
        elif len(known) < 2 or len(items) < 2:
            changed[element] = _whole(atom, items)
            if known:
                removed[element] = _whole(atom, known)
        elif not same(known, items):
            changed[element] = LEAF
    for element, known in before.items():
        if element not in after:
            removed[element] = _whole(atom, known)


def _whole(atom: ListAtom, same_key: list[Any]) -> FieldSet:
    """Make the node of the items with one key; several of them can only be owned together."""
    return everything(atom.item, same_key[0]) if len(same_key) == 1 else LEAF


def _alike(atom: ListAtom, known: Any, item: Any) -> bool:
    fields = atom.item.map
    return bool(known == item) and (fields is None or not fields.is_loose or same(known, item))
