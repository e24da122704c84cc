"""What is told of schedules in numbers."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest

from kedge.api.velero.schedule import Schedule, ScheduleSpec
from kedge.client.decoders import Event
from kedge.controllers.schedule.children import BACKUP_HEAD
from kedge.controllers.schedule.decide import Blocked, Facts, Hold, Missed, Run, Wait
from kedge.controllers.schedule.metrics import ScheduleMetrics
from kedge.controllers.schedule.reading import Wrong, read
from kedge.kube.meta import ObjectMeta
from kedge.runtime.cache import Cache, CacheWriter
from kedge.runtime.key import Key
from kedge.runtime.outputs import RESTARTED, SYNCED, Batch

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
KEY = Key("velero", "nightly")


def facts(expression: str = "0 * * * *") -> Facts | Wrong:
    meta = ObjectMeta(
        name=KEY.name, namespace=KEY.namespace, creation_timestamp="2029-12-31T00:00:00Z"
    )
    return read(Schedule(metadata=meta, spec=ScheduleSpec(schedule=expression)))


def told(metrics: ScheduleMetrics) -> dict[str, float]:
    """Give all numbers by name and label, as they are scraped."""
    registry = CollectorRegistry()
    registry.register(metrics)
    text = generate_latest(registry).decode()
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def backup(
    name: str, phase: str, ended: datetime | None = None, of: str = KEY.name
) -> dict[str, Any]:
    status: dict[str, Any] = {"phase": phase}
    if ended is not None:
        status["completionTimestamp"] = f"{ended:%Y-%m-%dT%H:%M:%SZ}"
    labels = {"velero.io/schedule-name": of} if of else {}
    meta = {"name": name, "namespace": "velero", "resourceVersion": "1", "labels": labels}
    return {"metadata": meta, "status": status}


@pytest.fixture
def metrics() -> ScheduleMetrics:
    return ScheduleMetrics()


def look_at(metrics: ScheduleMetrics, *backups: dict[str, Any]) -> None:
    cache = Cache(BACKUP_HEAD)
    writer = CacheWriter(cache)
    raws = [msgspec.Raw(msgspec.json.encode(one)) for one in backups]
    for output in (RESTARTED, Batch([Event("ADDED", raw) for raw in raws]), SYNCED):
        writer.take(output)
    metrics.look_at(cache)


@pytest.mark.asyncio
async def test_the_next_run_and_the_interval_are_told(metrics: ScheduleMetrics) -> None:
    metrics.seen(KEY, facts(), Wait(NOON + HOUR, None), NOON)
    numbers = told(metrics)
    name = 'kedge_schedule_next_run_timestamp_seconds{schedule="nightly"}'
    assert numbers[name] == (NOON + HOUR).timestamp()
    assert numbers['velero_schedule_expected_interval_seconds{schedule="nightly"}'] == 3600


@pytest.mark.asyncio
@pytest.mark.parametrize("outcome", [Hold(None), Wrong(("no",))])
async def test_what_does_not_run_has_no_next_run(
    metrics: ScheduleMetrics, outcome: Hold | Wrong
) -> None:
    metrics.seen(KEY, facts(), outcome, NOON)
    assert not [name for name in told(metrics) if name.startswith("kedge_schedule_next_run")]


@pytest.mark.asyncio
async def test_a_run_that_waits_is_told_with_the_time_it_was_due(metrics: ScheduleMetrics) -> None:
    metrics.seen(KEY, facts(), Blocked(NOON, "b", NOON + HOUR, None, None), NOON + HOUR / 2)
    name = 'kedge_schedule_next_run_timestamp_seconds{schedule="nightly"}'
    assert told(metrics)[name] == NOON.timestamp()


@pytest.mark.asyncio
async def test_missed_runs_add_up(metrics: ScheduleMetrics) -> None:
    name = 'kedge_schedule_missed_runs_total{schedule="nightly"}'
    metrics.seen(KEY, facts(), Wait(NOON, None), NOON)
    assert told(metrics)[name] == 0
    metrics.seen(KEY, facts(), Run(NOON, 3, NOON + HOUR), NOON)
    metrics.seen(KEY, facts(), Missed(NOON, 2, NOON + HOUR, None), NOON)
    assert told(metrics)[name] == 5


@pytest.mark.asyncio
async def test_nothing_is_left_of_a_schedule_that_is_gone(metrics: ScheduleMetrics) -> None:
    metrics.seen(KEY, facts(), Wait(NOON, None), NOON)
    metrics.gone(KEY)
    assert not [name for name in told(metrics) if "nightly" in name]


@pytest.mark.asyncio
async def test_the_last_status_is_that_of_the_last_backup_that_ended(
    metrics: ScheduleMetrics,
) -> None:
    status = 'velero_backup_last_status{schedule="nightly"}'
    good = 'velero_backup_last_successful_timestamp{schedule="nightly"}'
    metrics.seen(KEY, facts(), Wait(NOON, None), NOON)
    look_at(metrics)
    assert told(metrics)[status] == 1
    assert good not in told(metrics)
    first = backup("a", "Completed", NOON - 2 * HOUR)
    look_at(metrics, first, backup("b", "PartiallyFailed", NOON - HOUR), backup("c", "InProgress"))
    numbers = told(metrics)
    assert numbers[status] == 0
    assert numbers[good] == (NOON - 2 * HOUR).timestamp()
    assert numbers["velero_backup_total"] == 3
    look_at(metrics, first, backup("d", "Completed", NOON), backup("e", "Failed", NOON - HOUR))
    numbers = told(metrics)
    assert (numbers[status], numbers[good]) == (1, NOON.timestamp())


@pytest.mark.asyncio
async def test_backups_of_others_do_not_count(metrics: ScheduleMetrics) -> None:
    metrics.seen(KEY, facts(), Wait(NOON, None), NOON)
    look_at(metrics, backup("x", "Failed", NOON, of="other"), backup("y", "Failed", NOON, of=""))
    assert told(metrics)['velero_backup_last_status{schedule="nightly"}'] == 1
