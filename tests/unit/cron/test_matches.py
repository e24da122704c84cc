"""`matches` against the oracle."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.cron import parse
from tests.cron_oracle.reading import read
from tests.cron_oracle.runs import runs, runs_at
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import POLICIES, cases, changing_zones, expressions
from tests.cron_oracle.zones import MINUTE, transitions

Case = tuple[str, str, str, datetime]


@examples(60)
@given(case=cases())
def test_matches_says_what_the_oracle_says(case: Case) -> None:
    text, zone, dst, instant = case
    schedule, reading = parse(text, zone=zone, dst=dst), read(text, zone)
    for moment in (instant, instant.replace(second=0, microsecond=0)):
        assert schedule.matches(moment) == runs_at(reading, moment, dst)


@examples(50)
@given(text=expressions, zone=changing_zones, dst=POLICIES, data=st.data())
def test_matches_is_right_for_every_minute_around_a_change(
    text: str, zone: str, dst: str, data: st.DataObject
) -> None:
    change = data.draw(st.sampled_from(transitions(zone)))
    start, end = change - 130 * MINUTE, change + 130 * MINUTE
    schedule = parse(text, zone=zone, dst=dst)
    found = [start + MINUTE * n for n in range(260) if schedule.matches(start + MINUTE * n)]
    assert found == runs(read(text, zone), start, end, dst)


@examples(50)
@given(case=cases())
def test_a_run_matches_and_an_instant_beside_it_does_not(case: Case) -> None:
    text, zone, dst, instant = case
    schedule = parse(text, zone=zone, dst=dst)
    run = schedule.next(instant)
    assert run is not None
    assert schedule.matches(run)
    for aside in (timedelta(seconds=1), timedelta(microseconds=1)):
        assert not schedule.matches(run + aside)
        assert not schedule.matches(run - aside)


@pytest.mark.parametrize("second", [1, 30, 59])
def test_a_minute_schedule_matches_at_second_zero_only(second: int) -> None:
    minute = datetime(2026, 5, 4, 3, 2, tzinfo=UTC)
    assert parse("* * * * *").matches(minute)
    assert not parse("* * * * *").matches(minute.replace(second=second))
