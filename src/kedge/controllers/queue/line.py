"""The Backups that wait and those that run, kept in order while they come and go. Pure.

What a change costs does not grow with the line, but for moving memory: there may be very many.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from kedge.api.velero.backup import BackupPhase

Name = tuple[str, str]
"""Namespace and name of a Backup."""
Filter = tuple[tuple[str, ...], tuple[str, ...]]
"""Namespaces that are included and excluded, as they are written in a spec."""

RUNNING: Final = frozenset({BackupPhase.READY_TO_START, BackupPhase.IN_PROGRESS})


@dataclass(frozen=True, slots=True)
class Member:
    """A Backup that waits, or that others wait for."""

    name: Name
    phase: str
    position: int
    """Its place in the queue; 0: none."""
    age: tuple[str, int]
    """Orders those that have no place yet: when it was made, and its version."""
    namespaces: Filter
    is_leaving: bool = False
    """It is being deleted: it does not start any more, and runs until its phase says otherwise."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the queue for one Backup."""

    name: Name
    position: int


Turn = tuple[bool, int, tuple[str, int], Name]
"""Sorts those that wait: by place; who has none comes last, the oldest first."""


class Line:
    """All that are told of, as they were last told of."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._members: dict[Name, Member] = {}
        self._running: dict[Name, Member] = {}
        self._queued: list[Turn] = []
        self._new: list[Turn] = []
        self._settled = 0
        """So many of the queue are known to have the places in which they stand."""

    @property
    def running(self) -> list[Member]:
        """Those that others wait for."""
        return list(self._running.values())

    @property
    def unsettled(self) -> int:
        """How many in the queue may have another place than the one they were given."""
        return len(self._queued) - self._settled

    @property
    def last(self) -> int:
        """The last place that somebody has; 0: nobody has one."""
        at = bisect_left(self._queued, (True,))
        return self._queued[at - 1][1] if at else 0

    def put(self, member: Member) -> None:
        """Take note of a Backup as it is now."""
        old = self._members.get(member.name)
        before = self._take_out(old)
        self._members[member.name] = member
        if member.phase in RUNNING:
            self._running[member.name] = member
        turns = self._turns(member)
        if turns is not None:
            insort(turns, _turn(member))
        self._settle(before, self._rank(member), member.position)

    def remove(self, name: Name) -> None:
        """Forget a Backup that neither waits nor runs."""
        self._settle(self._take_out(self._members.pop(name, None)), None)

    def waiting(self) -> Iterator[Member]:
        """Give those that wait: first those that have a place, or had one, then the new ones."""
        return (self._members[turn[-1]] for turn in chain(self._queued, self._new))

    def new(self) -> Iterator[Member]:
        """Give those that are not in the queue yet, the oldest first."""
        return (self._members[turn[-1]] for turn in self._new)

    def is_queued(self, name: Name) -> bool:
        """Tell whether a Backup is in the queue."""
        member = self._members.get(name)
        return member is not None and member.phase == BackupPhase.QUEUED

    def is_at(self, place: Place) -> bool:
        """Tell whether a Backup has left the queue, or has this place."""
        member = self._members.get(place.name)
        return member is None or self._rank(member) is None or member.position == place.position

    def moves(self) -> list[Place]:
        """Give those in the queue whose place is another one, in order; none: all is settled."""
        behind = islice(self._queued, self._settled, None)
        found = [
            Place(name, place)
            for place, (_, position, _, name) in enumerate(behind, self._settled + 1)
            if position != place
        ]
        self._settled = found[0].position - 1 if found else len(self._queued)
        return found

    def _turns(self, member: Member) -> list[Turn] | None:
        """Give where one stands that waits, and may be started."""
        if member.is_leaving:
            return None
        if member.phase == BackupPhase.QUEUED:
            return self._queued
        return self._new if member.phase == BackupPhase.NEW else None

    def _take_out(self, member: Member | None) -> int | None:
        """Take one out of where it stands; give its rank in the queue, if it was there."""
        if member is None:
            return None
        self._running.pop(member.name, None)
        turns = self._turns(member)
        if turns is None:
            return None
        at = bisect_left(turns, _turn(member))
        del turns[at]
        return at if turns is self._queued else None

    def _rank(self, member: Member) -> int | None:
        """Count those in the queue before one that is in it."""
        if self._turns(member) is not self._queued:
            return None
        return bisect_left(self._queued, _turn(member))

    def _settle(self, before: int | None, after: int | None, position: int = 0) -> None:
        """Take note that one has moved from one rank to another: who is behind may be wrong."""
        if before == after and after is not None and position == after + 1:
            return  # it was given the place in which it stands
        moved = [rank for rank in (before, after) if rank is not None]
        self._settled = min([self._settled, *moved])


def _turn(member: Member) -> Turn:
    return member.position <= 0, member.position, member.age, member.name
