"""What is measured of a pod, from real sequences of its status and of Events."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.controllers.prescaled.metrics import BUCKETS, PrescaledMetrics
from kedge.controllers.prescaled.times import (
    Event,
    Pod,
    Times,
    is_restarted,
    lead_of,
    measures,
    start_of,
    times_of,
    with_events,
)
from kedge.runtime import Key
from tests.unit.controllers.prescaled.pods import BORN, EVENTS, EXPECTED, STAGES, pod, stamp

DUE = datetime(2030, 1, 2, tzinfo=UTC)
KEY = Key("default", "report")


def read(status: dict[str, Any], **more: Any) -> Pod:
    raw = pod(**more)
    raw["metadata"] |= {"uid": "p", "creationTimestamp": stamp(0)}
    return msgspec.convert({**raw, "status": status}, Pod)


def seconds(times: Times) -> dict[str, float]:
    return {name: taken.total_seconds() for name, (taken, _) in measures(times, DUE).items()}


def events(raw: list[dict[str, Any]]) -> list[Event]:
    return [msgspec.convert(each, Event) for each in raw]


def test_the_statuses_of_a_pod_tell_its_stations_one_after_the_other() -> None:
    counts = [len(seconds(times_of(read(status)))) for status in STAGES]
    assert counts == [0, 0, 1, 1, 1, 2, 4, 4]
    assert seconds(times_of(read(STAGES[-1]))) == EXPECTED
    assert seconds(times_of(read(STAGES[-2]))) == EXPECTED


@pytest.mark.parametrize("turn", range(len(EVENTS)))
def test_events_in_any_order_tell_the_same(turn: int) -> None:
    told = with_events(Times(created=BORN), events(EVENTS[turn:] + EVENTS[:turn]))
    assert told.is_whole
    assert seconds(told) == EXPECTED


def test_events_tell_of_the_first_start_where_the_status_has_forgotten_it() -> None:
    status = msgspec.json.decode(msgspec.json.encode(STAGES[-2]))
    for each in status["containerStatuses"]:
        each["restartCount"] = 1
        each["state"] = {"running": {"startedAt": stamp(660)}}
    restarted = read(status)
    assert is_restarted(restarted)
    assert seconds(times_of(restarted))["time_delay_of_workload"] == 61.0
    assert seconds(with_events(times_of(restarted), events(EVENTS))) == EXPECTED


def test_the_run_is_known_from_the_name_of_the_job_and_the_lead() -> None:
    found = read({})
    assert start_of(found) == BORN.replace(second=0)
    assert lead_of(found) == timedelta(minutes=10)
    assert lead_of(read({}, lead=None)) is None


@pytest.mark.parametrize("name", ["", "report", "report-x", "report-99999999999999999999"])
def test_a_job_of_another_name_tells_no_start(name: str) -> None:
    raw = pod()
    raw["metadata"]["labels"]["batch.kubernetes.io/job-name"] = name
    assert start_of(msgspec.convert(raw, Pod)) is None


def test_pods_without_a_pool_have_a_name_for_that() -> None:
    assert read({}).pool == "big"
    assert read({}, pool=None).pool == "noneset"


def samples(metrics: PrescaledMetrics, end: str = "_sum") -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for metric in metrics.collect()
        for sample in metric.samples
        if sample.name.endswith(end)
    }


def test_what_is_early_is_told_apart_from_what_is_late() -> None:
    metrics = PrescaledMetrics()
    metrics.took("time_delay_of_workload", timedelta(seconds=7), KEY, "big")
    metrics.took("time_delay_of_workload", timedelta(seconds=-5), KEY, "noneset")
    name = "prescalecronjoboperator_cronjob_time_delay_of_workload_sum"
    assert samples(metrics) == {
        (name, "report", "big", "late"): 7.0,
        (name, "report", "noneset", "early"): 5.0,
    }


def test_a_name_goes_with_the_last_object_that_has_it() -> None:
    metrics, other = PrescaledMetrics(), Key("other", "report")
    for key in (KEY, other):
        metrics.took("time_to_schedule", timedelta(seconds=7), key, "big")
    metrics.gone(KEY)
    assert len(samples(metrics)) == 1
    metrics.gone(other)
    assert samples(metrics) == {}


def test_actions_are_counted_by_their_outcome() -> None:
    metrics = PrescaledMetrics()
    metrics.acted("create", is_good=True)
    metrics.acted("create", is_good=False)
    metrics.acted("update", is_good=True)
    name = "prescaledcronjoboperator_cronjob_action_total"
    assert samples(metrics, "_total") == {
        (name, "create", "success"): 1.0,
        (name, "create", "failure"): 1.0,
        (name, "update", "success"): 1.0,
    }


def test_the_buckets_go_from_two_seconds_to_an_hour() -> None:
    assert len(BUCKETS) == 28
    assert BUCKETS[0] == 2.0
    assert BUCKETS[1] == pytest.approx(2.64)
    assert 3590 < BUCKETS[-1] < 3610
