"""Who depends on whom: an index of owner references over all objects."""

import msgspec

from kedge.store import Record


class Reference(msgspec.Struct, frozen=True, rename="camel"):
    """One owner reference."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    block_owner_deletion: bool = False


class Head(msgspec.Struct, frozen=True, rename="camel"):
    """The metadata that garbage collection looks at."""

    uid: str = ""
    name: str = ""
    namespace: str = ""
    owner_references: tuple[Reference, ...] | None = None
    finalizers: tuple[str, ...] | None = None
    deletion_timestamp: str = ""

    @property
    def owners(self) -> tuple[Reference, ...]:
        """The references to owners."""
        return self.owner_references or ()


class _Object(msgspec.Struct):
    metadata: Head


_read = msgspec.json.Decoder(_Object).decode


def head_of(record: Record) -> Head:
    """Give the metadata of a row."""
    return _read(record.value).metadata


class Owners:
    """Dependents by the uid of their owner. Objects without owners cost nothing."""

    def __init__(self) -> None:
        """Know nobody."""
        self._dependents: dict[str, set[str]] = {}
        self._owners: dict[str, tuple[str, ...]] = {}

    def put(self, key: str, head: Head) -> None:
        """Take in the references of one object."""
        # Two references may name one uid.
        uids = tuple(dict.fromkeys(reference.uid for reference in head.owners))
        if uids == self._owners.get(key, ()):
            return
        self.remove(key)
        if uids:
            self._owners[key] = uids
            for uid in uids:
                self._dependents.setdefault(uid, set()).add(key)

    def remove(self, key: str) -> None:
        """Forget an object as a dependent."""
        for uid in self._owners.pop(key, ()):
            keys = self._dependents[uid]
            keys.discard(key)
            if not keys:
                del self._dependents[uid]

    def of(self, key: str) -> tuple[str, ...]:
        """Give the uids of the owners of an object."""
        return self._owners.get(key, ())

    def dependents(self, uid: str) -> list[str]:
        """Give the keys of all that this owner has."""
        return sorted(self._dependents.get(uid, ()))
