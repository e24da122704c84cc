"""What is read from a Schedule: facts, or all that is wrong with it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.api.velero.schedule import Schedule
from kedge.controllers.schedule.decide import Facts
from kedge.controllers.schedule.reading import Wrong, is_marked, read, was_paused

MARK = {"kedge.dev/was-paused": "true"}


def schedule(
    annotations: dict[str, str] | None = None, status: dict[str, Any] | None = None, **spec: Any
) -> Schedule:
    metadata = {
        "name": "s",
        "uid": "u1",
        "generation": 3,
        "creationTimestamp": "2026-06-01T12:00:00Z",
        "annotations": annotations or {},
    }
    raw = {"metadata": metadata, "spec": {"schedule": "@hourly", **spec}, "status": status or {}}
    return msgspec.convert(raw, Schedule)


def facts(one: Schedule) -> Facts:
    found = read(one)
    assert isinstance(found, Facts)
    return found


def paused(status: str) -> dict[str, Any]:
    return {"phase": "Enabled", "conditions": [{"type": "Paused", "status": status}]}


def test_all_of_it_is_read() -> None:
    options = {
        "kedge.dev/missed-runs": "skip",
        "kedge.dev/starting-deadline": "10m",
        "kedge.dev/pause-until": "2026-07-01T00:00:00Z",
        "kedge.dev/skip-immediately": "always",
    }
    status = {
        "phase": "Enabled",
        "lastBackup": "2026-06-01T13:00:00Z",
        "lastSkipped": "2026-06-01T14:00:00Z",
    }
    known = facts(schedule(options, status, paused=True, skipImmediately=False))
    assert known.created == datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert known.last_backup == datetime(2026, 6, 1, 13, tzinfo=UTC)
    assert known.last_skipped == datetime(2026, 6, 1, 14, tzinfo=UTC)
    assert known.pause_until == datetime(2026, 7, 1, tzinfo=UTC)
    assert known.deadline == timedelta(minutes=10)
    assert (known.is_paused, known.skip, known.always_skip) == (True, False, True)
    assert (known.skips_missed, known.is_new, known.is_skip_taken) == (True, False, False)


@pytest.mark.parametrize(
    ("status", "is_new"),
    [
        pytest.param({}, True, id="no trace of a reconcile"),
        pytest.param({"phase": "New"}, True, id="as a stock Velero's tools leave it"),
        pytest.param({"phase": "Enabled"}, False, id="looked at"),
        pytest.param({"phase": "FailedValidation"}, True, id="never valid"),
        pytest.param(
            {"phase": "FailedValidation", "lastBackup": "2026-06-01T13:00:00Z"},
            False,
            id="valid before",
        ),
    ],
)
def test_whether_it_is_new(status: dict[str, Any], is_new: bool) -> None:
    assert facts(schedule(status=status)).is_new == is_new


@pytest.mark.parametrize(
    ("annotations", "status", "expected"),
    [
        pytest.param({}, {}, False, id="nothing tells"),
        pytest.param({}, paused("True"), True, id="the condition"),
        pytest.param({}, paused("False"), False, id="the condition says no"),
        pytest.param(MARK, {"phase": "Enabled"}, True, id="the mark, where there is no condition"),
        pytest.param(MARK, paused("False"), False, id="a mark of the past"),
    ],
)
def test_whether_it_was_paused(
    annotations: dict[str, str], status: dict[str, Any], expected: bool
) -> None:
    one = schedule(annotations, status)
    assert was_paused(one) == expected
    assert is_marked(one) == bool(annotations)


def taken(generation: int, reason: str = "SkipImmediately") -> dict[str, Any]:
    condition = {"type": "Skipped", "reason": reason, "observedGeneration": generation}
    return {"phase": "Enabled", "conditions": [condition]}


@pytest.mark.parametrize(
    ("status", "skip", "expected"),
    [
        pytest.param(taken(3), True, True, id="of this very generation"),
        pytest.param(taken(2), True, False, id="of an older one"),
        pytest.param(taken(3), None, False, id="and removed"),
        pytest.param(taken(3, "Policy"), True, False, id="by another one's wish"),
        pytest.param({}, True, False, id="not taken"),
    ],
)
def test_whether_the_skip_was_taken(
    status: dict[str, Any], skip: bool | None, expected: bool
) -> None:
    assert facts(schedule(status=status, skipImmediately=skip)).is_skip_taken == expected


@pytest.mark.parametrize(
    "expression", ["", " ", "\t", "* * * *", "0 0 31 4 *", "@every 0", "TZ=Nowhere @daily"]
)
def test_what_is_wrong_is_told(expression: str) -> None:
    found = read(schedule(schedule=expression))
    assert isinstance(found, Wrong)
    assert len(found.errors) == 1


def test_a_schedule_without_a_spec_is_wrong() -> None:
    found = read(msgspec.convert({"metadata": {"name": "s"}}, Schedule))
    assert found == Wrong(("Schedule must be a non-empty valid Cron expression",))
