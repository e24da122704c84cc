"""Whom a change wakes: those that it may bring on, and nobody else."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from kedge.api.velero.labels import RESTORE_NAME
from kedge.controllers.nar.heads import Nar, VeleroBackup, VeleroRestore, Volume
from kedge.controllers.nar.lining import owner_of
from kedge.kube.meta import Partial
from kedge.runtime import Cache, Change, Entry, Key
from kedge.selfservice.nab import Nab

T = TypeVar("T")

OPEN: Final = "open"
"""An index of the NonAdminRestores for which nothing was made yet."""
ALL: Final = ""
ORIGIN: Final = "origin"


def by_need(entry: Entry[Nar]) -> Iterable[str]:
    """Find what is still open, by the NonAdminBackup that it wants."""
    nar = entry.read()
    if nar.is_queued:
        return ()
    return ALL, f"{entry.key.namespace}/{nar.backup_name}"


def by_origin(entry: Entry[VeleroRestore]) -> Iterable[str]:
    """Find a Velero Restore by what it says it was made for."""
    key = owner_of(entry.read())
    return (str(key),) if key is not None else ()


@dataclass(frozen=True, slots=True)
class Waking:
    """Finds whom a change concerns."""

    nars: Cache[Nar]
    restores: Cache[VeleroRestore]
    home: str

    def by_nab(self, change: Change[Nab]) -> Iterable[Key]:
        """Wake what waits for a NonAdminBackup, when that may be ready by now."""
        if not self.nars.count(OPEN, ALL):
            return ()
        old, new = ((one.phase, one.nacuuid) if one is not None else None for one in _read(change))
        return self._open(str(change.key)) if old != new else ()

    def by_backup(self, change: Change[VeleroBackup]) -> Iterable[Key]:
        """Wake what waits for a Velero Backup, when that may be ready by now."""
        if not self.nars.count(OPEN, ALL):
            return ()
        heads = _read(change)
        old, new = ((one.phase, one.origin) if one is not None else None for one in heads)
        if old == new:
            return ()
        origins = {one.origin for one in heads if one is not None and one.origin is not None}
        places = [str(Key(one.namespace, one.name)) for one in origins]
        return [key for place in places for key in self._open(place)]

    def by_location(self, change: Change[Partial]) -> Iterable[Key]:
        """Wake all that is open when it may be another's bucket that a Velero Backup is in."""
        old, new = (one.metadata if one is not None else None for one in _read(change))
        if old is not None and new is not None:
            is_same = (old.labels, old.annotations) == (new.labels, new.annotations)
            return () if is_same else self._open(ALL)
        return self._open(ALL)

    def by_policy(self, change: Change[Any]) -> Iterable[Key]:
        """Wake all that is open when the administrator has changed the rules."""
        return self._open(ALL)

    def by_namespace(self, change: Change[Partial]) -> Iterable[Key]:
        """Wake what is on its way out when its namespace is, too."""
        new = change.new
        if new is None or not new.meta.deletion_timestamp:
            return ()
        entries = self.nars.entries(change.key.name)
        return [entry.key for entry in entries if entry.meta.deletion_timestamp]

    def by_volume(self, change: Change[Volume]) -> Iterable[Key]:
        """Wake whom the data of a volume belongs to."""
        entry = change.new or change.old
        name = entry.labels.get(RESTORE_NAME, "") if entry is not None else ""
        restore = self.restores.get(Key(self.home, name)) if name else None
        key = owner_of(restore) if restore is not None else None
        return (key,) if key is not None else ()

    def _open(self, value: str) -> list[Key]:
        return [entry.key for entry in self.nars.find(OPEN, value)]


def _read(change: Change[T]) -> list[T | None]:
    return [None if entry is None else entry.read() for entry in (change.old, change.new)]
