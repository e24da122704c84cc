"""Server-side apply: merge a configuration into the live object, and settle who owns what."""

from dataclasses import dataclass, replace
from typing import Any, Final

from kedge.kube.apply.atoms import Atom, ElementError, atom_of
from kedge.kube.apply.check import problem
from kedge.kube.apply.compare import same
from kedge.kube.apply.conflicts import conflict_error
from kedge.kube.apply.contents import contents, named, reconciled, without
from kedge.kube.apply.entries import (
    APPLY,
    Entry,
    Identity,
    identity,
    in_order,
    make,
    own_identity,
)
from kedge.kube.apply.lastapplied import KUBECTL, allowed, synced
from kedge.kube.apply.manager import Manager, Version
from kedge.kube.apply.merge import merged
from kedge.kube.apply.sets import (
    EMPTY,
    FieldSet,
    difference,
    intersection,
    union,
)
from kedge.kube.apply.track import NEVER_OWNED, Difference, bare, let_through, stored, track
from kedge.kube.errors import BadRequest, UnknownError
from kedge.kube.schema import Schema

Object = dict[str, Any]

BEFORE_FIRST_APPLY: Final = "before-first-apply"
"""Owns what is in an object without entries when it is first applied to."""


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """What an apply makes of an object: itself without managedFields, and those it should get."""

    obj: Object
    managed: list[Entry]
    is_changed: bool
    """Whether the object itself differs from the live one."""


def apply(
    live: Object | None,
    applied: Object,
    schema: Schema,
    manager: Manager,
    force: bool,
    now: str,
) -> ApplyResult:
    """Apply a configuration to the live object (None: there is none).

    Raises Conflict, BadRequest, UnknownError. The result is neither decoded nor defaulted: both
    are for the one who stores it, as is to refuse a name or a namespace that does not fit.
    """
    _check_type(applied, manager)
    entries = stored(live)
    if live is not None and not entries:
        entries = _claimed(live, schema, manager, now)
    _check_entries(applied)
    run = _Run(live or {}, applied, schema, manager)
    run.take(entries)
    try:
        return run.result(force, now)
    except ElementError as exc:
        raise UnknownError(f"failed to merge config: {exc}") from exc


def _claimed(live: Object, schema: Schema, manager: Manager, now: str) -> list[Entry]:
    """Make an entry for all that is in an object without any."""
    what = problem(atom_of(schema), live, allow_duplicates=True)
    if what:
        raise UnknownError(
            "failed to create manager for existing fields: "
            f"failed to convert new object ({described(live)}) to smd typed: {what}"
        )
    return track([], None, live, schema, replace(manager, name=BEFORE_FIRST_APPLY), now)


def described(obj: Object) -> str:
    """Write an object as messages do: `namespace/name; group/version, Kind=kind`."""
    metadata = obj.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return f"{_text(metadata, 'namespace')}/{_text(metadata, 'name')}; {_type(obj)}"


def _type(obj: Object) -> str:
    version = _text(obj, "apiVersion")
    if version.count("/") > 1:
        return "/, Kind="
    qualified = version if "/" in version else f"/{version}"
    return f"{qualified}, Kind={_text(obj, 'kind')}"


def _text(obj: Object, name: str) -> str:
    value = obj.get(name)
    return value if isinstance(value, str) else ""


def _check_type(applied: Object, manager: Manager) -> None:
    expected = {"apiVersion": manager.api_version, "kind": manager.kind}
    if manager.kind and _type(applied) != _type(expected):
        raise BadRequest(f"invalid object type: {_type(applied)}")


def _check_entries(applied: Object) -> None:
    metadata = applied.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        raise BadRequest("metadata.managedFields must be nil")


class _Run:
    """One apply: the objects, the shape they have, and the entries by owner."""

    def __init__(self, live: Object, applied: Object, schema: Schema, manager: Manager) -> None:
        self.applied, self.schema, self.manager = applied, schema, manager
        self.atom = atom_of(schema)
        self.live = live
        self.mine = own_identity(manager, APPLY)
        self.entries: dict[Identity, Entry] = {}
        self.views = {manager.api_version: self.view(manager.api_version)}
        what = problem(self.atom, applied)
        if what:
            raise UnknownError(
                f"failed to create typed patch object ({described(applied)}): {what}"
            )
        # A built-in kind was decoded into its type; a custom one may be older than its schema.
        what = "" if schema.name else problem(self.atom, live, allow_duplicates=True)
        if what:
            raise UnknownError(f"failed to create typed live object ({described(live)}): {what}")

    def take(self, entries: list[Entry]) -> None:
        """Take the entries of the live object, but for those of versions that are no more."""
        for entry in entries:
            version = entry["apiVersion"]
            if self.has(version):
                view = self.views.setdefault(version, self.view(version))
                fields = entry["fieldsV1"]
                if not self.schema.name:  # the schema may be younger than the entry
                    fields = reconciled(fields, view.atom)
                self.entries[identity(entry)] = {**entry, "fieldsV1": fields}

    def has(self, version: str) -> bool:
        """Tell whether the kind has a version; raises UnknownError where a custom one has not."""
        versions = self.manager.versions
        if versions is None or version in versions or version == self.manager.api_version:
            return True
        if self.schema.name:
            return False
        raise UnknownError(f"request to convert CR to an invalid group/version: {version}")

    def view(self, version: str) -> "_View":
        """See objects in a version."""
        other = (self.manager.versions or {}).get(version)
        return _View(self.atom if other is None else atom_of(other.schema), version, other)

    def result(self, force: bool, now: str) -> ApplyResult:
        """Merge, prune, and settle who owns what."""
        last = self.entries.get(self.mine)
        fields = let_through(contents(self.atom, self.applied), self.manager)
        time = last.get("time") if last else None
        self.entries[self.mine] = make(self.mine, self.manager.api_version, fields, time)
        obj = self.pruned(merged(self.atom, self.live, self.applied), last)
        self.settle(obj, force)
        is_changed = not same(self.live, obj)
        self.strip(now if is_changed else time)
        obj = bare(obj)
        if self.manager.name == KUBECTL:
            obj = synced(obj, self.applied)
        return ApplyResult(obj, in_order(self.entries.values()), is_changed)

    def settle(self, obj: Object, force: bool) -> None:
        """Take from the others what this apply changes, or raise Conflict."""
        change = Difference(self.live, obj, self.schema, self.manager, structured=False)
        conflicts: dict[Identity, FieldSet] = {}
        left: dict[Identity, FieldSet] = {}
        for who, entry in self.entries.items():
            sets = change.at(entry["apiVersion"]) if who != self.mine else (EMPTY, EMPTY)
            changed, removed = sets or (EMPTY, EMPTY)
            left[who] = difference(difference(entry["fieldsV1"], changed), removed)
            taken = intersection(entry["fieldsV1"], changed)
            if taken:
                conflicts[who] = taken
        if conflicts and not force:
            self.refuse(conflicts)
        self.entries = {
            who: {**entry, "fieldsV1": left[who]}
            for who, entry in self.entries.items()
            if left[who]
        }

    def refuse(self, conflicts: dict[Identity, FieldSet]) -> None:
        """Raise Conflict, but for what kubectl once owned by client-side apply."""
        if self.manager.name == KUBECTL:
            owned = allowed(self.atom, self.live, self.manager.api_version)
            rest = {who: difference(fields, owned) for who, fields in conflicts.items()}
            conflicts = {who: fields for who, fields in rest.items() if fields}
        if conflicts:
            versions = {who: self.entries[who]["apiVersion"] for who in conflicts}
            raise conflict_error(conflicts, versions)

    def strip(self, time: str | None) -> None:
        """Drop from the own entry what nobody owns, and date it."""
        entry = self.entries.pop(self.mine, None)
        fields = difference(entry["fieldsV1"], NEVER_OWNED) if entry else EMPTY
        if fields:
            version = self.manager.api_version
            self.entries[self.mine] = make(self.mine, version, fields, time)

    def pruned(self, obj: Object, last: Entry | None) -> Object:
        """Take out what this manager applied last time, leaves out now, and nobody owns."""
        if last is None or self.is_kept(last):
            return obj
        view = self.views[last["apiVersion"]]
        whole = view.of(obj)
        mine = named(last["fieldsV1"], view.atom)
        rest = self.owned_back(whole, without(view.atom, whole, mine), last["apiVersion"])
        gone = difference(view.members(whole), view.members(view.of(rest)))
        rest = without(view.atom, whole, intersection(gone, mine))
        return self.views[self.manager.api_version].of(rest)

    def is_kept(self, last: Entry) -> bool:
        """Tell whether the configuration still has all that it had last time."""
        mine = self.entries[self.mine]
        is_same_version = mine["apiVersion"] == last["apiVersion"]
        return is_same_version and not difference(last["fieldsV1"], mine["fieldsV1"])

    def owned_back(self, whole: Object, rest: Object, first: str) -> Object:
        """Put back what anybody owns, this manager's new configuration included."""
        by_version: dict[str, FieldSet] = {first: EMPTY}
        for entry in self.entries.values():
            version = entry["apiVersion"]
            by_version[version] = union(by_version.get(version, EMPTY), entry["fieldsV1"])
        for version, fields in by_version.items():
            view = self.views[version]
            whole, rest = view.of(whole), view.of(rest)
            kept = union(view.members(rest), named(fields, view.atom))
            rest = without(view.atom, whole, difference(view.members(whole), kept))
        return rest


@dataclass(frozen=True, slots=True)
class _View:
    """How objects are in one version of the kind."""

    atom: Atom
    name: str
    version: Version | None
    """None: all versions are alike."""

    def of(self, obj: Object | None) -> Object:
        """Give the object in this version."""
        obj = obj or {}
        if self.version is None or obj.get("apiVersion") == self.name:
            return obj
        return self.version.convert(obj)

    def members(self, obj: Object) -> FieldSet:
        """Give what the object holds, named fields included."""
        return named(contents(self.atom, obj), self.atom)
