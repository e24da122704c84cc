"""What is told of deletions in numbers, under Velero's names."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

TEXTS: Final = {
    "attempt": "Total number of attempted backup deletions",
    "success": "Total number of successful backup deletions",
    "failure": "Total number of failed backup deletions",
}


class DeletionMetrics(Collector):
    """Counts deletions by the schedule of their Backups; to be registered with the others."""

    def __init__(self) -> None:
        """Have counted none, and say so for Backups that no schedule made."""
        self._counts: Counter[tuple[str, str]] = Counter()
        self._schedules = {""}

    def count(self, what: str, schedule: str) -> None:
        """Count an attempt, a success or a failure."""
        self._schedules.add(schedule)
        self._counts[what, schedule] += 1

    def collect(self) -> Iterator[Metric]:
        """Tell all numbers."""
        for what, text in TEXTS.items():
            family = CounterMetricFamily(
                f"velero_backup_deletion_{what}", text, labels=["schedule"]
            )
            for schedule in sorted(self._schedules):
                family.add_metric([schedule], self._counts[what, schedule])
            yield family
