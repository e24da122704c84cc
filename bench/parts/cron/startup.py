"""What a process pays once: `import kedge.cron`, and years of a zone not asked for before."""

import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter

import kedge.cron

GOAL_MS = 15.0  # the most that the import may take over bare Python

PROGRAMS = {"bare": "pass", "kedge.cron": "import kedge.cron"}


@dataclass(frozen=True)
class Startup:
    """Medians in milliseconds: from starting the process to its end."""

    bare_ms: float
    import_ms: float
    samples_ms: dict[str, list[float]]
    zone_ms: float

    @property
    def over_bare_ms(self) -> float:
        """Give the price of the import alone."""
        return self.import_ms - self.bare_ms


def measure(repeats: int) -> Startup:
    """Start the two programs in turn; the first round, which may compile, is not counted."""
    samples: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for turn in range(repeats + 1):
        for name, program in PROGRAMS.items():
            took = _milliseconds([sys.executable, "-I", "-c", program])
            if turn:
                samples[name].append(took)
    medians = {name: statistics.median(taken) for name, taken in samples.items()}
    return Startup(medians["bare"], medians["kedge.cron"], samples, zone())


def zone() -> float:
    """Ask for the first time in years of a zone that nothing else here uses; milliseconds.

    The engine looks up four years at a time, so the questions are that far apart.
    """
    schedule = kedge.cron.parse("0 8 * * *", zone="America/New_York")
    schedule.next(datetime(2022, 6, 1, tzinfo=UTC))  # reads the zone's file, which is not meant
    taken = []
    for year in range(2026, 2066, 4):
        begin = perf_counter()
        schedule.next(datetime(year, 6, 1, tzinfo=UTC))
        taken.append((perf_counter() - begin) * 1000)
    return statistics.median(taken)


def _milliseconds(command: Sequence[str]) -> float:
    begin = perf_counter()
    subprocess.run(command, check=True)
    return (perf_counter() - begin) * 1000
