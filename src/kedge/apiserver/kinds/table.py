"""Read builtin.json: the resources of a real server and the types of their fields.

tools/gen_kinds.py writes that file and describes its format. Types are decoded one by one when
they are first asked for, so that loading costs about a millisecond.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

DATA = Path(__file__).with_name("builtin.json")

_GO_SCALARS = {
    "string": "string",
    "boolean": "bool",
    "int32": "int32",
    "int64": "int64",
    "double": "float64",
    "byte": "[]uint8",
}


class Node(Struct, frozen=True, rename="camel"):
    """What a value may be: the value of a field, or an element of an array or a map."""

    type: str
    """string, integer, number, boolean, array, map, ref or any."""
    format: str = ""
    """int32, int64, double, byte or nothing."""
    ref: str = ""
    """The component that a `ref` refers to."""
    items: "Node | None" = None
    """What the elements of an array or the values of a map are."""
    default: Any | UnsetType = UNSET
    """The default that OpenAPI states; UNSET where it states none."""
    list_type: str = msgspec.field(default="", name="list")
    """atomic, set or map."""
    list_map_keys: tuple[str, ...] = msgspec.field(default=(), name="keys")
    map_type: str = msgspec.field(default="", name="map")
    """atomic or granular."""
    enum: tuple[str, ...] = ()

    @property
    def plain_go(self) -> str:
        """Give the Go type that this node has unless the field says otherwise."""
        if self.type == "ref":
            package, name = self.ref.rsplit(".", 2)[-2:]
            return f"{package}.{name}"
        if self.items is not None:
            return ("[]" if self.type == "array" else "map[string]") + self.items.plain_go
        return _GO_SCALARS.get(self.format or self.type, self.type)


class FieldInfo(Node, frozen=True, kw_only=True, rename="camel"):
    """One field of a type."""

    name: str
    required: bool = False
    patch_strategy: str = msgspec.field(default="", name="patch")
    """merge, replace, retainKeys or several of them with commas."""
    patch_merge_key: str = msgspec.field(default="", name="mergeKey")
    go: str = ""
    """The Go type where it is not the plain one, e.g. v1.PullPolicy."""
    pointer: bool = False
    """Whether Go tells an absent value from an empty one."""
    omit: str = "empty"
    """When the server leaves the field out: never, empty, zero or empty,zero (see gen_kinds)."""

    @property
    def go_type(self) -> str:
        """Give the Go type as error messages name it, e.g. int32 or v1.PullPolicy."""
        return self.go or self.plain_go


class GroupVersionKind(Struct, frozen=True):
    """The three names of a kind."""

    group: str
    version: str
    kind: str


class _TypeData(Struct, frozen=True, rename="camel"):
    form: str = "object"
    fields: tuple[FieldInfo, ...] = ()
    map: str = ""
    unions: tuple[dict[str, Any], ...] = ()
    gvks: tuple[GroupVersionKind, ...] = ()


class TypeInfo:
    """One component of the OpenAPI: a Go struct, or a scalar with a form of its own."""

    __slots__ = ("component", "fields", "form", "gvks", "map_type", "name", "unions")

    def __init__(self, component: str, data: _TypeData) -> None:
        self.component = component
        self.name = component.rpartition(".")[2]
        self.form = data.form
        """object, time, microtime, quantity, int-or-string, raw, fields, json or schema-or-*."""
        self.fields: dict[str, FieldInfo] = {field.name: field for field in data.fields}
        """In the order of the Go struct, in which the server writes them."""
        self.map_type = data.map
        self.unions = data.unions
        self.gvks = data.gvks

    @property
    def required(self) -> tuple[str, ...]:
        """Name the required fields, as OpenAPI lists them."""
        return tuple(field.name for field in self.fields.values() if field.required)


class Subresource(Struct, frozen=True, rename="camel"):
    """A path below an object, e.g. status; group and version are empty if the resource's own."""

    name: str
    kind: str
    verbs: tuple[str, ...]
    group: str = ""
    version: str = ""
    type: str = ""
    """The component of its kind; none for options that come as a query (exec, proxy)."""


class BuiltinResource(Struct, frozen=True, rename="camel"):
    """One resource of one group version, as discovery shows it."""

    group: str
    version: str
    plural: str
    kind: str
    singular: str
    namespaced: bool
    verbs: tuple[str, ...]
    type: str
    """The component of its kind."""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    storage_version_hash: str = ""
    subresources: tuple[Subresource, ...] = ()

    @property
    def group_version(self) -> str:
        """Give the apiVersion of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version


class BuiltinGroup(Struct, frozen=True):
    """An API group; the first version is the preferred one."""

    name: str
    versions: tuple[str, ...]


class _Data(Struct, frozen=True):
    server: str
    groups: tuple[BuiltinGroup, ...]
    resources: tuple[BuiltinResource, ...]
    kinds: dict[str, str]
    types: dict[str, msgspec.Raw]


class KindTable:
    """All built-in kinds. Groups and resources are in the order of discovery, core first."""

    def __init__(self, data: bytes) -> None:
        decoded = msgspec.json.decode(data, type=_Data)
        self.server = decoded.server
        """The release that the facts are from, e.g. v1.34.4."""
        self.groups = decoded.groups
        self.resources = decoded.resources
        self._by_path = {(r.group, r.version, r.plural): r for r in self.resources}
        self._kinds = decoded.kinds
        self._raw = decoded.types
        self._types: dict[str, TypeInfo] = {}

    @property
    def components(self) -> tuple[str, ...]:
        """Name all types, in alphabetical order."""
        return tuple(self._raw)

    def resource(self, group: str, version: str, plural: str) -> BuiltinResource | None:
        """Find a resource by its path."""
        return self._by_path.get((group, version, plural))

    def type(self, component: str) -> TypeInfo:
        """Give a type, decoded at its first use; raises KeyError for an unknown one."""
        found = self._types.get(component)
        if found is None:
            data = msgspec.json.decode(self._raw[component], type=_TypeData)
            found = self._types[component] = TypeInfo(component, data)
        return found

    def component_of(self, group_version: str, kind: str) -> str | None:
        """Name the component of a kind, lists and request kinds such as Eviction included."""
        return self._kinds.get(f"{group_version}/{kind}")


@lru_cache(maxsize=1)
def builtin() -> KindTable:
    """Give the table that is shipped with this package."""
    return KindTable(DATA.read_bytes())
