"""What a run found, and the goals it is held against."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from parts.goal import Goal
from parts.quantile import quantile
from parts.schedules.arrivals import Arrival
from parts.schedules.operator import Requests
from parts.schedules.plan import BATCH, CROWD, FEW, OURS, REAL, RESTED, Effort

MEGABYTE = 10**6
DISORDER = 0.01  # of all Schedules: what comes of several being written at once


@dataclass(frozen=True)
class Due:
    """Schedules that were due at the same instant: what came of them, and what it cost.

    The CPU times are those of `kedge server`, and of the API server with its store.
    """

    count: int
    arrivals: list[Arrival] = field(repr=False)
    requests: Requests
    cpu_seconds: float
    server_cpu_seconds: float
    peak_bytes: int
    load: float
    """The load average of the machine when they were due."""
    late_places: int
    """By how many places a Backup came too late at most: all are due at one instant, and have the
    order in which `kedge server` last wrote their statuses."""

    @property
    def lost(self) -> int:
        """Count the Schedules without a Backup."""
        return self.count - len({arrival.schedule for arrival in self.arrivals})

    @property
    def surplus(self) -> int:
        """Count the writes beyond a POST and a PATCH for each Schedule, failed ones included.

        Watches end from time to time, and are opened anew: reads do not count.
        """
        writes = (n for what, n in self.requests.items() if not what.startswith("GET "))
        return sum(writes) - 2 * self.count


@dataclass(frozen=True)
class Idle:
    """Schedules of which none was due for a while, and what `kedge server` did in that time."""

    count: int
    seconds: float
    cpu_seconds: float
    bytes: int
    peak_bytes: int
    requests: Requests


@dataclass(frozen=True)
class Plain:
    """The same writes from a client that does nothing else: what the API server can do."""

    count: int
    seconds: float
    server_cpu_seconds: float


@dataclass
class Result:
    """Everything one run found, by server and by case; a case of several rounds has several."""

    machine: dict[str, str | int]
    effort: Effort
    releases: dict[str, str] = field(default_factory=dict)
    due: dict[str, dict[str, list[Due]]] = field(default_factory=dict)
    idle: dict[str, Idle] = field(default_factory=dict)
    plain: dict[str, Plain] = field(default_factory=dict)

    def add(self, server: str, case: str, found: Iterable[Due]) -> None:
        """Take in the rounds of a case."""
        self.due.setdefault(server, {}).setdefault(case, []).extend(found)

    def rounds(self, server: str, case: str) -> list[Due]:
        """Give the rounds of a case; none: it was not measured."""
        return self.due.get(server, {}).get(case, [])

    def quantile(self, server: str, case: str, share: float) -> float | None:
        """Give the delay that this share of all Backups of a case did not exceed."""
        return quantile(delays(self.rounds(server, case)), share)

    def goals(self) -> list[Goal]:
        """Hold the run against the goals."""
        effort = self.effort
        few, batch, crowd = f"{effort.few} due", f"{effort.batch:,} due", f"{effort.crowd:,} due"
        rest = f"{few}, after a rest"
        found = [
            Goal(f"{few}, real: p99", 50, self._milliseconds(REAL, FEW), "ms"),
            Goal(f"{few}, kedge: p99", 50, self._milliseconds(OURS, FEW), "ms"),
            Goal(f"{rest}, real: p99", 50, self._milliseconds(REAL, RESTED), "ms"),
            Goal(f"{batch}, real: p99", 2000, self._milliseconds(REAL, BATCH), "ms"),
        ]
        for name in (REAL, OURS):
            limit = effort.crowd * DISORDER
            late = self._worst(name, CROWD, lambda due: due.late_places)
            found += [
                Goal(f"{crowd}, {name}: lost", 0, self._worst(name, CROWD, lambda due: due.lost)),
                Goal(f"{crowd}, {name}: places out of order", limit, late),
            ]
        found.append(Goal("writes beyond a POST and a PATCH a run", 0, self._surplus()))
        return found + self._idle_goals()

    def _idle_goals(self) -> list[Goal]:
        found = []
        for name, idle in self.idle.items():
            title = f"{idle.count:,} idle, {name}"
            share = 100 * idle.cpu_seconds / idle.seconds
            found += [
                Goal(f"{title}: requests", 0, sum(idle.requests.values())),
                Goal(f"{title}: of a core", 0.1, share, "%"),
                Goal(f"{title}: memory", 150, idle.bytes / MEGABYTE, "MB"),
            ]
        return found

    def _milliseconds(self, server: str, case: str) -> float | None:
        seconds = self.quantile(server, case, 0.99)
        return None if seconds is None else seconds * 1000

    def _worst(self, server: str, case: str, figure: Callable[[Due], int]) -> int | None:
        return max(map(figure, self.rounds(server, case)), default=None)

    def _surplus(self) -> int | None:
        every = [due for cases in self.due.values() for found in cases.values() for due in found]
        return sum(due.surplus for due in every) if every else None


def late_places(order: Sequence[str], came: Iterable[Arrival]) -> int:
    """Give by how many places a Backup came later than its Schedule is in an order, at most."""
    places = {name: place for place, name in enumerate(order)}
    return max((n - places[one.schedule] for n, one in enumerate(came)), default=0)


def delays(rounds: Iterable[Due]) -> list[float]:
    """Give the delays of all Backups."""
    return [arrival.delay_seconds for due in rounds for arrival in due.arrivals]


def as_json(result: Result) -> dict[str, Any]:
    """Give the whole run as plain data, with every delay; times in seconds."""
    due = {
        name: {case: [_plain(one) for one in rounds] for case, rounds in cases.items()}
        for name, cases in result.due.items()
    }
    return {
        "machine": result.machine,
        "effort": asdict(result.effort),
        "releases": result.releases,
        "goals": [{**asdict(goal), "reached": goal.verdict} for goal in result.goals()],
        "due": due,
        "idle": {name: asdict(idle) for name, idle in result.idle.items()},
        "plain": {name: asdict(plain) for name, plain in result.plain.items()},
    }


def _plain(due: Due) -> dict[str, Any]:
    figures = {k: v for k, v in vars(due).items() if k != "arrivals"}
    seconds = [round(arrival.delay_seconds, 4) for arrival in due.arrivals]
    extra = {"lost": due.lost, "surplus": due.surplus}
    return {**figures, **extra, "delays": seconds}
