"""What is told of schedules in numbers, under Velero's names and ours.

All of it is worked out from the caches when somebody asks, so that nothing outlives its schedule
and nothing is reset; only missed runs are counted as they happen.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.labels import SCHEDULE_NAME, valid_name
from kedge.controllers.schedule.children import BackupHead
from kedge.controllers.schedule.decide import Blocked, Facts, Hold, Missed, Run
from kedge.controllers.schedule.reading import Wrong
from kedge.controllers.schedule.status import Outcome
from kedge.kube.times import TimeError, parse_time
from kedge.runtime import Cache, Key

LABELS: Final = ["schedule"]
BAD: Final = frozenset({BackupPhase.FAILED, BackupPhase.PARTIALLY_FAILED})
GOOD: Final = BackupPhase.COMPLETED


@dataclass(slots=True)
class Known:
    """What was last decided of a schedule."""

    next_run: float | None = None
    interval: float | None = None


@dataclass(slots=True)
class Past:
    """What became of the Backups of a schedule."""

    last_good: float = 0.0
    last_end: float = 0.0
    was_good: bool = True


class ScheduleMetrics(Collector):
    """Keeps the numbers of all schedules; register it where metrics are collected."""

    def __init__(self) -> None:
        """Know of none."""
        self._known: dict[Key, Known] = {}
        self._missed: dict[Key, int] = {}
        self._backups: Cache[BackupHead] | None = None

    def look_at(self, backups: Cache[BackupHead]) -> None:
        """Work out from this cache what became of Backups."""
        self._backups = backups

    def seen(self, key: Key, facts: Facts | Wrong, outcome: Outcome, now: datetime) -> None:
        """Take note of a decision that was carried out."""
        self._known[key] = Known(_next(outcome), _interval(facts, now))
        self._missed[key] = self._missed.get(key, 0) + _count(outcome)

    def gone(self, key: Key) -> None:
        """Forget a schedule."""
        self._known.pop(key, None)
        self._missed.pop(key, None)

    def collect(self) -> Iterator[Metric]:
        """Tell all numbers."""
        upcoming = GaugeMetricFamily(
            "kedge_schedule_next_run_timestamp_seconds",
            "When the schedule makes its next Backup, in seconds since 1970.",
            labels=LABELS,
        )
        interval = GaugeMetricFamily(
            "velero_schedule_expected_interval_seconds",
            "Expected interval between consecutive scheduled backups, in seconds",
            labels=LABELS,
        )
        missed = CounterMetricFamily(
            "kedge_schedule_missed_runs",
            "Runs of the schedule that were due and did not take place.",
            labels=LABELS,
        )
        for key, known in self._known.items():
            if known.next_run is not None:
                upcoming.add_metric([key.name], known.next_run)
            if known.interval is not None:
                interval.add_metric([key.name], known.interval)
            missed.add_metric([key.name], self._missed.get(key, 0))
        yield upcoming
        yield interval
        yield missed
        yield from self._of_backups()

    def _of_backups(self) -> Iterable[Metric]:
        total = GaugeMetricFamily("velero_backup_total", "Current number of existent backups")
        good = GaugeMetricFamily(
            "velero_backup_last_successful_timestamp",
            "Last time a backup ran successfully, Unix timestamp in seconds",
            labels=LABELS,
        )
        status = GaugeMetricFamily(
            "velero_backup_last_status",
            "Last status of the backup. A value of 1 is success, 0 is failure",
            labels=LABELS,
        )
        past = _past(self._backups) if self._backups is not None else {}
        total.add_metric([], len(self._backups) if self._backups is not None else 0)
        for key in self._known:
            found = past.get((key.namespace, valid_name(key.name)), Past())
            status.add_metric([key.name], float(found.was_good))
            if found.last_good:
                good.add_metric([key.name], found.last_good)
        return total, good, status


def _past(backups: Cache[BackupHead]) -> dict[tuple[str, str], Past]:
    """Work out what became of the Backups of each schedule."""
    found: dict[tuple[str, str], Past] = defaultdict(Past)
    for entry in backups.entries():
        name = entry.labels.get(SCHEDULE_NAME)
        status = entry.read().status if name else None
        if not name or status is None or status.phase not in (*BAD, GOOD):
            continue
        past = found[entry.key.namespace, name]
        end = _seconds(status.completion_timestamp)
        if status.phase == GOOD:
            past.last_good = max(past.last_good, end)
        if end >= past.last_end:
            past.last_end, past.was_good = end, status.phase == GOOD
    return found


def _seconds(text: str | None) -> float:
    try:
        return parse_time(text).timestamp() if text else 0.0
    except TimeError:
        return 0.0


def _next(outcome: Outcome) -> float | None:
    match outcome:
        case Wrong() | Hold():
            return None
        case Blocked(due):
            return due.timestamp()
        case _:
            return outcome.next.timestamp()


def _interval(facts: Facts | Wrong, now: datetime) -> float | None:
    if isinstance(facts, Wrong):
        return None
    following = facts.timetable.next(now)
    return (facts.timetable.next(following) - following).total_seconds()


def _count(outcome: Outcome) -> int:
    match outcome:
        case Run(missed=missed):
            return missed
        case Missed(count=count):
            return count
        case _:
            return 0
