"""The instants of a schedule, with and without a delay of its own."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.controllers.schedule.timetable import COUNT_LIMIT, stable_delay, timetable

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
NONE = timedelta(0)
MINUTE = timedelta(minutes=1)
TIMES = st.timedeltas(timedelta(days=-9000), timedelta(days=9000)).map(lambda by: NOON + by)
EXPRESSIONS = st.sampled_from(
    ["* * * * *", "@hourly", "*/7 3 * * *", "0 0 1 * *", "@every 90m", "@every 1s"]
)
JITTERS = st.sampled_from([NONE, timedelta(minutes=10), timedelta(hours=23)])


@given(EXPRESSIONS, JITTERS, TIMES, st.timedeltas(timedelta(seconds=1), timedelta(days=3)))
def test_the_latest_instant_is_due_and_none_follows_it(
    expression: str, jitter: timedelta, base: datetime, later: timedelta
) -> None:
    table = timetable(expression, "wall", jitter, "uid")
    first = table.next(base)
    now = first + later
    due, missed = table.latest(base, now)
    assert base < first <= due < now
    if not expression.startswith("@every"):
        assert table.next(due) >= now
    assert 0 <= missed <= COUNT_LIMIT
    assert (missed == 0) == (due == first)


def test_missed_runs_are_those_before_the_latest() -> None:
    table = timetable("@hourly", "wall", NONE, "uid")
    assert table.latest(NOON, NOON + timedelta(hours=4, minutes=1)) == (
        NOON + timedelta(hours=4),
        3,
    )
    every = timetable("@every 20m", "wall", NONE, "uid")
    assert every.latest(NOON, NOON + 61 * MINUTE) == (NOON + 60 * MINUTE, 2)


@given(st.text(), st.timedeltas(NONE, timedelta(hours=24)))
def test_a_delay_is_stable_and_less_than_the_jitter(uid: str, jitter: timedelta) -> None:
    delay = stable_delay(jitter, uid)
    assert delay == stable_delay(jitter, uid)
    assert delay >= NONE
    assert delay < jitter or delay == NONE
    assert delay.microseconds == 0


def test_delays_of_many_schedules_are_spread() -> None:
    delays = {stable_delay(timedelta(minutes=10), f"uid-{number}") for number in range(1000)}
    assert len(delays) > 400


@pytest.mark.parametrize("seconds", [0.0, 0.5])
def test_a_jitter_below_a_second_is_none(seconds: float) -> None:
    assert stable_delay(timedelta(seconds=seconds), "uid") == NONE
