"""What is told of deletions in numbers, under Velero's names."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from kedge.runtime import Cache
from kedge.runtime.byschedule import BySchedule

TEXTS: Final = {
    "attempt": "Total number of attempted backup deletions",
    "success": "Total number of successful backup deletions",
    "failure": "Total number of failed backup deletions",
}


class DeletionMetrics(Collector):
    """Counts deletions by the schedule of their Backups; to be registered with the others."""

    def __init__(self) -> None:
        """Have counted none, and say so for Backups that no schedule made."""
        self._counts: BySchedule[Counter[str]] = BySchedule(Counter)

    def look_at(self, schedules: Cache[Any]) -> None:
        """Tell numbers of these schedules, and of no others."""
        self._counts.look_at(schedules)

    def count(self, what: str, schedule: str) -> None:
        """Count an attempt, a success or a failure."""
        self._counts.of(schedule)[what] += 1

    def collect(self) -> Iterator[Metric]:
        """Tell all numbers."""
        known = self._counts.all()
        for what, text in TEXTS.items():
            family = CounterMetricFamily(
                f"velero_backup_deletion_{what}", text, labels=["schedule"]
            )
            for schedule, counts in known.items():
                family.add_metric([schedule], counts[what])
            yield family
