"""Who enters the queue, who may start, and which places have moved up. Pure.

A Backup may start if there is room, and if none of its namespaces is among those of a Backup that
runs, or that waits before it. So two that have a namespace in common never run at the same time,
and none is overtaken by another that it would have to wait for.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from kedge.api.velero.backup import BackupPhase

Name = tuple[str, str]
"""Namespace and name of a Backup."""
Filter = tuple[tuple[str, ...], tuple[str, ...]]
"""Namespaces that are included and excluded, as they are written in a spec."""
Resolve = Callable[[Filter], Collection[str]]
"""Gives the namespaces of the cluster that pass a filter."""

RUNNING = frozenset({BackupPhase.READY_TO_START, BackupPhase.IN_PROGRESS})


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


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be written."""

    start: Sequence[Name] = ()
    """They leave the queue, and are ready to start."""
    enter: Sequence[Place] = ()
    """They are new, and get a place at the end."""
    move: Sequence[Place] = ()
    """They are queued, and their place is another one; in the order of the queue. They are told
    when nobody starts or enters any more."""


def decide(members: Iterable[Member], resolve: Resolve, limit: int) -> Plan:
    """Say what is to be written, with no more Backups than the limit running at once."""
    by_phase: dict[str, list[Member]] = {}
    for member in members:
        by_phase.setdefault(member.phase, []).append(member)
    running = [one for phase in RUNNING for one in by_phase.get(phase, ())]
    queued = [one for one in by_phase.get(BackupPhase.QUEUED, ()) if not one.is_leaving]
    new = [one for one in by_phase.get(BackupPhase.NEW, ()) if not one.is_leaving]
    queued.sort(key=_order)
    new.sort(key=_order)
    # Whoever has nobody to wait for starts without a place.
    start = _startable(running, queued + new, resolve, max(limit, 1) - len(running))
    last = max((one.position for one in queued), default=0)
    waiting = [one for one in new if one.name not in start]
    enter = [Place(one.name, last + n) for n, one in enumerate(waiting, 1)]
    if start or enter:
        return Plan(start, enter)
    return Plan(move=[Place(o.name, n) for n, o in enumerate(queued, 1) if o.position != n])


def _order(member: Member) -> tuple[bool, int, tuple[str, int], Name]:
    """Sort by place; who has none comes last, the oldest first."""
    return member.position <= 0, member.position, member.age, member.name


def _startable(
    running: Iterable[Member], queued: Iterable[Member], resolve: Resolve, room: int
) -> list[Name]:
    """Give those that may start now, in the order of the queue."""
    taken = _Taken(resolve)
    if room > 0:
        for one in running:
            taken.meets(one.namespaces)
    found: list[Name] = []
    for one in queued:
        if len(found) >= room:
            break
        if not taken.meets(one.namespaces):
            found.append(one.name)
    return found


class _Taken:
    """The namespaces that are taken; most Backups have one of a few filters."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._names: set[str] = set()
        self._filters: dict[Filter, bool] = {}

    def meets(self, wanted: Filter) -> bool:
        """Tell whether any namespace of a filter is taken; from now on all of them are."""
        is_known = self._filters.get(wanted)
        if is_known is not None:
            return is_known
        names = self._resolve(wanted)
        is_met = not self._names.isdisjoint(names)
        self._names.update(names)
        self._filters[wanted] = bool(names)
        return is_met
