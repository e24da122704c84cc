"""Numbers of restores, under Velero's names."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from kedge.controllers.restore.metrics import RestoreMetrics
from kedge.runtime import Key

NAMES = (
    "velero_restore_attempt_total",
    "velero_restore_success_total",
    "velero_restore_partial_failure_total",
    "velero_restore_failed_total",
    "velero_restore_validation_failed_total",
)


class Shelf:
    """As much of a cache as is asked for."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)

    def entries(self) -> Iterable[Any]:
        return [SimpleNamespace(key=Key("velero", name)) for name in self.names]

    def __len__(self) -> int:
        return len(self.names)


def told(metrics: RestoreMetrics) -> dict[tuple[str, str | None], float]:
    return {
        (sample.name, sample.labels.get("schedule")): sample.value
        for metric in metrics.collect()
        for sample in metric.samples
        if not sample.name.endswith("_created")
    }


def test_all_numbers_begin_at_zero() -> None:
    found = told(RestoreMetrics())
    assert found == {("velero_restore_total", None): 0} | {(name, ""): 0 for name in NAMES}


@pytest.mark.parametrize(
    ("phase", "name"),
    [
        ("Completed", NAMES[1]),
        ("PartiallyFailed", NAMES[2]),
        ("Failed", NAMES[3]),
    ],
)
def test_each_end_is_counted(phase: str, name: str) -> None:
    metrics = RestoreMetrics()
    metrics.attempted("s")
    metrics.ended("s", phase)
    found = told(metrics)
    counted = {key for key, value in found.items() if value}
    assert counted == {(NAMES[0], "s"), (name, "s")}


def test_one_that_is_refused_is_counted() -> None:
    metrics = RestoreMetrics()
    metrics.rejected("")
    assert told(metrics)[NAMES[4], ""] == 1


def test_restores_are_counted_as_the_cache_has_them() -> None:
    metrics = RestoreMetrics()
    metrics.count(Shelf("a", "b"))  # type: ignore[arg-type]
    assert told(metrics)["velero_restore_total", None] == 2


def test_schedules_that_are_gone_are_forgotten_and_new_ones_begin_at_zero() -> None:
    metrics = RestoreMetrics()
    long = "x" * 100
    shelf = Shelf("new", "old", long)
    metrics.look_at(shelf)  # type: ignore[arg-type]
    metrics.attempted("old")
    metrics.attempted(long)
    assert told(metrics)[NAMES[0], "old"] == 1
    assert told(metrics)[NAMES[0], "new"] == 0
    assert told(metrics)[NAMES[0], long] == 1
    shelf.names = ["new"]
    assert {label for _, label in told(metrics) if label} == {"new"}
    shelf.names = ["old"]
    assert told(metrics)[NAMES[0], "old"] == 0
