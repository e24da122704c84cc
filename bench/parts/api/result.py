"""What a run found: medians over the rounds, ratios, and the goals they are held against."""

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from parts.api.client import Sample
from parts.api.load import CREATE, EVENT, Effort
from parts.goal import Goal

REAL, OURS = "real", "kedge"

# To reach: our CPU time per answer as a share of the real pair's, by the start of the row's name.
CPU_GOALS = {"create": 1 / 2, "merge patch": 1 / 2, "get": 1 / 3, "list": 1.0, "event": 1.0}
MEMORY_GOAL = 1 / 4
READY_GOAL_SECONDS = 1.0
FLAT_GOAL = 1.25  # what the unrest of a machine alone may make


@dataclass
class Run:
    """What one server did. `samples` has a list with a sample a round for each row."""

    release: str
    ready_seconds: float
    peak_bytes: int = 0
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    growth: dict[int, dict[str, Sample]] = field(default_factory=dict)

    def add(self, found: dict[str, Sample]) -> None:
        """Take in one round."""
        for row, sample in found.items():
            self.samples.setdefault(row, []).append(sample)

    def rate(self, row: str) -> float:
        """Give the answers per second, as the median of the rounds."""
        return statistics.median(sample.rate for sample in self.samples[row])

    def cost(self, row: str) -> float:
        """Give the CPU seconds per answer, as the median of the rounds."""
        return statistics.median(sample.cost for sample in self.samples[row])

    def event_cost(self, watchers: int) -> float:
        """Give the CPU seconds per event delivered, without those of the write behind it."""
        row = next(row for row in self.samples if row.startswith(EVENT))
        return self.cost(row) - self.cost(CREATE) / watchers


@dataclass(frozen=True)
class Result:
    """Everything one run found; a server that was left out is not in `runs`."""

    machine: dict[str, str | int]
    effort: Effort
    runs: dict[str, Run]

    @property
    def rows(self) -> list[str]:
        """Name the rows, in the order of the work."""
        return list(next(iter(self.runs.values())).samples)

    def ratio(self, row: str, figure: Callable[[Sample], float]) -> float | None:
        """Give our share of the real pair's figure: the median over the rounds."""
        if not {REAL, OURS} <= self.runs.keys():
            return None
        rounds = zip(self.runs[OURS].samples[row], self.runs[REAL].samples[row], strict=True)
        return statistics.median(figure(a) / figure(b) for a, b in rounds if figure(b))

    def goals(self) -> list[Goal]:
        """Hold the run against the goals."""
        found = []
        for row in self.rows:
            for start, limit in CPU_GOALS.items():
                if row.startswith(start):
                    found.append(Goal(f"CPU: {row}", limit, self.ratio(row, lambda s: s.cost)))
        ours, real = self.runs.get(OURS), self.runs.get(REAL)
        if ours and real:
            watchers = self.effort.watchers
            alone = ours.event_cost(watchers) / real.event_cost(watchers)
            found.append(Goal("CPU: event without its write", CPU_GOALS["event"], alone))
            found.append(Goal("peak memory", MEMORY_GOAL, ours.peak_bytes / real.peak_bytes))
        ready = ours.ready_seconds if ours else None
        found.append(Goal("seconds to ready", READY_GOAL_SECONDS, ready))
        flat = max(self.rise().values(), default=None)
        found.append(Goal("CPU per write, dearest larger level over smallest", FLAT_GOAL, flat))
        return found

    def rise(self) -> dict[str, float]:
        """Give, for each kind of write, its cost at the dearest level over that at the smallest."""
        levels = self.runs[OURS].growth if OURS in self.runs else {}
        if len(levels) < 2:
            return {}
        first, *larger = (levels[size] for size in sorted(levels))
        dearest = {op: max(found[op].cost for found in larger) for op in first}
        return {op: dearest[op] / first[op].cost for op in first if first[op].cost}


def as_json(result: Result) -> dict[str, Any]:
    """Give the whole run as plain data, every sample included; times in seconds."""
    return {
        "machine": result.machine,
        "effort": asdict(result.effort),
        "goals": [{**asdict(goal), "reached": goal.verdict} for goal in result.goals()],
        "runs": {name: asdict(run) for name, run in result.runs.items()},
    }
