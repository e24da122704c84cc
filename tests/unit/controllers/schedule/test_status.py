"""What a decision makes of the status, and what is told of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kedge.api.velero.schedule import Schedule
from kedge.controllers.schedule.decide import Blocked, Hold, Missed, Run, Skip, Wait
from kedge.controllers.schedule.reading import Wrong
from kedge.controllers.schedule.status import Outcome, Refused, difference, notes_for, status_for

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
NOW = NOON + timedelta(seconds=1, microseconds=7)
ONE = NOON + timedelta(hours=1)
BEFORE = NOON - timedelta(hours=1)
KNOWN = {"lastBackup": "2026-06-01T10:00:00Z", "lastSkipped": "2026-06-01T09:00:00Z"}


def schedule(**status: Any) -> Schedule:
    metadata = {"name": "s", "generation": 3}
    return msgspec.convert({"metadata": metadata, "spec": {}, "status": status}, Schedule)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        pytest.param(
            Run(NOON, 0, ONE),
            {"lastBackup": "2026-06-01T12:00:01Z", "nextRun": "2026-06-01T13:00:00Z"},
            id="a run",
        ),
        pytest.param(Wait(ONE, None), {"nextRun": "2026-06-01T13:00:00Z"}, id="nothing to do"),
        pytest.param(
            Wait(ONE, BEFORE),
            {"lastBackup": "2026-06-01T11:00:00Z", "nextRun": "2026-06-01T13:00:00Z"},
            id="a backup that the status did not know of",
        ),
        pytest.param(
            Skip(ONE, clears_spec=True, last_backup=None),
            {"lastSkipped": "2026-06-01T12:00:01Z", "nextRun": "2026-06-01T13:00:00Z"},
            id="a skip",
        ),
        pytest.param(
            Skip(ONE, clears_spec=True, last_backup=BEFORE, moves_base=False),
            {"lastBackup": "2026-06-01T11:00:00Z", "nextRun": "2026-06-01T13:00:00Z"},
            id="a skip that has only to be taken out of the spec",
        ),
        pytest.param(
            Missed(NOON, 1, ONE, None),
            {"lastSkipped": "2026-06-01T12:00:01Z", "nextRun": "2026-06-01T13:00:00Z"},
            id="a missed run",
        ),
        pytest.param(
            Blocked(NOON, "b", ONE, None, BEFORE),
            {"lastBackup": "2026-06-01T11:00:00Z", "nextRun": "2026-06-01T12:00:00Z"},
            id="a blocked run",
        ),
        pytest.param(Hold(None), {"nextRun": None}, id="paused"),
        pytest.param(Refused(NOON, "no"), {"nextRun": "2026-06-01T12:00:00Z"}, id="refused"),
        pytest.param(
            Wrong(("no",)),
            {"phase": "FailedValidation", "validationErrors": ["no"], "nextRun": None},
            id="wrong",
        ),
    ],
)
def test_what_becomes_of_the_fields(outcome: Outcome, expected: dict[str, Any]) -> None:
    found = status_for(schedule(**KNOWN), outcome, NOW)
    del found["conditions"]
    assert found == {
        "phase": "Enabled",
        **KNOWN,
        "validationErrors": None,
        "observedGeneration": 3,
        **expected,
    }


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        pytest.param(Run(NOON, 0, ONE), {"Ready": "True", "Paused": "False", "Blocked": "False"}),
        pytest.param(Hold(None), {"Ready": "False", "Paused": "True", "Blocked": "False"}),
        pytest.param(Hold(ONE), {"Ready": "False", "Paused": "True", "Blocked": "False"}),
        pytest.param(
            Blocked(NOON, "b", ONE, None, None),
            {"Ready": "False", "Paused": "False", "Blocked": "True"},
        ),
        pytest.param(
            Refused(NOON, "no"), {"Ready": "False", "Paused": "False", "Blocked": "False"}
        ),
        pytest.param(Wrong(("no",)), {"Ready": "False"}),
        pytest.param(
            Skip(ONE, clears_spec=True, last_backup=None),
            {"Ready": "True", "Paused": "False", "Blocked": "False", "Skipped": "True"},
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_becomes_of_the_conditions(outcome: Outcome, expected: dict[str, str]) -> None:
    found = status_for(schedule(), outcome, NOW)["conditions"]
    assert {one["type"]: one["status"] for one in found} == expected
    assert all(one["message"] and one["lastTransitionTime"] for one in found)
    again = status_for(schedule(conditions=found), outcome, NOW)["conditions"]
    assert again == found, "the same decision changes nothing"


@pytest.mark.parametrize(
    ("asks", "expected"),
    [
        pytest.param(None, 3, id="the spec asks no more: kubectl wait must see the condition"),
        pytest.param(True, 2, id="the spec asks again: this skip is not taken yet"),
    ],
)
def test_a_skip_that_was_taken_stays_true_of_the_spec_that_asks_for_none(
    asks: bool | None, expected: int
) -> None:
    taken = {"type": "Skipped", "status": "True", "observedGeneration": 2}
    raw = {
        "metadata": {"name": "s", "generation": 3},
        "spec": {"skipImmediately": asks},
        "status": {"conditions": [taken]},
    }
    conditions = status_for(msgspec.convert(raw, Schedule), Wait(ONE, None), NOW)["conditions"]
    assert taken | {"observedGeneration": expected} in conditions


def test_a_pause_is_told_also_of_a_schedule_that_is_wrong() -> None:
    raw = {"metadata": {"name": "s"}, "spec": {"paused": True}}
    found = status_for(msgspec.convert(raw, Schedule), Wrong(("no",)), NOW)["conditions"]
    assert {one["type"]: one["status"] for one in found} == {"Ready": "False", "Paused": "True"}


def test_times_that_can_not_be_true_yet_are_put_right_whatever_happens() -> None:
    ahead = {"lastBackup": "2027-01-01T00:00:00Z", "lastSkipped": "2026-06-01T12:04:00Z"}
    found = status_for(schedule(**ahead), Hold(None), NOW)
    assert found["lastBackup"] == "2026-06-01T11:59:01Z", "a minute ago"
    assert found["lastSkipped"] == ahead["lastSkipped"], "clocks may differ by minutes"


def test_a_time_that_stands_in_another_form_is_left_as_it_is() -> None:
    found = status_for(schedule(lastBackup="2026-06-01T12:00:00+02:00"), Hold(None), NOW)
    assert found["lastBackup"] == "2026-06-01T12:00:00+02:00"


def test_only_what_differs_is_written() -> None:
    old = {"phase": "Enabled", "lastBackup": "a", "nextRun": "b"}
    new = {"phase": "Enabled", "lastBackup": "c", "nextRun": None, "validationErrors": None}
    assert difference(old, new) == {"lastBackup": "c", "nextRun": None}
    assert difference(None, {"phase": "Enabled", "nextRun": None}) == {"phase": "Enabled"}
    assert difference(old, old) == {}


def reasons(outcome: Outcome, **status: Any) -> list[tuple[str, str]]:
    return [(note.type, note.reason) for note in notes_for(schedule(**status), outcome)]


def conditions(outcome: Outcome) -> list[Any]:
    found: list[Any] = status_for(schedule(), outcome, NOW)["conditions"]
    return found


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Run(NOON, 0, ONE), []),
        (Run(NOON, 1, ONE), [("Warning", "MissedRuns")]),
        (Wait(ONE, None), []),
        (Hold(None), []),
        (Skip(ONE, clears_spec=True, last_backup=None), [("Normal", "Skipped")]),
        (Skip(ONE, clears_spec=True, last_backup=None, moves_base=False), []),
        (Missed(NOON, 2, ONE, None), [("Warning", "MissedRuns")]),
        (Blocked(NOON, "b", ONE, None, None), [("Warning", "Overlap")]),
        (Refused(NOON, "no"), [("Warning", "BackupRefused")]),
        (Wrong(("no",)), [("Warning", "FailedValidation")]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_told(outcome: Outcome, expected: list[tuple[str, str]]) -> None:
    assert reasons(outcome) == expected


def test_what_lasts_is_told_once() -> None:
    blocked = Blocked(NOON, "b", ONE, None, None)
    assert reasons(blocked, conditions=conditions(blocked)) == []
    refused = Refused(NOON, "no")
    assert reasons(refused, conditions=conditions(refused)) == []
    assert reasons(Refused(NOON, "never"), conditions=conditions(refused)) != []
    assert reasons(Wrong(("no",)), validationErrors=["no"]) == []
    assert reasons(Wrong(("no", "never")), validationErrors=["no"]) != []
