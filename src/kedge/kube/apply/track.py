"""Keep metadata.managedFields up to date when an object is created, updated or patched."""

from typing import Any, Final

from kedge.kube.apply.atoms import ElementError, atom_of
from kedge.kube.apply.check import problem
from kedge.kube.apply.compare import compare
from kedge.kube.apply.contents import reconciled
from kedge.kube.apply.entries import (
    UPDATE,
    Entry,
    Identity,
    capped,
    decode,
    identity,
    in_order,
    is_reset,
    make,
    own_identity,
)
from kedge.kube.apply.manager import Manager
from kedge.kube.apply.sets import (
    EMPTY,
    LEAF,
    FieldSet,
    difference,
    matching,
    recursive_difference,
    union,
)
from kedge.kube.schema import Schema

Object = dict[str, Any]

NEVER_OWNED: Final[FieldSet] = {
    "f:apiVersion": LEAF,
    "f:kind": LEAF,
    "f:metadata": {
        ".": LEAF,
        "f:clusterName": LEAF,
        "f:creationTimestamp": LEAF,
        "f:generation": LEAF,
        "f:managedFields": LEAF,
        "f:name": LEAF,
        "f:namespace": LEAF,
        "f:resourceVersion": LEAF,
        "f:selfLink": LEAF,
        "f:uid": LEAF,
    },
}
"""What Kubernetes leaves out of every entry."""


class Unconvertible(Exception):
    """An entry of a custom resource names a version that the resource does not have."""


def track(
    managed: list[Entry] | None,
    old: Object | None,
    new: Object,
    schema: Schema,
    manager: Manager,
    now: str,
) -> list[Entry]:
    """Give the entries after a write that made `new` out of `old` (None: a creation).

    Where `managed` is None, they go on from the entries of both objects, by Kubernetes' rules for
    what a user may send; else from these, which must be as this package writes them. An empty
    result says that the object has no entries.
    """
    if managed is None:
        managed = chosen(old, new, manager.subresource)
    if not managed and old is not None:
        return []  # someone reset the entries: nothing is tracked until the next apply
    if not schema.name and problem(atom_of(schema), bare(new), allow_duplicates=True):
        return []  # what does not fit its schema can not be tracked, and may yet pass validation
    try:
        change = Difference(old or {}, new, schema, manager, structured=bool(schema.name))
        return _tracked(managed, change, now)
    except (ElementError, Unconvertible):
        return []


def chosen(old: Object | None, new: Object, subresource: str = "") -> list[Entry]:
    """Choose the entries to go on from: those a user sent where they are good, else the live."""
    live: list[Entry] = stored(old)
    wanted = _raw(new)
    if subresource or wanted is None or wanted is live or wanted == live:
        return live
    if is_reset(wanted):
        return []
    try:
        return decode(wanted) or live
    except ValueError:
        return live


def stored(obj: Object | None) -> list[Entry]:
    """Give the entries of an object that this package wrote."""
    entries: list[Entry] = [] if obj is None else _raw(obj) or []
    if len(entries) > 1 and len({identity(entry) for entry in entries}) < len(entries):
        # The scale subresource can leave two entries of one owner: the last of them counts.
        return list({identity(entry): entry for entry in entries}.values())
    return entries


def bare(obj: Object) -> Object:
    """Take the entries out of an object."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return obj
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**obj, "metadata": rest}


def _raw(obj: Object) -> list[Any] | None:
    entries = (obj.get("metadata") or {}).get("managedFields")
    return entries if isinstance(entries, list) else None


class Difference:
    """What changed between two objects, in every version that an entry may ask for."""

    __slots__ = ("by_version", "manager", "new", "old", "schema", "structured")

    def __init__(
        self, old: Object, new: Object, schema: Schema, manager: Manager, structured: bool
    ) -> None:
        """Compare in the version of the request at once, in others when asked."""
        self.old, self.new, self.schema, self.manager = old, new, schema, manager
        self.structured = structured
        changed, removed = compare(atom_of(schema, structured), old, new)
        sets = let_through(changed, manager), let_through(removed, manager)
        self.by_version: dict[str, tuple[FieldSet, FieldSet] | None] = {manager.api_version: sets}

    def at(self, version: str) -> tuple[FieldSet, FieldSet] | None:
        """Give what changed and what is gone in a version; None: the kind has no such version."""
        if version not in self.by_version:
            self.by_version[version] = self._converted(version)
        return self.by_version[version]

    def _converted(self, version: str) -> tuple[FieldSet, FieldSet] | None:
        if self.manager.versions is None:
            return self.by_version[self.manager.api_version]
        other = self.manager.versions.get(version)
        if other is None:
            if not self.schema.name:
                raise Unconvertible(version)
            return None
        old = other.convert(self.old) if self.old else self.old
        atom = atom_of(other.schema, self.structured)
        changed, removed = compare(atom, old, other.convert(self.new))
        reset = other.reset or EMPTY
        return recursive_difference(changed, reset), recursive_difference(removed, reset)


def let_through(fields: FieldSet, manager: Manager) -> FieldSet:
    """Leave out the fields that the endpoint sets back."""
    if fields and manager.reset:
        fields = recursive_difference(fields, manager.reset)
    if fields and manager.keep:
        fields = matching(fields, manager.keep)
    return fields


def _tracked(managed: list[Entry], change: Difference, now: str) -> list[Entry]:
    manager = change.manager
    changed, removed = change.by_version[manager.api_version] or (EMPTY, EMPTY)
    own = difference(changed, NEVER_OWNED)
    if not own and _is_settled(managed, change) and not difference(removed, NEVER_OWNED):
        return managed
    kept: list[Entry] = []
    for entry in managed:
        fields = _left(entry, change)
        if fields:
            kept.append(entry if fields is entry["fieldsV1"] else {**entry, "fieldsV1": fields})
    if own:
        mine = own_identity(manager, UPDATE)
        kept = _with_own(kept, mine, manager.api_version, own, now)
    return capped(in_order(kept))


def _is_settled(managed: list[Entry], change: Difference) -> bool:
    """Tell whether the entries stay as they are when the object does."""
    version = change.manager.api_version
    return bool(change.schema.name) and all(
        entry["apiVersion"] == version and entry["fieldsV1"] for entry in managed
    )


def _left(entry: Entry, change: Difference) -> FieldSet:
    """Give what is left of an entry."""
    version = entry["apiVersion"]
    sets = change.at(version)
    if sets is None:
        return EMPTY
    fields: FieldSet = entry["fieldsV1"]
    if not change.schema.name:
        fields = reconciled(fields, atom_of(_schema_at(change, version)))
    return difference(difference(fields, sets[0]), sets[1])


def _schema_at(change: Difference, version: str) -> Schema:
    manager = change.manager
    if version == manager.api_version or manager.versions is None:
        return change.schema
    return manager.versions[version].schema


def _with_own(
    kept: list[Entry], mine: Identity, version: str, own: FieldSet, now: str
) -> list[Entry]:
    before = next((entry for entry in kept if identity(entry) == mine), None)
    if before is None:
        return [*kept, make(mine, version, own, now)]
    joined = make(mine, version, union(before["fieldsV1"], own), now)
    return [joined if entry is before else entry for entry in kept]


def settled(old: Object, new: Object) -> list[Entry]:
    """Give the new entries; the old ones where nothing but their times would change.

    To be asked when the new object is complete: only then is it known whether anything changed.
    """
    before, after = _raw(old) or [], _raw(new) or []
    if len(before) != len(after) or before == after:
        return after
    if all(map(_are_alike_but_for_time, before, after)) and _without_entries(
        old
    ) == _without_entries(new):
        return before
    return after


def _are_alike_but_for_time(before: Entry, after: Entry) -> bool:
    """Tell whether the entries are the same but for their times."""
    times = before.get("time"), after.get("time")
    return {**before, "time": times} == {**after, "time": times}


def _without_entries(obj: Object) -> Object:
    skipped = ("managedFields", "resourceVersion")
    metadata = {name: obj["metadata"][name] for name in obj["metadata"] if name not in skipped}
    return {**obj, "metadata": metadata}
