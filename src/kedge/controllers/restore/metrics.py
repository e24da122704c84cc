"""What is told of restores in numbers, under Velero's names.

Each schedule that there is has all of them, from zero on; `""` stands for restores that have none.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from kedge.api.velero.restore import RestorePhase
from kedge.runtime import Cache
from kedge.runtime.byschedule import BySchedule

LABELS: Final = ["schedule"]
ATTEMPT: Final = "restore_attempt"
REJECTED: Final = "restore_validation_failed"
ENDS: Final[dict[str, str]] = {
    RestorePhase.COMPLETED: "restore_success",
    RestorePhase.PARTIALLY_FAILED: "restore_partial_failure",
    RestorePhase.FAILED: "restore_failed",
}
COUNTERS: Final = {
    ATTEMPT: "Total number of attempted restores",
    "restore_success": "Total number of successful restores",
    "restore_partial_failure": "Total number of partially failed restores",
    "restore_failed": "Total number of failed restores",
    REJECTED: "Total number of failed restores failing validations",
}


class RestoreMetrics(Collector):
    """Keeps the numbers of all restores; register it where metrics are collected."""

    def __init__(self) -> None:
        """Know of none."""
        self._counts: BySchedule[Counter[str]] = BySchedule(Counter)
        self._restores: Cache[Any] | None = None

    def count(self, restores: Cache[Any]) -> None:
        """Tell how many Restores this cache has."""
        self._restores = restores

    def look_at(self, schedules: Cache[Any]) -> None:
        """Tell numbers of these schedules, and of no others."""
        self._counts.look_at(schedules)

    def attempted(self, schedule: str) -> None:
        """Take note of one that was looked at."""
        self._counts.of(schedule)[ATTEMPT] += 1

    def rejected(self, schedule: str) -> None:
        """Take note of one that was refused."""
        self._counts.of(schedule)[REJECTED] += 1

    def ended(self, schedule: str, phase: str) -> None:
        """Take note of an end."""
        if name := ENDS.get(phase):
            self._counts.of(schedule)[name] += 1

    def collect(self) -> Iterator[Metric]:
        """Tell all numbers."""
        total = GaugeMetricFamily("velero_restore_total", "Current number of existent restores")
        total.add_metric([], len(self._restores) if self._restores is not None else 0)
        yield total
        known = self._counts.all()
        for name, text in COUNTERS.items():
            counter = CounterMetricFamily(f"velero_{name}", text, labels=LABELS)
            for schedule, counts in known.items():
                counter.add_metric([schedule], counts[name])
            yield counter
