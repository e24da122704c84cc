"""An object as a cache keeps it: its bytes, and of its metadata what is looked at often.

Bytes take a fraction of the memory of what is read from them, and whoever reads gets a copy that is
theirs alone.
"""

from collections.abc import Mapping
from typing import Generic, TypeVar

import msgspec

from kedge.kube.meta import OwnerReference
from kedge.runtime.key import Key

T = TypeVar("T")


class Meta(msgspec.Struct, rename="camel", gc=False):
    """The part of the metadata by which objects are found and compared."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    deletion_timestamp: str | None = None
    labels: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None


class _Object(msgspec.Struct, gc=False):
    metadata: Meta


read_meta = msgspec.json.Decoder(_Object).decode


class Entry(Generic[T]):
    """One object; it never changes, a newer version is another entry."""

    __slots__ = ("_decoder", "data", "key", "meta")

    def __init__(
        self, key: Key, meta: Meta, data: bytes, decoder: "msgspec.json.Decoder[T]"
    ) -> None:
        """Keep an object that has been checked to be readable, or never was read."""
        self.key = key
        self.meta = meta
        self.data = data
        self._decoder = decoder

    def read(self) -> T:
        """Read the object; the copy is the caller's."""
        return self._decoder.decode(self.data)

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels; none is an empty mapping."""
        return self.meta.labels or {}


class Change(Generic[T]):
    """What became of one object: there is an old entry, a new one, or both."""

    __slots__ = ("key", "new", "old")

    def __init__(self, old: Entry[T] | None, new: Entry[T] | None) -> None:
        """Tell of a creation, an update or a deletion."""
        entry = new if new is not None else old
        if entry is None:
            raise ValueError("a change has an old or a new entry")
        self.key = entry.key
        """The key of the object."""
        self.old = old
        self.new = new

    @property
    def is_deletion(self) -> bool:
        """Whether the object is gone."""
        return self.new is None

    @property
    def moves_generation(self) -> bool:
        """Whether more than a status has changed; so for what came or went."""
        if self.old is None or self.new is None:
            return True
        return self.old.meta.generation != self.new.meta.generation
