"""What one run found, and the goals it is held against."""

from dataclasses import asdict, dataclass, field
from typing import Any

from parts.engine.plan import EMBEDDED, KEDGE, REAL, S3, VELERO, Effort
from parts.goal import TIMES, Goal
from parts.quantile import quantile

MEBIBYTE = 2**20


@dataclass(frozen=True)
class Where:
    """Who worked, on which API server, with which place for the files."""

    who: str
    server: str
    store: str

    def __str__(self) -> str:
        return f"{self.who}, {self.server}, {self.store}"


@dataclass(frozen=True)
class Bulk:
    """A backup or a restore of many objects."""

    count: int
    seconds: float
    """From the request to create it until it was seen to be complete."""
    cpu_seconds: float
    server_cpu_seconds: float
    """Of the API server with its store, for all that it was asked."""
    peak_bytes: int
    requests: int
    load: float

    @property
    def rate(self) -> float:
        """Give the objects per second."""
        return self.count / self.seconds

    @property
    def cpu_milliseconds(self) -> float:
        """Give the contestant's CPU time for one object."""
        return self.cpu_seconds / self.count * 1000


@dataclass(frozen=True)
class Empty:
    """Backups of nothing, one after the other."""

    seconds: list[float]
    cpu_seconds: float
    requests: int


@dataclass(frozen=True)
class Queue:
    """Backups of nothing, all created at once."""

    count: int
    done: int
    seconds: float
    hand_over_seconds: list[float]
    """From the end of one to the start of the next."""
    vacant_seconds: list[float]
    """From when one leaves its place to the start of the next."""
    stolen: float
    """The share of the machine's time that others had."""
    cpu_seconds: float
    writes: int
    peak_bytes: int


@dataclass
class Result:
    """Everything one run found."""

    machine: dict[str, str | int]
    effort: Effort
    releases: dict[str, str] = field(default_factory=dict)
    backups: dict[Where, dict[int, Bulk]] = field(default_factory=dict)
    restores: dict[Where, dict[int, Bulk]] = field(default_factory=dict)
    empties: dict[Where, Empty] = field(default_factory=dict)
    queues: dict[Where, Queue] = field(default_factory=dict)
    """Of one namespace."""
    spreads: dict[Where, Queue] = field(default_factory=dict)
    """Of many namespaces."""

    def goals(self) -> list[Goal]:
        """Hold the run against the goals; against Velero on a real API server, with S3."""
        ours, theirs = Where(KEDGE, REAL, S3), Where(VELERO, REAL, S3)
        found = []
        for size in self.effort.sizes:
            found += self._bulk_goals(size, ours, theirs)
        found += self._memory_goals()
        for server in (REAL, EMBEDDED):
            found += self._small_goals(Where(KEDGE, server, S3))
        return found

    def _bulk_goals(self, size: int, ours: Where, theirs: Where) -> list[Goal]:
        backup, restore = (at.get(ours, {}).get(size) for at in (self.backups, self.restores))
        title = f"{size:,} objects, {ours.server}, {ours.store}"
        saved = backup.cpu_milliseconds if backup else None
        asked = restore.requests / restore.count if restore else None
        spent = restore.cpu_milliseconds if restore else None
        quicker = self._ratio(self.backups, size, ours, theirs)
        back = self._ratio(self.restores, size, ours, theirs)
        return [
            Goal(f"{title}: backup, times Velero's objects/s", 5, quicker, TIMES, is_least=True),
            Goal(f"{title}: backup, CPU an object", 0.2, saved, "ms"),
            Goal(f"{title}: restore, times Velero's objects/s", 10, back, TIMES, is_least=True),
            Goal(f"{title}: restore, CPU an object", 1, spent, "ms"),
            Goal(f"{title}: restore, requests an object", 1.1, asked),
        ]

    def _memory_goals(self) -> list[Goal]:
        found = []
        for size in self.effort.sizes:
            peaks = [
                at[size].peak_bytes / MEBIBYTE
                for runs in (self.backups, self.restores)
                for where, at in runs.items()
                if where.who == KEDGE and size in at
            ]
            worst = max(peaks, default=None)
            found.append(Goal(f"{size:,} objects: peak of memory, at worst", 150, worst, "MiB"))
        return found

    def _small_goals(self, where: Where) -> list[Goal]:
        empty, queue = self.empties.get(where), self.queues.get(where)
        title = f"{where.server}, {where.store}"
        median = quantile(empty.seconds, 0.5) if empty else None
        one = None if median is None else median * 1000
        over = max(queue.hand_over_seconds, default=0.0) * 1000 if queue else None
        drained = queue.seconds if queue and queue.done == queue.count else None
        many = f"{self.effort.queued:,} queued empty backups, {title}"
        return [
            Goal(f"empty backup, {title}: median", 100, one, "ms"),
            Goal(f"{many}: drained", 60, drained, "s"),
            Goal(f"{many}: longest hand-over", 50, over, "ms"),
        ]

    def _ratio(
        self, runs: dict[Where, dict[int, Bulk]], size: int, ours: Where, theirs: Where
    ) -> float | None:
        here, there = runs.get(ours, {}).get(size), runs.get(theirs, {}).get(size)
        return here.rate / there.rate if here and there else None


def as_json(result: Result) -> dict[str, Any]:
    """Give the whole run as plain data; times in seconds."""
    bulk = {
        name: {
            str(where): {size: asdict(one) for size, one in at.items()}
            for where, at in runs.items()
        }
        for name, runs in (("backups", result.backups), ("restores", result.restores))
    }
    return {
        "machine": result.machine,
        "effort": asdict(result.effort),
        "releases": result.releases,
        "goals": [{**asdict(goal), "reached": goal.verdict} for goal in result.goals()],
        **bulk,
        "empties": {str(where): asdict(one) for where, one in result.empties.items()},
        "queues": {str(where): asdict(one) for where, one in result.queues.items()},
        "spreads": {str(where): asdict(one) for where, one in result.spreads.items()},
    }
