"""What is told of backups in numbers, under Velero's names.

Each schedule that there is has all of them, from zero on; `""` stands for Backups that have none.
How many Backups there are, and which was the last good one, the schedule controller tells.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from kedge.api.velero.backup import BackupPhase
from kedge.kube.kind import Object
from kedge.runtime import Cache
from kedge.runtime.byschedule import BySchedule
from kedge.runtime.metrics import Histogram

LABELS: Final = ["schedule"]
DURATIONS: Final = (60.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10800.0, 14400.0)
COUNTERS: Final = {
    "backup_attempt": "Total number of attempted backups",
    "backup_success": "Total number of successful backups",
    "backup_partial_failure": "Total number of partially failed backups",
    "backup_failure": "Total number of failed backups",
    "backup_validation_failure": "Total number of validation failed backups",
    "backup_warning": "Total number of warned backups",
    "volume_snapshot_attempt": "Total number of attempted volume snapshots",
    "volume_snapshot_success": "Total number of successful volume snapshots",
    "volume_snapshot_failure": "Total number of failed volume snapshots",
}
GAUGES: Final = {
    "backup_items_total": "Total number of items backed up",
    "backup_items_errors": "Total number of errors encountered during backup",
    "backup_tarball_size_bytes": "Size, in bytes, of a backup",
}
FROM_ZERO: Final = ("backup_items_total", "backup_items_errors")
ENDS: Final = {
    BackupPhase.COMPLETED: "backup_success",
    BackupPhase.PARTIALLY_FAILED: "backup_partial_failure",
    BackupPhase.FAILED: "backup_failure",
}


@dataclass(slots=True)
class _Numbers:
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTERS, 0))
    values: dict[str, float] = field(default_factory=lambda: dict.fromkeys(FROM_ZERO, 0.0))
    durations: Histogram | None = None


class BackupMetrics(Collector):
    """Keeps the numbers of all backups; register it where metrics are collected."""

    def __init__(self) -> None:
        """Know of none."""
        self._numbers = BySchedule(_Numbers)

    def look_at(self, schedules: Cache[Any]) -> None:
        """Tell numbers of these schedules, and of no others."""
        self._numbers.look_at(schedules)

    def attempted(self, schedule: str) -> None:
        """Take note of a start."""
        self._numbers.of(schedule).counts["backup_attempt"] += 1

    def rejected(self, schedule: str) -> None:
        """Take note of one that was refused."""
        self._numbers.of(schedule).counts["backup_validation_failure"] += 1

    def uploaded(self, schedule: str, size_bytes: int) -> None:
        """Take note of the size of an archive."""
        self._numbers.of(schedule).values["backup_tarball_size_bytes"] = size_bytes

    def ended(self, schedule: str, status: Object, took: timedelta | None) -> None:
        """Take note of an end."""
        numbers = self._numbers.of(schedule)
        name = ENDS.get(status.get("phase", ""))
        if name is not None:
            numbers.counts[name] += 1
        if status.get("warnings"):
            numbers.counts["backup_warning"] += 1
        if progress := status.get("progress"):
            numbers.values["backup_items_total"] = progress.get("totalItems", 0)
        numbers.values["backup_items_errors"] = status.get("errors", 0)
        if took is not None:
            numbers.durations = numbers.durations or Histogram(DURATIONS)
            numbers.durations.observe(took.total_seconds())

    def collect(self) -> Iterator[Metric]:
        """Tell all numbers."""
        known = self._numbers.all()
        for name, text in COUNTERS.items():
            counter = CounterMetricFamily(f"velero_{name}", text, labels=LABELS)
            for schedule, numbers in known.items():
                counter.add_metric([schedule], numbers.counts[name])
            yield counter
        for name, text in GAUGES.items():
            gauge = GaugeMetricFamily(f"velero_{name}", text, labels=LABELS)
            for schedule, numbers in known.items():
                if name in numbers.values:
                    gauge.add_metric([schedule], numbers.values[name])
            yield gauge
        took = HistogramMetricFamily(
            "velero_backup_duration_seconds",
            "Time taken to complete backup, in seconds",
            labels=LABELS,
        )
        for schedule, numbers in known.items():
            if numbers.durations is not None:
                numbers.durations.add_to(took, schedule)
        yield took
