"""A kind of object: its names, the paths it is served under, and what it is read into."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote

import msgspec

from kedge.kube.meta import Partial

T = TypeVar("T")
U = TypeVar("U")
_is_unreserved: Final = re.compile(r"[A-Za-z0-9._~-]+").fullmatch
Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """Where the objects of a kind are served, and the type that they are read into."""

    group: str
    """Empty for the core group."""
    version: str
    name: str
    plural: str
    model: type[T]
    namespaced: bool = True
    metadata_only: bool = False
    """The server is asked to leave out all but the metadata."""

    @property
    def api_version(self) -> str:
        """The `apiVersion` of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self) -> str:
        """The path of its group and version."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def collection(self, namespace: str | None = None) -> str:
        """Give the path of all its objects, or of those in one namespace."""
        if namespace is None:
            return f"{self.root}/{self.plural}"
        if not self.namespaced:
            raise ValueError(f"{self.plural} are in no namespace, so leave out {namespace!r}")
        return f"{self.root}/namespaces/{_segment(namespace, 'namespace')}/{self.plural}"

    def path(self, name: str, namespace: str | None = None, subresource: str = "") -> str:
        """Give the path of one object, or of a subresource of it."""
        if self.namespaced and namespace is None:
            raise ValueError(f"{self.plural} are in namespaces, so one is needed for {name!r}")
        end = f"/{subresource}" if subresource else ""
        return f"{self.collection(namespace)}/{_segment(name, 'name')}{end}"

    def into(self, model: type[U]) -> "Kind[U]":
        """Read the same objects into another type."""
        names = (self.group, self.version, self.name, self.plural)
        return Kind(*names, model, self.namespaced, self.metadata_only)

    @property
    def raw(self) -> "Kind[msgspec.Raw]":
        """The same objects, not read at all: their bytes."""
        return self.into(msgspec.Raw)

    @property
    def partial(self) -> "Kind[Partial]":
        """The same objects, of which the server sends the metadata only."""
        return replace(self.into(Partial), metadata_only=True)

    def __str__(self) -> str:
        """Write it as messages do: `schedules.velero.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


def plain(api_version: str, name: str, plural: str, *, namespaced: bool = True) -> Kind[Object]:
    """Make a kind whose objects are read into plain dicts."""
    group, _, version = api_version.rpartition("/")
    return Kind(group, version, name, plural, dict, namespaced)


def _segment(text: str, what: str) -> str:
    """Write a name into a path; what would lead to another path is refused."""
    if not text or text in (".", "..") or "/" in text:
        raise ValueError(f"{text!r} is no {what} of an object")
    return text if _is_unreserved(text) else quote(text, safe="")


def name_of(obj: Any) -> tuple[str, str | None]:
    """Give name and namespace of an object, be it a dict, a typed one, or bytes."""
    if isinstance(obj, Mapping):
        meta = obj.get("metadata") or {}
        return meta.get("name") or "", meta.get("namespace") or None
    if isinstance(obj, msgspec.Raw):
        obj = msgspec.json.decode(obj, type=Partial)
    return obj.metadata.name, obj.metadata.namespace or None
