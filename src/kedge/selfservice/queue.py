"""Where each Velero object stands in the line for the server: exact, at the cost of a logarithm.

What is done is at 0, what the server has taken up is at 1, and what waits is behind all that run
and all that wait before it. Pure: it is told of objects, and tells of places.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from kedge.selfservice.ranked import Ranked

DONE: Final = frozenset({"Completed", "PartiallyFailed", "Failed", "FailedValidation", "Deleting"})
RUNNING: Final = frozenset({"InProgress", "ReadyToStart"})
WAITING: Final = frozenset({"", "New", "Queued"})
INTERRUPTED: Final = "during the server starting"
"""A server that finds at its start what it was running before says so in the failure reason."""


class Standing(Enum):
    """How an object stands to the server."""

    WAITING = auto()
    RUNNING = auto()
    """It keeps a worker of the server busy: others wait for it."""
    AFTER = auto()
    """It is not done, but nobody waits for it: the worker is free again."""
    DONE = auto()


def standing(phase: str, *, is_completed: bool = False, is_leaving: bool = False) -> Standing:
    """Say how an object in a phase of Velero stands; all phases of Backups and Restores count.

    One that is being deleted does not start any more. A phase that nobody knows is one of a newer
    server that has begun with it.
    """
    if is_completed or phase in DONE:
        return Standing.DONE
    if phase in WAITING:
        return Standing.DONE if is_leaving else Standing.WAITING
    return Standing.RUNNING if phase in RUNNING else Standing.AFTER


@dataclass(frozen=True, slots=True)
class Member:
    """A Velero object, as far as its place in the line depends on it."""

    name: str
    uid: str
    standing: Standing
    created: str = ""
    """Its creation timestamp, as the API writes it."""
    version: str = ""
    """Its resourceVersion; what orders those of one second is the first that was seen."""
    position: int = 0
    """Its `status.queuePosition`, where the server keeps the line itself; 0: none."""


class Span(NamedTuple):
    """A range of ranks in the line of those that wait."""

    first: int
    last: int
    """The rank behind the last one."""

    def __bool__(self) -> bool:
        """Tell whether there is any rank in it."""
        return self.first < self.last


NOBODY: Final = Span(0, 0)


class Order(NamedTuple):
    """What sorts those that wait."""

    epoch: int
    """0: the server has given it a place; 1: it was there when the server began; 2: it came."""
    position: int
    created: str
    version: int
    uid: str
    name: str


class Queue:
    """The line of Backups, or that of Restores.

    A server that keeps no line itself takes objects as it hears of them. One that is started hears
    of those that are there by name; a server of ours does not care, and `by_name` is to be False.
    """

    def __init__(self, *, by_name: bool = False) -> None:
        """Begin with nobody."""
        self._by_name = by_name
        self._members: dict[str, Member] = {}
        self._orders: dict[str, Order] = {}
        self._line: Ranked[Order] = Ranked()
        self._running = 0
        self._started = ""

    def __contains__(self, name: str) -> bool:
        """Tell whether an object is known."""
        return name in self._members

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._line)

    @property
    def running(self) -> int:
        """How many keep the server busy."""
        return self._running

    def put(self, member: Member) -> Span:
        """Take note of an object as it is now; give where others have another position by that.

        The object itself may stand in that range.
        """
        old = self._members.get(member.name)
        if old is not None and old.uid == member.uid and old.standing is Standing.WAITING:
            version = old.version
        else:
            version = member.version
        self._members[member.name] = member = _with_version(member, version)
        order = self._order(member) if member.standing is Standing.WAITING else None
        return self._move(member.name, order, _busy(member) - _busy(old))

    def remove(self, name: str) -> Span:
        """Forget an object that is gone; give where others have another position by that."""
        old = self._members.pop(name, None)
        return self._move(name, None, -_busy(old))

    def position(self, name: str) -> int | None:
        """Give the position of an object; None: it is not known."""
        member = self._members.get(name)
        if member is None:
            return None
        if member.standing is Standing.WAITING:
            return 1 + self._running + self._line.rank(self._orders[name])
        return 0 if member.standing is Standing.DONE else 1

    def rank(self, name: str) -> int | None:
        """Count those that wait before one that waits; None: it does not."""
        order = self._orders.get(name)
        return None if order is None else self._line.rank(order)

    def names(self, first: int = 0, last: int | None = None) -> Iterator[str]:
        """Give those that wait, from one rank to before another, in the order of the line."""
        end = len(self._line) if last is None else last
        return (order.name for order in self._line.between(first, end))

    def restarted(self, instant: str) -> Span:
        """Take note that the server was started at an instant; give whose positions may differ."""
        if not self._by_name or instant <= self._started:
            return NOBODY
        self._started = instant
        for name, old in list(self._orders.items()):
            order = self._order(self._members[name])
            if order != old:
                self._line.remove(old)
                self._line.add(order)
                self._orders[name] = order
        return Span(0, len(self._line))

    def _order(self, member: Member) -> Order:
        if member.position > 0:
            epoch, position = 0, member.position
        elif self._by_name and member.created <= self._started:
            return Order(1, 0, "", 0, "", member.name)
        else:
            epoch, position = 2, 0
        version = int(member.version) if member.version.isdecimal() else 0
        return Order(epoch, position, member.created, version, member.uid, member.name)

    def _move(self, name: str, new: Order | None, busier: int) -> Span:
        """Move an object in the line, into it or out of it; say whose positions are others."""
        self._running += busier
        old = self._orders.get(name)
        if old == new:
            return Span(0, len(self._line)) if busier else NOBODY
        left = self._line.remove(old) if old is not None else None
        came = self._line.add(new) if new is not None else None
        if new is not None:
            self._orders[name] = new
        else:
            self._orders.pop(name, None)
        if left is not None and came is not None:
            return Span(min(left, came), max(left, came) + 1) if left != came else NOBODY
        if left is not None:
            # Who starts makes one more that runs of one that waited: those behind do not move.
            return Span(0, left) if busier else Span(left, len(self._line))
        at = came or 0
        return Span(0, at) if busier else Span(at + 1, len(self._line))


def restart_told(phase: str, reason: str, completed: str | None) -> str:
    """Give the instant at which a server was started, if an object tells of it; else nothing."""
    is_told = phase == "Failed" and INTERRUPTED in reason
    return completed or "" if is_told else ""


def _busy(member: Member | None) -> int:
    return int(member is not None and member.standing is Standing.RUNNING)


def _with_version(member: Member, version: str) -> Member:
    if member.version == version:
        return member
    return Member(
        member.name, member.uid, member.standing, member.created, version, member.position
    )
