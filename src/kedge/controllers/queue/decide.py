"""Who enters the queue, and who may start. Pure.

A Backup may start if there is room, and if none of its namespaces is among those of a Backup that
runs, or that waits before it. So two that have a namespace in common never run at the same time,
and none is overtaken by another that it would have to wait for.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from kedge.controllers.queue.line import Filter, Line, Member, Name, Place

Resolve = Callable[[Filter], Collection[str]]
"""Gives the namespaces of the cluster that pass a filter."""

ENTRIES: Final = 5
"""So many enter at once, before it is looked again who has come."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be written."""

    start: Sequence[Name] = ()
    """They leave the queue, and are ready to start."""
    enter: Sequence[Place] = ()
    """They are new, and get a place at the end."""


def decide(line: Line, resolve: Resolve, limit: int) -> Plan:
    """Say what is to be written, with no more Backups than the limit running at once."""
    running = line.running
    # Whoever has nobody to wait for starts without a place.
    start = _startable(running, line.waiting(), resolve, max(limit, 1) - len(running))
    entering = (one for one in line.new() if one.name not in start)
    first = line.last + 1
    return Plan(start, [Place(o.name, n) for n, o in enumerate(islice(entering, ENTRIES), first)])


def follower(name: Name, line: Line, resolve: Resolve, limit: int) -> Name | None:
    """Give the one that may start as soon as this one has ended, if there is one."""
    running = [one for one in line.running if one.name != name]
    found = _startable(running, line.waiting(), resolve, max(limit, 1) - len(running))
    return found[0] if found else None


def _startable(
    running: Iterable[Member], waiting: Iterable[Member], resolve: Resolve, room: int
) -> list[Name]:
    """Give those that may start now, in the order of the queue."""
    found: list[Name] = []
    if room <= 0:
        return found
    taken = _Taken(resolve)
    for one in running:
        taken.meets(one.namespaces)
    for one in waiting:
        if not taken.meets(one.namespaces):
            found.append(one.name)
            if len(found) >= room:
                break
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
