"""Tells people where their backups stand in the line; the line is that of all Velero Backups."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from kedge.aio.clock import Clock
from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.client import Client, ClientError, StatusChange
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
from kedge.kube.errors import ApiError, Conflict, Forbidden, Invalid, NotFound
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.kube.meta import ObjectMeta
from kedge.runtime import AWAIT_CHANGE, Cache, Change, Entry, Key, Result
from kedge.selfservice.buckets import Buckets
from kedge.selfservice.marks import NAB, origin_of
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


class Place(msgspec.Struct, frozen=True, gc=False):
    """Of a Velero Backup that was made for an object, what is looked at when that is told."""

    name: str
    key: Key
    """That of the object."""
    origin_uid: str
    """The uid of the object, where it was noted."""
    location: str
    """Where it is kept."""
    number: int
    """That in the server's own queue; 0: none."""


_read = msgspec.json.Decoder(LineHead).decode
Lane = list[Place]


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
    _places: dict[str, Place] = field(default_factory=dict)
    """Those of the Velero Backups that the cache has, by their names."""
    _unseen: dict[str, float] = field(default_factory=dict)
    """Those that were made and no cache has shown, and until when that is waited for."""
    _left: dict[str, None] = field(default_factory=dict)
    """Who is still to be told in this pass."""
    _under_way: dict[str, None] = field(default_factory=dict)
    """Who is being told."""
    _renumbered: dict[str, None] = field(default_factory=dict)
    """Whose number in the server's own queue has changed, and nothing else."""
    _next: float = float("-inf")

    def hear(self, change: Change[VeleroBackup]) -> Iterable[Key]:
        """Take note of a change of a Velero Backup; wake who tells positions."""
        self._unseen.pop(change.key.name, None)
        place = None
        if change.new is None:
            self.line.remove(change.key.name)
        else:
            head = _read(change.new.data)
            place = _place(head)
            self._put(head)
        if place is None:
            self._places.pop(change.key.name, None)
        else:
            self._places[change.key.name] = place
            if is_renumbered(change):
                self._renumbered[change.key.name] = None
        is_due = self.line.wait_seconds(self.clock.monotonic()) is not None
        return (THE_LINE,) if is_due or self._renumbered else ()

    def name_of(self, key: Key, uid: str) -> str:
        """Give the name of a Velero Backup that was made for an object; empty: there is none."""
        places = self._places.values()
        found = (one.name for one in places if one.key == key and one.origin_uid == uid)
        return min(found, default="")

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
        self._left = self._under_way | self._left  # what has failed, or was broken off
        self._under_way = {}
        self._collect()
        failures: list[Exception] = []
        while self._left and not failures:
            free, busy = self._take(TOGETHER * BEHIND, TOGETHER)
            async with asyncio.TaskGroup() as group:
                for place in busy:
                    group.create_task(self._try([place], failures))
                for lane in (free[at::TOGETHER] for at in range(TOGETHER)):
                    group.create_task(self._go_on(lane, failures))
        if failures:
            raise failures[0]
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

    def _take(self, most: int, most_busy: int = 0) -> tuple[Lane, Lane]:
        """Take out the next of those who are left, and some of those that somebody works on.

        None of them waits for another, and who is busy is to hold up no others.
        """
        free: Lane = []
        busy: Lane = []
        keys: set[Key] = set()
        for name in list(self._left):
            if len(free) >= most:
                break
            if name in self._under_way:
                continue  # it has moved on meanwhile
            place = self._places.get(name)
            if place is None:
                del self._left[name]
                continue
            is_busy = self.hands.is_busy(place.key)
            if place.key in keys or (is_busy and len(busy) >= most_busy):
                continue  # of two that say that they are of one, the other is next
            keys.add(place.key)
            (busy if is_busy else free).append(place)
            self._under_way[name] = self._left.pop(name)
        return free, busy

    async def _go_on(self, lane: Lane, failures: list[Exception]) -> None:
        """Tell lane after lane: the server has something to do while we look at an answer."""
        while lane and await self._try(lane, failures):
            self._collect()
            lane, _ = self._take(BEHIND)

    async def _try(self, lane: Lane, failures: list[Exception]) -> bool:
        """Tell a lane; tell whether nothing has failed so far."""
        try:
            await self._tell(lane)
        except (ApiError, ClientError) as exc:
            failures.append(exc)
        else:
            for place in lane:
                self._under_way.pop(place.name, None)
        return not failures

    async def _tell(self, lane: Lane) -> None:
        """Write the positions of Velero Backups, where others are known."""
        async with self.hands.on(*(place.key for place in lane)):
            changes: list[tuple[Entry[Nab], Object]] = []
            for place in lane:
                nab = self.nabs.entry(place.key)
                if nab is None or not self._is_held(place, nab):
                    continue
                if change := self._change(self._told(nab), place):
                    changes.append((nab, change))
            if changes:
                await self._write(changes)

    def _is_held(self, place: Place, nab: Entry[Nab]) -> bool:
        """Tell whether a Velero Backup is not one that somebody else's bucket has brought."""
        is_proven = place.origin_uid == nab.meta.uid
        return self.buckets.holds(place.location, nab.key.namespace, is_proven=is_proven)

    def _told(self, nab: Entry[Nab]) -> Told:
        """Give what was told of a position; nothing where the last word is still on its way."""
        told = read_standing(nab.data).status or Told()
        if not self.hands.is_behind(nab.key, nab.meta.resource_version):
            return told
        written = self.hands.written(nab.key)
        if written is not None:
            return msgspec.convert(written.known, Told)
        return Told(told.phase, None, told.velero_backup)

    def _change(self, told: Told, place: Place) -> Object:
        """Give what is to be told; only of a Backup that is the object's own."""
        change: Object = {}
        reference = told.velero_backup or PlaceReference()
        if reference.nacuuid != place.name or told.phase != NonAdminPhase.CREATED:
            return change
        position = self.line.position(place.name)
        known = told.queue_info.estimated_queue_position if told.queue_info else None
        if position is not None and position != known:
            change["queueInfo"] = {"estimatedQueuePosition": position}
        if place.number != (reference.status.queue_position if reference.status else 0):
            change["veleroBackup"] = {"status": {"queuePosition": place.number or None}}
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
    if NAB.nacuuid not in entry.labels:
        return None  # most are made for nobody, and need not be read
    place = _place(_read(entry.data))
    return None if place is None else place.key


def _place(head: LineHead) -> Place | None:
    meta = head.metadata
    origin = origin_of(NAB, meta.labels, meta.annotations)
    if origin is None or origin.nacuuid != meta.name:
        return None
    return Place(
        meta.name,
        Key(origin.namespace, origin.name),
        origin.uid,
        head.spec.storage_location if head.spec else "",
        head.status.queue_position if head.status else 0,
    )


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
