"""What the server serves: a Resource is one kind in one version, with its hooks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kedge.kube.fielderror import FieldError
from kedge.kube.names import subdomain_name
from kedge.kube.schema import Schema

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Context:
    """What a hook may know beyond the object: the verb's outcome must depend on nothing else."""

    namespace: str = ""
    subresource: str = ""
    user: str = ""
    groups: tuple[str, ...] = ()
    uid: str = ""
    """Of the user."""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    now: str = ""
    """The time of the request, as metadata writes it."""
    dry_run: bool = False
    generated: bool = False
    """The name was made from generateName."""


class Strategy:
    """Hooks of one kind. Each is pure and works on plain dicts; this one does nothing special.

    Order for create: decode, `default`, metadata, `prepare_create`, `validate`, `warnings`.
    Order for update and patch: decode, `default`, `prepare_update`, `validate_update`, `warnings`.
    """

    allow_create_on_update: bool = False
    """PUT of a name that is not there creates it."""
    allow_unconditional_update: bool = True
    """PUT without a resourceVersion overwrites."""
    has_generation: bool = True
    """metadata.generation counts changes of the spec (of all but metadata and status)."""
    known_finalizers: bool = True
    """A finalizer without a domain must be one of Kubernetes' own."""
    returns_deleted: bool = False
    """DELETE answers with the object, not with a Status."""
    collectable: bool = True
    """The garbage collector looks after dependents of this kind."""
    orphans_by_default: bool = False
    """DELETE without a policy leaves the dependents."""
    orphan_warning: str = ""
    """A Warning for a DELETE without a policy, where that leaves the dependents."""
    holds_deletion: bool = False
    """`hold_deletion` does something; a precondition that fails is told in other words then."""
    checks_metadata: bool = True
    """Its own rules include those of metadata; else a bad name shows only if all else is right."""
    counts_empties: bool = False
    """An empty list in the request moves the generation: the stored object has none there."""
    learns: bool = False
    """`learn` is told of every object that is stored, and of writes that failed."""

    def default(self, obj: Object) -> None:
        """Fill in what the user left out, in place."""

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Clear or set, in place, what a user may not: status, parts of a subresource."""
        obj.pop("status", None)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Carry over, in place, what may not change here; `context.subresource` says where."""

    def has_changed(self, new: Object, old: Object) -> bool:
        """Whether the generation moves: something beyond metadata and status is different."""
        names = (new.keys() | old.keys()) - {"metadata", "status", "apiVersion", "kind"}
        return any(new.get(name) != old.get(name) for name in names)

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Paths that this endpoint never writes, and so never owns: ("status",) on the main one."""
        return (("status",),) if not subresource else (("spec",),)

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Rules for a new object. Metadata has been checked already."""
        return []

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Rules for a changed object: those of `validate`, and what may not change."""
        return self.validate(new, context)

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Give what is wrong with metadata.name, or with generateName (`prefix`)."""
        return subdomain_name(name, prefix)

    def grace_seconds(self, obj: Object, asked: int | None) -> int | None:
        """How long a deletion waits; None: this kind is not deleted gracefully."""
        return None

    def may_vanish(self, obj: Object) -> bool:
        """Whether an update that takes the last finalizer off a deleted object ends its life."""
        return True

    def hold_deletion(self, obj: Object, now: str) -> bool:
        """Mark an object whose deletion waits for a controller (namespaces, CRDs); say if so."""
        return False

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Texts for Warning headers."""
        return []

    def select(self, obj: Object, path: str) -> Any:
        """Give the value that a field selector on `path` compares; None counts as empty."""
        value: Any = obj
        for part in path.strip(".").split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def bare(self, metadata: Object) -> Object:
        """Give metadata as shown without its object: without fields kept in annotations."""
        return metadata

    def learn(self, namespace: str, name: str, obj: Object | None) -> None:
        """Note what the store has under a name now; None: nothing."""

    def to_storage(self, obj: Object) -> Object:
        """Give the object in the version that is stored."""
        return obj

    def from_storage(self, obj: Object) -> Object:
        """Give the object in this version."""
        return obj


@dataclass(frozen=True, slots=True)
class Subresource:
    """One subresource as discovery lists it."""

    name: str
    kind: str
    group: str = ""
    version: str = ""
    verbs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a Table: how it is described, and the cell of an object."""

    name: str
    type: str
    format: str = ""
    description: str = ""
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Printer:
    """Makes Table rows. `cells(obj, now)` takes the time because ages are relative."""

    columns: tuple[Column, ...]
    cells: Callable[[Object, Any], list[Any]]
    conditions: Callable[[Object], list[Object]] | None = None
    """What the row says of the object beyond its cells: a pod that is done."""
    order: Callable[[Object], Any] | None = None
    """The key by which the rows of a list are sorted."""


@dataclass(slots=True, eq=False)
class Resource:
    """One kind in one version, as served."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    verbs: tuple[str, ...]
    schema: Schema
    """Of the whole object in this version."""
    strategy: Strategy
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    list_kind: str = ""
    subresources: Mapping[str, Subresource] = field(default_factory=dict)
    storage_hash: str = ""
    printer: Printer | None = None
    selectable: tuple[str, ...] = ()
    """Field paths for field selectors, beyond metadata.name and metadata.namespace."""
    custom: bool = False
    """It came from a CRD: errors of the schema are worded differently."""
    stored: bool = True
    """Objects of this version are stored as they are (no conversion on the way)."""
    storage_key: tuple[str, str] = ("", "")
    """Group and plural under which objects are kept, where another group shares them (events)."""
    versions: tuple["Resource", ...] = ()
    """All versions of a kind that has several, this one included: two at most if it is built in."""
    warnings: tuple[str, ...] = ()
    """Warning headers of every answer: the kind is deprecated."""
    scale: Mapping[str, str] | None = None
    """specReplicasPath, statusReplicasPath, labelSelectorPath of the scale subresource."""

    @property
    def api_version(self) -> str:
        """group/version as objects write it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def kind_group(self) -> str:
        """Group of the kind in messages: events of both groups are one kind."""
        return self.storage_key[0] if self.storage_key[1] else self.group

    @property
    def prefix(self) -> str:
        """Where the store keeps the objects: `/apps/deployments/`."""
        group, plural = self.storage_key if self.storage_key[1] else (self.group, self.plural)
        return f"/{group or 'core'}/{plural}/"

    def key(self, namespace: str, name: str) -> str:
        """Give the store's key of one object."""
        return f"{self.prefix}{namespace}/{name}" if self.namespaced else f"{self.prefix}{name}"
