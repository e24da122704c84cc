"""What is known of the objects of a kind: one writer, many readers.

Nothing is known until the first list is complete; a later list takes the place of what was known
in one step, so that no reader ever sees half of it.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Generic, TypeVar

import msgspec

from kedge.client.decoders import Event, object_decoder
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind
from kedge.kube.watch import DELETED
from kedge.runtime.entry import Change, Entry, Meta, read_meta
from kedge.runtime.key import Key
from kedge.runtime.outputs import Batch, Output, Restarted, Synced
from kedge.runtime.trim import trim_for
from kedge.runtime.version import is_older

logger = logging.getLogger(__name__)

T = TypeVar("T")

Index = Callable[[Entry[T]], Iterable[str]]
"""Gives the values under which an object is to be found."""
Filter = Callable[[Meta], bool]
"""Tells by its metadata whether an object is kept at all."""
_NOTHING: Final[dict[Key, None]] = {}
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What comes of bytes that do not fit a type, are no text, or are nested too deeply."""


class Cache(Generic[T]):
    """The objects of a kind, to be read."""

    def __init__(self, kind: Kind[T], indexes: Mapping[str, Index[T]] | None = None) -> None:
        """Know nothing yet."""
        self.kind = kind
        self._entries: dict[Key, Entry[T]] = {}
        self._indexes = dict(indexes or {})
        self._found: dict[str, dict[str, dict[Key, None]]] = {name: {} for name in self._indexes}
        self._places: dict[str, dict[Key, tuple[str, ...]]] = {name: {} for name in self._indexes}
        """The values under which each object is found, where it has some."""
        self._synced = asyncio.Event()

    @property
    def is_synced(self) -> bool:
        """Whether all there is has been seen once."""
        return self._synced.is_set()

    async def synced(self) -> None:
        """Wait until all there is has been seen once."""
        await self._synced.wait()

    def get(self, key: Key) -> T | None:
        """Read one object, if it is there."""
        entry = self._entries.get(key)
        return None if entry is None else entry.read()

    def entry(self, key: Key) -> Entry[T] | None:
        """Give one object unread, if it is there."""
        return self._entries.get(key)

    def entries(self, namespace: str | None = None) -> Iterator[Entry[T]]:
        """Give all objects, or those of one namespace, unread."""
        for entry in list(self._entries.values()):
            if namespace is None or entry.key.namespace == namespace:
                yield entry

    def find(self, index: str, value: str) -> list[Entry[T]]:
        """Give the objects that are found under a value of an index."""
        keys = self._found[index].get(value, _NOTHING)
        return [self._entries[key] for key in keys]

    def count(self, index: str, value: str) -> int:
        """Count the objects that are found under a value of an index."""
        return len(self._found[index].get(value, _NOTHING))

    def keys(self) -> list[Key]:
        """Give the keys of all objects."""
        return list(self._entries)

    def __len__(self) -> int:
        """Count all objects."""
        return len(self._entries)

    def __contains__(self, key: Key) -> bool:
        """Tell whether an object is there."""
        return key in self._entries


class CacheWriter(Generic[T]):
    """Puts what a watcher tells into a cache, and says what has changed."""

    def __init__(self, cache: Cache[T], keep: Filter | None = None) -> None:
        """Keep plain objects whole, and of a typed one no more than its type has fields for."""
        self.cache = cache
        self._keep = keep
        self._trim = trim_for(cache.kind.model)
        self._decoder = object_decoder(cache.kind.model)
        # A list that is being read, and not complete yet.
        self._fresh: dict[Key, Entry[T]] | None = None

    def take(self, output: Output) -> list[Change[T]]:
        """Take in what a watcher tells."""
        match output:
            case Batch(events):
                if self._fresh is not None:
                    self._collect(events)
                    return []
                return [change for event in events if (change := self._apply(event)) is not None]
            case Restarted():
                self._fresh = {}
                return []
            case Synced():
                return self._swap()

    def _collect(self, events: Iterable[Event[msgspec.Raw]]) -> None:
        fresh = self._fresh if self._fresh is not None else {}
        for event in events:
            found = self._read(event)
            if found is None:
                continue
            meta, data = found
            key = Key(meta.namespace, meta.name)
            entry = None if event.type == DELETED else self._entry(key, meta, data)
            if entry is None:
                fresh.pop(key, None)
            else:
                fresh[key] = entry

    def _swap(self) -> list[Change[T]]:
        """Put a complete list in the place of what was known."""
        cache = self.cache
        fresh, self._fresh = self._fresh or {}, None
        old = cache._entries
        changes = [Change(entry, None) for key, entry in old.items() if key not in fresh]
        for key, entry in fresh.items():
            before = old.get(key)
            if before is None or _is_other(before.meta, entry.meta):
                changes.append(Change(before, entry))
        for change in changes:
            self._put(change)
        cache._synced.set()
        return changes

    def _apply(self, event: Event[msgspec.Raw]) -> Change[T] | None:
        found = self._read(event)
        if found is None:
            return None
        meta, data = found
        key = Key(meta.namespace, meta.name)
        old = self.cache._entries.get(key)
        is_deletion = event.type == DELETED
        if old is not None and not _is_news(meta, old.meta, is_deletion=is_deletion):
            return None
        entry = self._entry(key, meta, data)
        if entry is None or is_deletion:
            if old is None:
                return None
            self._put(Change(old, None))
            return Change(entry or old, None)
        change = Change(old, entry)
        self._put(change)
        return change

    def _put(self, change: Change[T]) -> None:
        """Change one object and its places in the indexes."""
        cache, key = self.cache, change.key
        if change.new is None:
            cache._entries.pop(key, None)
        else:
            cache._entries[key] = change.new
        for name, index in cache._indexes.items():
            found, places = cache._found[name], cache._places[name]
            old, new = places.pop(key, ()), self._values(index, change.new)
            if new:
                places[key] = new
            if old != new:
                _move(key, old, new, found)

    def _values(self, index: Index[T], entry: Entry[T] | None) -> tuple[str, ...]:
        """Give the places of an object in an index; one that can not be found there has none."""
        if entry is None:
            return ()
        try:
            return tuple(index(entry))
        except Exception:
            # One odd object must not keep all the others from being seen.
            logger.exception(
                "an object could not be indexed",
                extra={"kind": str(self.cache.kind), "object": str(entry.key)},
            )
            return ()

    def _read(self, event: Event[msgspec.Raw]) -> tuple[Meta, bytes | None] | None:
        """Read an object: nothing where it is none, no bytes where it does not fit its type."""
        try:
            return self._trim(event.object)
        except _UNREADABLE as exc:
            misfit = exc
        try:
            meta = read_meta(event.object).metadata
        except _UNREADABLE as exc:
            self._warn("", exc)
            return None
        if self._is_kept(meta):
            self._warn(str(Key(meta.namespace, meta.name)), misfit)
        return meta, None

    def _entry(self, key: Key, meta: Meta, data: bytes | None) -> Entry[T] | None:
        """Make the entry of an object; none where it is filtered out or does not fit its type."""
        if data is None or not self._is_kept(meta):
            return None
        return Entry(key, meta, data, self._decoder)

    def _is_kept(self, meta: Meta) -> bool:
        return self._keep is None or self._keep(meta)

    def _warn(self, name: str, exc: Exception) -> None:
        logger.warning(
            "an object does not fit its type and is left out",
            extra={"kind": str(self.cache.kind), "object": name, "error": cut(str(exc))},
        )


def _move(
    key: Key, old: Iterable[str], new: Iterable[str], found: dict[str, dict[Key, None]]
) -> None:
    """Have an object found under other values than before."""
    for value in dict.fromkeys(old):
        keys = found[value]
        del keys[key]
        if not keys:
            del found[value]
    for value in new:
        found.setdefault(value, {})[key] = None


def _is_other(old: Meta, new: Meta) -> bool:
    return old.resource_version != new.resource_version or old.uid != new.uid


def _is_news(new: Meta, old: Meta, *, is_deletion: bool) -> bool:
    """Tell whether an event brings news: the same one may come twice, and late."""
    if new.resource_version == old.resource_version:
        # Not every server gives a deletion a version of its own.
        return is_deletion or new.uid != old.uid
    return not is_older(new.resource_version, old.resource_version)
