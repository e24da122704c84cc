"""What is told of PreScaledCronJobs in numbers, under the names that their users know."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from prometheus_client import Counter, Histogram
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from kedge.controllers.prescaled.times import DELAY, INIT_RAN, TO_SCHEDULE, TO_START
from kedge.runtime import Key

ACTIONS: Final = "prescaledcronjoboperator_cronjob_action"
PREFIX: Final = "prescalecronjoboperator_cronjob_"
LABELS: Final = ("prescalecron", "nodepool", "durationtype")
BUCKETS: Final = tuple(2 * 1.32**number for number in range(28))
"""From two seconds to an hour."""
HELP: Final = {
    TO_SCHEDULE: "Seconds until a pod was assigned to a node.",
    INIT_RAN: "Seconds that a pod was held until its run.",
    TO_START: "Seconds from there until the work of a pod started.",
    DELAY: "Seconds between the time of a run and the start of its work.",
}


class PrescaledMetrics(Collector):
    """Keeps the numbers; register it where metrics are collected."""

    def __init__(self) -> None:
        """Know of none."""
        self._actions = Counter(
            ACTIONS, "Writes to CronJobs.", ("action", "outcome"), registry=None
        )
        self._times = {
            name: Histogram(PREFIX + name, text, LABELS, buckets=BUCKETS, registry=None)
            for name, text in HELP.items()
        }
        self._seen: dict[Key, set[tuple[str, str, str]]] = {}

    def acted(self, action: str, *, is_good: bool) -> None:
        """Take note of a write to a CronJob."""
        self._actions.labels(action, "success" if is_good else "failure").inc()

    def took(self, name: str, duration: timedelta, key: Key, pool: str) -> None:
        """Take note of how long something took for a pod; what is early counts by how much."""
        seconds = duration.total_seconds()
        labels = (key.name, pool, "early" if seconds < 0 else "late")
        self._seen.setdefault(key, set()).add(labels)
        self._times[name].labels(*labels).observe(abs(seconds))

    def gone(self, key: Key) -> None:
        """Forget a PreScaledCronJob, unless another namespace has one of that name."""
        labels = self._seen.pop(key, set())
        others = {each for seen in self._seen.values() for each in seen}
        for each in labels - others:
            for histogram in self._times.values():
                histogram.remove(*each)

    def collect(self) -> Iterator[Metric]:
        """Tell all numbers."""
        yield from self._actions.collect()
        for histogram in self._times.values():
            yield from histogram.collect()
