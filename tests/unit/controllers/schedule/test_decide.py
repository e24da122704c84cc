"""What one schedule needs now, case by case."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kedge.controllers.schedule.decide import (
    Blocked,
    Child,
    Decision,
    Facts,
    Hold,
    Missed,
    Run,
    Skip,
    Wait,
    decide,
)
from kedge.controllers.schedule.timetable import timetable

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
"""The instant of a run of `HOURLY`."""
HOURLY = "0 * * * *"


def facts(expression: str = HOURLY, jitter: timedelta = timedelta(0), **known: Any) -> Facts:
    table = timetable(expression, "wall", jitter, "0c7bf2a4")
    return Facts(table, **({"created": NOON - 24 * HOUR, "last_backup": NOON - HOUR} | known))


def child(due: datetime | None, *, done: bool = True, made: datetime | None = None) -> Child:
    created = made or due or NOON
    return Child(f"b-{created:%H%M%S}", created, is_finished=done, due=due)


def decided(known: Facts, now: datetime, *children: Child, skips: bool = False) -> Decision:
    return decide(known, children, now, skips)


@pytest.mark.parametrize(
    ("known", "now", "expected"),
    [
        pytest.param({}, NOON - SECOND, Wait(NOON, NOON - HOUR), id="before its instant"),
        pytest.param({}, NOON, Wait(NOON, NOON - HOUR), id="at its instant: due is after it"),
        pytest.param({}, NOON + SECOND, Run(NOON, 0, NOON + HOUR), id="after its instant"),
        pytest.param(
            {}, NOON + 3 * HOUR + SECOND, Run(NOON + 3 * HOUR, 3, NOON + 4 * HOUR), id="four late"
        ),
        pytest.param(
            {"last_backup": None, "created": NOON - MINUTE},
            NOON - SECOND,
            Wait(NOON, None),
            id="new: nothing until the first instant after its creation",
        ),
        pytest.param(
            {"last_backup": None, "created": NOON - MINUTE},
            NOON + SECOND,
            Run(NOON, 0, NOON + HOUR),
            id="new: the first instant after its creation",
        ),
        pytest.param(
            {"last_skipped": NOON + SECOND},
            NOON + MINUTE,
            Wait(NOON + HOUR, NOON - HOUR),
            id="a skip after the last backup is the base",
        ),
        pytest.param(
            {"last_skipped": NOON - 2 * HOUR},
            NOON + SECOND,
            Run(NOON, 0, NOON + HOUR),
            id="a skip before the last backup is not",
        ),
        pytest.param({"is_paused": True}, NOON + HOUR, Hold(None), id="paused"),
        pytest.param(
            {"pause_until": NOON + HOUR}, NOON + MINUTE, Hold(NOON + HOUR), id="paused until"
        ),
        pytest.param(
            {"pause_until": NOON}, NOON + SECOND, Run(NOON, 0, NOON + HOUR), id="pause is over"
        ),
        pytest.param(
            {"last_backup": NOON + 24 * HOUR},
            NOON + MINUTE,
            Wait(NOON + HOUR, NOON),
            id="a last backup far in the future becomes one of a minute ago",
        ),
    ],
)
def test_when_a_run_is_due(known: dict[str, Any], now: datetime, expected: Decision) -> None:
    assert decided(facts(**known), now) == expected


@pytest.mark.parametrize(
    ("known", "skips", "expected"),
    [
        pytest.param({"is_new": True, "skip": True}, False, True, id="new, true"),
        pytest.param(
            {"is_new": True, "skip": False}, True, False, id="new, false wins over server"
        ),
        pytest.param({"is_new": True}, True, True, id="new, server says so"),
        pytest.param({"is_new": True}, False, False, id="new, nobody says so"),
        pytest.param({"was_paused": True, "skip": True}, False, True, id="unpaused, true"),
        pytest.param({"was_paused": True, "skip": False}, True, False, id="unpaused, false"),
        pytest.param({"was_paused": True}, True, True, id="unpaused, server says so"),
        pytest.param({"was_paused": True}, False, False, id="unpaused, nobody says so"),
        pytest.param({"was_paused": True, "always_skip": True}, False, True, id="standing policy"),
        pytest.param({"always_skip": True}, False, False, id="standing policy, running"),
        pytest.param({"skip": True}, False, False, id="running, in place of a run that is due"),
        pytest.param({}, True, False, id="running: the server's default is used once only"),
    ],
)
def test_when_the_run_that_is_due_is_skipped(
    known: dict[str, Any], skips: bool, expected: bool
) -> None:
    decision = decided(facts(**known), NOON + MINUTE, skips=skips)
    assert isinstance(decision, Skip) == expected
    if not expected:
        assert decision == Run(NOON, 0, NOON + HOUR)


def test_a_skip_leads_to_the_next_run() -> None:
    decision = decided(facts(was_paused=True, skip=True), NOON + MINUTE)
    assert decision == Skip(NOON + HOUR, clears_spec=True, last_backup=NOON - HOUR)


def test_a_skip_by_the_server_or_by_policy_leaves_the_spec_alone() -> None:
    cases: list[dict[str, Any]] = [
        {"is_new": True},
        {"was_paused": True, "always_skip": True, "skip": True},
    ]
    for known in cases:
        decision = decided(facts(**known), NOON + MINUTE, skips=True)
        assert isinstance(decision, Skip)
        assert not decision.clears_spec


def test_a_skip_on_a_running_schedule_is_taken_once_in_an_interval() -> None:
    running = facts(skip=True)
    assert isinstance(decided(running, NOON - MINUTE), Skip)
    taken = facts(skip=True, last_skipped=NOON - MINUTE)
    assert decided(taken, NOON - SECOND) == Wait(NOON, NOON - HOUR)
    assert decided(taken, NOON + SECOND) == Run(NOON, 0, NOON + HOUR)
    ran = facts(skip=True, last_skipped=NOON - MINUTE, last_backup=NOON + SECOND)
    assert isinstance(decided(ran, NOON + MINUTE), Skip)


def test_a_skip_that_was_taken_is_only_removed() -> None:
    known = facts(skip=True, last_skipped=NOON + SECOND, is_skip_taken=True)
    decision = decided(known, NOON + MINUTE)
    assert decision == Skip(
        NOON + HOUR, clears_spec=True, last_backup=NOON - HOUR, moves_base=False
    )


def test_a_backup_that_the_status_does_not_know_of_counts_as_the_run() -> None:
    made = child(NOON, made=NOON + 2 * SECOND)
    assert decided(facts(), NOON + MINUTE, made) == Wait(NOON + HOUR, NOON + 2 * SECOND)


def test_a_backup_that_somebody_made_by_hand_does_not_count() -> None:
    assert decided(facts(), NOON + MINUTE, child(None)) == Run(NOON, 0, NOON + HOUR)


def test_a_backup_from_a_time_to_come_does_not_count() -> None:
    ahead = child(NOON + 5 * HOUR)
    assert decided(facts(), NOON + MINUTE, ahead) == Run(NOON, 0, NOON + HOUR)


def test_a_run_waits_for_the_one_before_whatever_its_phase() -> None:
    running = child(NOON - HOUR, done=False)
    assert decided(facts(), NOON + MINUTE, running) == Blocked(
        NOON, running.name, NOON + HOUR, None, NOON - HOUR
    )
    later = decided(facts(), NOON + 2 * HOUR + MINUTE, running)
    assert isinstance(later, Blocked)
    assert later.due == NOON + 2 * HOUR


def test_a_run_that_waited_beyond_its_deadline_is_missed() -> None:
    known = facts(deadline=10 * MINUTE)
    running = child(NOON - HOUR, done=False)
    blocked = decided(known, NOON + MINUTE, running)
    assert isinstance(blocked, Blocked)
    assert blocked.wake is not None
    assert decided(known, blocked.wake, running) == Missed(NOON, 1, NOON + HOUR, NOON - HOUR)


@pytest.mark.parametrize(
    ("known", "late", "is_missed"),
    [
        pytest.param({}, 50 * MINUTE, False, id="one late run is made, however late"),
        pytest.param({"deadline": HOUR}, 50 * MINUTE, False, id="within the deadline"),
        pytest.param({"deadline": HOUR / 2}, 50 * MINUTE, True, id="past the deadline"),
        pytest.param({"skips_missed": True}, 50 * MINUTE, True, id="missed runs are skipped"),
        pytest.param({"skips_missed": True}, 30 * SECOND, False, id="a little late is not missed"),
        pytest.param(
            {"skips_missed": True, "deadline": HOUR}, 50 * MINUTE, False, id="skip with a deadline"
        ),
    ],
)
def test_what_happens_to_missed_runs(
    known: dict[str, Any], late: timedelta, is_missed: bool
) -> None:
    decision = decided(facts(**known), NOON + late)
    assert isinstance(decision, Missed if is_missed else Run)


def test_jitter_moves_every_run_by_the_same_time() -> None:
    delay = facts(jitter=30 * MINUTE).timetable.delay
    assert timedelta(0) < delay < 30 * MINUTE
    last = NOON - HOUR + delay
    moved = facts(jitter=30 * MINUTE, last_backup=last)
    assert decided(moved, NOON + delay) == Wait(NOON + delay, last)
    assert decided(moved, NOON + delay + SECOND) == Run(NOON + delay, 0, NOON + HOUR + delay)


def test_intervals_count_from_the_last_backup() -> None:
    known = facts("@every 90m", last_backup=NOON)
    assert decided(known, NOON + HOUR) == Wait(NOON + 90 * MINUTE, NOON)
    late = decided(known, NOON + 4 * HOUR)
    assert late == Run(NOON + 180 * MINUTE, 1, NOON + 4 * HOUR + 90 * MINUTE)


def test_years_of_missed_minutes_are_not_counted_one_by_one() -> None:
    known = facts("* * * * *", last_backup=NOON - timedelta(days=3650))
    decision = decided(known, NOON + SECOND)
    assert decision == Run(NOON, 1000, NOON + MINUTE)


DAYS = 48 * HOUR


@pytest.mark.parametrize("ahead", [MINUTE, 4 * MINUTE])
def test_clocks_that_differ_by_minutes_move_nothing(ahead: timedelta) -> None:
    last = NOON + ahead
    assert decided(facts(last_backup=last), NOON) == Wait(NOON + HOUR, last)


def test_a_clock_that_was_days_ahead_does_not_stop_the_runs_when_it_is_put_right() -> None:
    cases: list[dict[str, Any]] = [{"last_backup": NOON + DAYS}, {"last_skipped": NOON + DAYS}]
    for known in cases:
        waiting = decided(facts(**known), NOON - 30 * MINUTE)
        assert isinstance(waiting, Wait)
        assert waiting.next == NOON
        assert decided(facts(**known), NOON + SECOND) == Run(NOON, 0, NOON + HOUR)


def test_a_schedule_of_the_future_begins_now_and_is_not_asked_twice() -> None:
    strange: dict[str, Any] = {"created": NOON + DAYS, "last_backup": None}
    first = decided(facts(**strange), NOON - MINUTE)
    assert first == Skip(NOON, clears_spec=False, last_backup=None)
    known = facts(**strange, last_skipped=NOON - MINUTE)
    assert decided(known, NOON - SECOND) == Wait(NOON, None)
    assert decided(known, NOON + SECOND) == Run(NOON, 0, NOON + HOUR)


def test_a_backup_that_was_made_days_before_its_instant_is_not_its_run() -> None:
    early = child(NOON, made=NOON - DAYS)
    assert decided(facts(), NOON + MINUTE, early) == Run(NOON, 0, NOON + HOUR)
    near = child(NOON, made=NOON - 4 * MINUTE)
    assert decided(facts(), NOON + MINUTE, near) == Wait(NOON + HOUR, NOON)


def test_a_backup_whose_time_of_creation_is_yet_to_come_was_made_now() -> None:
    ahead = child(NOON, made=NOON + DAYS)
    assert decided(facts(), NOON + MINUTE, ahead) == Wait(NOON + HOUR, NOON + MINUTE)
