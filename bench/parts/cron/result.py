"""What a run found: medians, ratios, geometric means. How it looks is report.py's business."""

import statistics
from dataclasses import asdict, dataclass
from typing import Any

from parts.cron.cases import Case, Effort
from parts.cron.priming import Primed
from parts.cron.startup import Startup
from parts.cron.timing import geometric_mean
from parts.cron.verify import Difference

OURS = "kedge"
OTHERS = ("cronsim", "croniter", "Go")

# To reach, as the geometric mean of chained `next`.
GOALS = {
    ("cronsim", "UTC"): 20.0,
    ("croniter", "UTC"): 40.0,
    ("Go", "UTC"): 1.0,
    ("cronsim", "Europe/Amsterdam"): 12.0,
    ("croniter", "Europe/Amsterdam"): 25.0,
    ("Go", "Europe/Amsterdam"): 4.0,
}


@dataclass(frozen=True)
class Measured:
    """One operation on one case: seconds per answer, all samples of all engines."""

    op: str
    case: Case
    samples: dict[str, list[float]]

    def median(self, engine: str) -> float | None:
        """Give the engine's seconds per answer, or None if it does not offer this."""
        taken = self.samples.get(engine)
        return statistics.median(taken) if taken else None

    def ratio(self, engine: str) -> float | None:
        """Say how many times as long as kedge the engine takes.

        The median over the rounds: the samples of one round are neighbours in time, so what
        slows the machine for a while slows both and cancels out.
        """
        if engine not in self.samples:
            return None
        rounds = zip(self.samples[engine], self.samples[OURS], strict=True)
        return statistics.median(theirs / ours for theirs, ours in rounds)


@dataclass(frozen=True)
class Result:
    """Everything one run found."""

    machine: dict[str, str | int]
    effort: Effort
    go_note: str
    differences: list[Difference]
    measured: list[Measured]
    primed: list[Primed]
    startup: Startup

    def rows(self, op: str, zone: str) -> list[Measured]:
        """List the measurements of one table."""
        return [m for m in self.measured if m.op == op and m.case.zone == zone]

    def agrees(self, engine: str, op: str, case: Case) -> bool:
        """Say if the engine gave the answers that kedge gave."""
        return not any((d.engine, d.op, d.case) == (engine, op, case) for d in self.differences)

    def mean_ratio(self, engine: str, op: str, zone: str) -> float | None:
        """Give the geometric mean over the rows in which both gave the same answers."""
        rows = [m for m in self.rows(op, zone) if self.agrees(engine, op, m.case)]
        return geometric_mean(r for m in rows if (r := m.ratio(engine)) is not None)

    def mean_time(self, engine: str, op: str, zone: str) -> float | None:
        """Give the geometric mean of the seconds per answer, over all rows."""
        return geometric_mean(t for m in self.rows(op, zone) if (t := m.median(engine)) is not None)

    def unrest(self) -> float:
        """Give the typical distance of a slow sample (third quartile) from the fastest one."""
        taken = [samples for m in self.measured for samples in m.samples.values()]
        return statistics.median(statistics.quantiles(t)[2] / min(t) - 1 for t in taken)

    def contradicts_go(self) -> bool:
        """Say if kedge and the original differ, which must never be."""
        return any(d.engine == "Go" for d in self.differences)


def as_json(result: Result) -> dict[str, Any]:
    """Give the whole run as plain data, every sample included; times in seconds."""
    return {
        "machine": result.machine,
        "effort": asdict(result.effort),
        "go": result.go_note,
        "unrest": result.unrest(),
        "goals": [
            {
                "against": engine,
                "zone": zone,
                "goal": goal,
                "reached": result.mean_ratio(engine, "next", zone),
            }
            for (engine, zone), goal in GOALS.items()
        ],
        "import": {**asdict(result.startup), "over_bare_ms": result.startup.over_bare_ms},
        "differences": [asdict(d) for d in result.differences],
        "measured": [asdict(m) for m in result.measured],
        "primed": [asdict(p) for p in result.primed],
    }
