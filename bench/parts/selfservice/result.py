"""What a run found, and the goals it is held against."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from parts.goal import Goal
from parts.schedules.operator import Requests
from parts.schedules.result import MEGABYTE
from parts.selfservice.plan import REAL, Effort

WRITES = 4
"""For each NonAdminBackup."""


@dataclass(frozen=True)
class Cost:
    """What `kedge server` asked for and used, and what its API server used."""

    requests: Requests
    cpu_seconds: float
    server_cpu_seconds: float
    bytes: int
    peak_bytes: int
    load: float

    def count(self, holds: Callable[[str], bool]) -> int:
        """Count the requests of which something holds."""
        return sum(count for what, count in self.requests.items() if holds(what))

    @property
    def writes(self) -> int:
        """Count the writes, failed ones included."""
        return self.count(lambda what: not what.startswith("GET "))

    @property
    def reads(self) -> int:
        """Count the reads."""
        return self.count(lambda what: what.startswith("GET "))

    @property
    def conflicts(self) -> int:
        """Count what was refused as a conflict."""
        return self.count(lambda what: what.endswith(" 409"))


@dataclass(frozen=True)
class Making:
    """So many NonAdminBackups, made at once: how long until each had its Velero Backup."""

    count: int
    seconds: float
    cost: Cost
    positions: int
    """How many different ones they have."""

    @property
    def writes_an_object(self) -> float:
        """The writes of `kedge server` for each, failed ones included."""
        return self.cost.writes / self.count

    @property
    def cpu_an_object(self) -> float:
        """The CPU seconds of `kedge server` for each."""
        return self.cost.cpu_seconds / self.count


@dataclass(frozen=True)
class Bare:
    """So many objects, with the same writes, from a client that does nothing else."""

    count: int
    seconds: float
    server_cpu_seconds: float


@dataclass(frozen=True)
class Moving:
    """One Backup that ended while so many waited: how long until the others knew."""

    waiting: int
    first_seconds: float
    """Until the first ten had the right position."""
    all_seconds: float
    cost: Cost


@dataclass
class Result:
    """Everything one run found, by server."""

    machine: dict[str, str | int]
    effort: Effort
    releases: dict[str, str] = field(default_factory=dict)
    making: dict[str, list[Making]] = field(default_factory=dict)
    """Each size as often as it was made."""
    bare: dict[str, list[Bare]] = field(default_factory=dict)
    moving: dict[str, list[Moving]] = field(default_factory=dict)
    progress: dict[str, int] = field(default_factory=dict)
    """Writes that a progress of a running Backup led to."""

    def goals(self) -> list[Goal]:
        """Hold the run against the goals."""
        found = []
        for name, makings in self.making.items():
            turns = [[one for one in makings if one.count == size] for size in self.effort.sizes]
            for same in turns:
                found += _of_making(name, same)
            if len(turns) > 1:
                ratio = fastest(turns[-1]).cpu_an_object / fastest(turns[0]).cpu_an_object
                found.append(Goal(f"{name}: CPU an object, most to fewest", 1.5, ratio))
        for name, movings in self.moving.items():
            for moved in movings:
                title = f"{name}: one of {moved.waiting:,} ends"
                found += [
                    Goal(f"{title}: first ten", 1, moved.first_seconds, "s"),
                    Goal(f"{title}: all", 10, moved.all_seconds, "s"),
                    Goal(f"{title}: CPU", 0.2, moved.cost.cpu_seconds, "s"),
                ]
        for name, writes in self.progress.items():
            found.append(Goal(f"{name}: writes for a progress", 1, writes))
        return found


def fastest(same: Iterable[Making]) -> Making:
    """Of one size, give the turn that the rest of the machine has disturbed least."""
    return min(same, key=lambda one: one.seconds)


def _of_making(name: str, same: list[Making]) -> list[Goal]:
    """Give the goals of one size: time and CPU of its fastest turn, of all else its worst."""
    best = fastest(same)
    title = f"{name}: {best.count:,} made"
    found = [
        Goal(f"{title}: writes an object", WRITES, max(one.writes_an_object for one in same)),
        Goal(f"{title}: conflicts", 0, max(one.cost.conflicts for one in same)),
        Goal(f"{title}: shared positions", 0, max(one.count - one.positions for one in same)),
    ]
    if name == REAL:
        found.insert(0, Goal(f"{title}: time", best.count / 100, best.seconds, "s"))
    if best.count == 1000:
        found.append(Goal(f"{title}: CPU", 3, best.cost.cpu_seconds, "s"))
    return found


def as_json(result: Result) -> dict[str, Any]:
    """Give the whole run as plain data."""
    goals = [{**asdict(goal), "reached": goal.verdict} for goal in result.goals()]
    return {**asdict(result), "goals": goals}


def megabytes(size: int) -> str:
    """Write a size."""
    return f"{size / MEGABYTE:.0f}"
