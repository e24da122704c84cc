"""`next` and `prev` against the oracle."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given

from kedge.cron import parse
from tests.cron_oracle.reading import read
from tests.cron_oracle.runs import next_run, prev_run
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import cases, sparse_expressions, zones

Case = tuple[str, str, str, datetime]
LEAP = datetime(2024, 3, 1, tzinfo=UTC)


@examples(60)
@given(case=cases())
def test_next_is_the_first_run_the_oracle_finds(case: Case) -> None:
    text, zone, dst, after = case
    assert parse(text, zone=zone, dst=dst).next(after) == next_run(read(text, zone), after, dst)


@examples(60)
@given(case=cases())
def test_prev_is_the_last_run_the_oracle_finds(case: Case) -> None:
    text, zone, dst, before = case
    assert parse(text, zone=zone, dst=dst).prev(before) == prev_run(read(text, zone), before, dst)


@examples(60)
@given(case=cases(sparse_expressions))
@example(case=("0 0 29 2 *", "UTC", "wall", LEAP))
@example(case=("30 2 29 2 *", "Europe/Amsterdam", "once", LEAP))
def test_next_and_prev_of_rare_runs_agree_with_the_oracle(case: Case) -> None:
    text, zone, dst, instant = case
    schedule, reading = parse(text, zone=zone, dst=dst), read(text, zone)
    assert schedule.next(instant) == next_run(reading, instant, dst)
    assert schedule.prev(instant) == prev_run(reading, instant, dst)


@examples(60)
@given(case=cases(), other=zones)
def test_the_zone_of_the_question_does_not_matter(case: Case, other: str) -> None:
    text, zone, dst, instant = case
    schedule = parse(text, zone=zone, dst=dst)
    for name in (zone, other):
        local = instant.astimezone(ZoneInfo(name))
        assert schedule.next(local) == schedule.next(instant)
        assert schedule.prev(local) == schedule.prev(instant)
        assert schedule.matches(local) == schedule.matches(instant)


@examples(60)
@given(case=cases())
def test_answers_are_whole_minutes_in_utc(case: Case) -> None:
    text, zone, dst, instant = case
    schedule = parse(text, zone=zone, dst=dst)
    for answer in (schedule.next(instant), schedule.prev(instant)):
        assert answer is not None
        assert answer.tzinfo is UTC
        assert (answer.second, answer.microsecond, answer.fold) == (0, 0, 0)


@pytest.mark.slow
@examples(60)
@given(case=cases())
def test_next_and_prev_undo_each_other(case: Case) -> None:
    text, zone, dst, instant = case
    schedule = parse(text, zone=zone, dst=dst)
    later, earlier = schedule.next(instant), schedule.prev(instant)
    assert later is not None
    assert earlier is not None
    assert earlier < instant < later
    if schedule.matches(instant):
        assert schedule.prev(later) == instant == schedule.next(earlier)
    else:
        assert schedule.prev(later) == earlier
        assert schedule.next(earlier) == later
    just_before = later - timedelta(microseconds=1)
    assert schedule.next(just_before) == later
    assert schedule.prev(later + timedelta(microseconds=1)) == later
