"""Tells people where their backups stand in the line; the line is that of all Velero Backups."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from kedge.aio.clock import Clock
from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.client import Client
from kedge.client.patches import merge
from kedge.controllers.nab.hands import LAG_SECONDS, Hands
from kedge.controllers.nab.heads import (
    VERSIONS,
    Nab,
    PlaceReference,
    Told,
    VeleroBackup,
    read_standing,
)
from kedge.kube.errors import Conflict, Forbidden, Invalid, NotFound
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.kube.meta import ObjectMeta
from kedge.runtime import AWAIT_CHANGE, Cache, Change, Entry, Key, Result
from kedge.selfservice.buckets import Buckets
from kedge.selfservice.marks import NAB, ORIGIN_UID, origin_of
from kedge.selfservice.publish import Line
from kedge.selfservice.queue import Member, restart_told, standing

logger = logging.getLogger(__name__)

NAME: Final = "nonadminbackup-positions"
THE_LINE: Final = Key("", "line")
"""There is one line, so there is one key."""
TOGETHER: Final = 8
"""So many are told at once."""


class LineStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status of a Velero Backup, what its place depends on."""

    phase: str = ""
    queue_position: int = 0
    completion_timestamp: str | None = None
    failure_reason: str = ""


class LineSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec of a Velero Backup, where it is kept."""

    storage_location: str = ""


class LineHead(msgspec.Struct, frozen=True):
    """Of a Velero Backup, what its place depends on."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: LineSpec | None = None
    status: LineStatus | None = None


_read = msgspec.json.Decoder(LineHead).decode


@dataclass(slots=True)
class Positions:
    """Keeps the line, and writes positions that are others than was told."""

    client: Client
    home: str
    """The server's namespace."""
    nabs: Cache[Nab]
    backups: Cache[VeleroBackup]
    line: Line
    hands: Hands
    clock: Clock
    period_seconds: float
    """Numbers that the server gave are copied at most once in so long."""
    buckets: Buckets
    wake_after: Callable[[Key, float], None] = lambda *_: None
    """Has a key reconciled after some seconds."""
    _unseen: dict[str, float] = field(default_factory=dict)
    """Those that were made and no cache has shown, and until when that is waited for."""
    _left: dict[str, None] = field(default_factory=dict)
    """Who is still to be told in this pass."""
    _renumbered: dict[str, None] = field(default_factory=dict)
    """Whose number in the server's own queue has changed, and nothing else."""
    _next: float = float("-inf")

    def hear(self, change: Change[VeleroBackup]) -> Iterable[Key]:
        """Take note of a change of a Velero Backup; wake who tells positions."""
        self._unseen.pop(change.key.name, None)
        if change.new is None:
            self.line.remove(change.key.name)
        else:
            self._put(_read(change.new.data))
        if is_renumbered(change):
            self._renumbered[change.key.name] = None
        is_due = self.line.wait_seconds(self.clock.monotonic()) is not None
        return (THE_LINE,) if is_due or self._renumbered else ()

    def made(self, backup: VeleroBackup) -> None:
        """Take note of a Velero Backup that the cache does not have yet.

        It may be gone before the cache has it, which then never does: it counts for a while.
        """
        name = backup.metadata.name
        if Key(self.home, name) in self.backups:
            return  # what the cache has is newer
        self._unseen[name] = self.clock.monotonic() + LAG_SECONDS
        self.wake_after(THE_LINE, LAG_SECONDS)
        self._put(LineHead(backup.metadata, None, msgspec.convert(backup.status or {}, LineStatus)))

    def _put(self, head: LineHead) -> None:
        status = head.status or LineStatus()
        meta = head.metadata
        if told := restart_told(status.phase, status.failure_reason, status.completion_timestamp):
            self.line.restarted(told)
        self.line.put(
            Member(
                meta.name,
                meta.uid,
                standing(
                    status.phase,
                    is_completed=bool(status.completion_timestamp),
                    is_leaving=bool(meta.deletion_timestamp),
                ),
                meta.creation_timestamp or "",
                meta.resource_version,
                status.queue_position,
            )
        )

    async def reconcile(self, key: Key) -> Result:
        """Tell all who are due."""
        self._collect()
        while self._left:
            names = list(self._left)[:TOGETHER]
            outcomes = await asyncio.gather(*map(self._tell, names), return_exceptions=True)
            for name, outcome in zip(names, outcomes, strict=True):
                if not isinstance(outcome, BaseException):
                    self._left.pop(name, None)
            for outcome in outcomes:
                if isinstance(outcome, BaseException):
                    raise outcome
            self._collect()
        now = self.clock.monotonic()
        waits = [wait for wait in (self.line.wait_seconds(now),) if wait is not None]
        waits += [max(0.0, until - now) for until in list(self._unseen.values())[:1]]
        if self._renumbered:
            waits.append(max(0.0, self._next - now))
        return Result(after_seconds=min(waits)) if waits else AWAIT_CHANGE

    def _collect(self) -> None:
        """Put those who are due now before those who are left."""
        now = self.clock.monotonic()
        for name in [each for each, until in self._unseen.items() if until <= now]:
            del self._unseen[name]
            self.line.remove(name)
        due = dict.fromkeys(self.line.take(now))
        if self._renumbered and now >= self._next:
            due |= self._renumbered
            self._renumbered = {}
            self._next = now + self.period_seconds
        if due:
            self._left = due | self._left

    async def _tell(self, name: str) -> None:
        """Write the position of one Velero Backup, where another one is known."""
        entry = self.backups.entry(Key(self.home, name))
        if entry is None:
            return
        head = _read(entry.data)
        key = _key(head)
        if key is None:
            return
        async with self.hands.on(key):
            nab = self.nabs.entry(key)
            if nab is None or not self._is_held(head, nab):
                return
            if change := self._change(self._told(nab), head):
                await self._write(nab, change)

    def _is_held(self, head: LineHead, nab: Entry[Nab]) -> bool:
        """Tell whether a Velero Backup is not one that somebody else's bucket has brought."""
        location = head.spec.storage_location if head.spec else ""
        is_proven = (head.metadata.annotations or {}).get(ORIGIN_UID) == nab.meta.uid
        return self.buckets.holds(location, nab.key.namespace, is_proven=is_proven)

    def _told(self, nab: Entry[Nab]) -> Told:
        """Give what was told of a position; nothing where the last word is still on its way."""
        told = read_standing(nab.data).status or Told()
        if not self.hands.is_behind(nab.key, nab.meta.resource_version):
            return told
        written = self.hands.written(nab.key)
        if written is not None:
            return msgspec.convert(written.known, Told)
        return Told(told.phase, None, told.velero_backup)

    def _change(self, told: Told, head: LineHead) -> Object:
        """Give what is to be told; only of a Backup that is the object's own."""
        change: Object = {}
        name, reference = head.metadata.name, told.velero_backup or PlaceReference()
        if reference.nacuuid != name or told.phase != NonAdminPhase.CREATED:
            return change
        position = self.line.position(name)
        known = told.queue_info.estimated_queue_position if told.queue_info else None
        if position is not None and position != known:
            change["queueInfo"] = {"estimatedQueuePosition": position}
        number = head.status.queue_position if head.status else 0
        if number != (reference.status.queue_position if reference.status else 0):
            change["veleroBackup"] = {"status": {"queuePosition": number or None}}
        return change

    async def _write(self, nab: Entry[Nab], change: Object) -> None:
        # Not bound to a version: who changes something else need not be in our way.
        key, patch = nab.key, merge({"metadata": {"uid": nab.meta.uid}, "status": change})
        try:
            new = await self.client.patch_status(VERSIONS, key.name, patch, key.namespace)
        except (NotFound, Conflict, Invalid, Forbidden) as exc:
            logger.debug(
                "a position could not be told", extra={"object": str(key), "error": cut(str(exc))}
            )
        else:
            self.hands.wrote(key, new.metadata.resource_version)


def key_of(entry: Entry[VeleroBackup]) -> Key | None:
    """Give the key of the NonAdminBackup that a Velero Backup says it was made for."""
    return _key(_read(entry.data))


def _key(head: LineHead) -> Key | None:
    meta = head.metadata
    origin = origin_of(NAB, meta.labels, meta.annotations)
    if origin is None or origin.nacuuid != meta.name:
        return None
    return Key(origin.namespace, origin.name)


def is_renumbered(change: Change[VeleroBackup]) -> bool:
    """Tell whether nothing but the number in the server's queue has changed."""
    if change.old is None or change.new is None:
        return False
    old, new = change.old.read(), change.new.read()
    if (
        old.spec != new.spec
        or change.old.meta.deletion_timestamp != new.metadata.deletion_timestamp
    ):
        return False
    one, other = (dict(each.status or {}) for each in (old, new))
    is_other = one.pop("queuePosition", 0) != other.pop("queuePosition", 0)
    return is_other and one == other
