"""Feeds the line of Velero Restores from their cache, and finds whose position it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kedge.aio.clock import Clock
from kedge.controllers.nar.heads import VeleroRestore
from kedge.runtime import Cache, Change, Key
from kedge.selfservice.publish import Line
from kedge.selfservice.queue import Member, restart_told, standing

THE_LINE: Final = Key("", "line")
"""Stands for all whose position has changed by what others do."""


@dataclass(slots=True)
class Lining:
    """Keeps the line."""

    line: Line
    restores: Cache[VeleroRestore]
    clock: Clock
    home: str

    def heard(self, change: Change[VeleroRestore]) -> Iterable[Key]:
        """Take in a change; give whom it concerns."""
        heads = [entry.read() for entry in (change.old, change.new) if entry is not None]
        if change.new is None:
            self.line.remove(change.key.name)
        else:
            self._take(heads[-1])
        # One that names another by now is no longer whose it was before: both are to see that.
        found = [key for key in dict.fromkeys(map(owner_of, heads)) if key is not None]
        if self.line.wait_seconds(self.clock.monotonic()) is not None:
            found.append(THE_LINE)
        return found

    def _take(self, restore: VeleroRestore) -> None:
        """Take in a Velero Restore as it is now."""
        meta, status = restore.metadata, restore.known
        phase, completed = str(status.get("phase") or ""), status.get("completionTimestamp")
        stands = standing(phase, is_completed=bool(completed), is_leaving=restore.is_leaving)
        created = meta.creation_timestamp or ""
        self.line.put(Member(meta.name, meta.uid, stands, created, meta.resource_version))
        reason = str(status.get("failureReason") or "")
        if instant := restart_told(phase, reason, completed):
            self.line.restarted(instant)

    def due(self) -> list[Key]:
        """Give those that are to be told of their position now."""
        names = self.line.take(self.clock.monotonic())
        entries = (self.restores.entry(Key(self.home, name)) for name in names)
        found = (owner_of(entry.read()) for entry in entries if entry is not None)
        return [key for key in found if key is not None]

    def wait_seconds(self) -> float | None:
        """Give the seconds until others are to be told; None: nobody is."""
        return self.line.wait_seconds(self.clock.monotonic())

    def position(self, name: str, told: int | None, *, is_due: bool) -> int:
        """Give the position to tell: the old one, where the new one is not to be told yet."""
        position = self.line.position(name) or 0
        if told is None or is_due or self.line.is_first(name):
            return position
        return told


def owner_of(restore: VeleroRestore) -> Key | None:
    """Give the NonAdminRestore that a Velero Restore says it was made for."""
    origin = restore.origin
    return Key(origin.namespace, origin.name) if origin is not None else None
