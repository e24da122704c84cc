"""Tells people where their backups stand in the line; the line is that of all Velero Backups."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from kedge.aio.clock import Clock
from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.client import Client, StatusChange
from kedge.client.patches import merge
from kedge.controllers.nab.hands import LAG_SECONDS, Hands
from kedge.controllers.nab.heads import (
    VERSIONS,
    Nab,
    PlaceReference,
    Told,
    VeleroBackup,
    Version,
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
"""So many are written at once."""
BEHIND: Final = 16
"""So many go out one behind the other, with little more work than one."""


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
Lane = list[tuple[Key, LineHead]]
"""Velero Backups, each with the key of the object that it is of."""


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
            lanes = self._lanes()
            outcomes = await asyncio.gather(*map(self._tell, lanes), return_exceptions=True)
            for lane, outcome in zip(lanes, outcomes, strict=True):
                if not isinstance(outcome, BaseException):
                    for _, head in lane:
                        self._left.pop(head.metadata.name, None)
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

    def _lanes(self) -> list[Lane]:
        """Part the next of those who are left into lanes: in none does anybody wait for another.

        An object that somebody works on has a lane of its own, so that it holds up no others.
        """
        free: Lane = []
        busy: list[Lane] = []
        keys: set[Key] = set()
        for name in list(self._left):
            if len(free) >= TOGETHER * BEHIND or len(busy) >= TOGETHER:
                break
            entry = self.backups.entry(Key(self.home, name))
            head = _read(entry.data) if entry is not None else None
            key = _key(head) if head is not None else None
            if head is None or key is None:
                del self._left[name]
            elif key not in keys:  # of two that say that they are of one, the other is next
                keys.add(key)
                if self.hands.is_busy(key):
                    busy.append([(key, head)])
                else:
                    free.append((key, head))
        return busy + [lane for at in range(TOGETHER) if (lane := free[at::TOGETHER])]

    async def _tell(self, lane: Lane) -> None:
        """Write the positions of Velero Backups, where others are known."""
        async with self.hands.on(*(key for key, _ in lane)):
            changes: list[tuple[Entry[Nab], Object]] = []
            for key, head in lane:
                nab = self.nabs.entry(key)
                if nab is None or not self._is_held(head, nab):
                    continue
                if change := self._change(self._told(nab), head):
                    changes.append((nab, change))
            if changes:
                await self._write(changes)

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

    async def _write(self, changes: Sequence[tuple[Entry[Nab], Object]]) -> None:
        # Not bound to a version: who changes something else need not be in our way.
        wanted = [
            StatusChange(
                nab.key.name,
                nab.key.namespace,
                merge({"metadata": {"uid": nab.meta.uid}, "status": change}),
            )
            for nab, change in changes
        ]
        answers = await self.client.patch_statuses(VERSIONS, wanted)
        failures = []
        for (nab, _), new in zip(changes, answers, strict=True):
            if isinstance(new, Version):
                self.hands.wrote(nab.key, new.metadata.resource_version)
            elif isinstance(new, (NotFound, Conflict, Invalid, Forbidden)):
                facts = {"object": str(nab.key), "error": cut(str(new))}
                logger.debug("a position could not be told", extra=facts)
            else:
                failures.append(new)
        if failures:
            raise failures[0]


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
