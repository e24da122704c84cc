"""The first and the last moments a datetime can hold."""

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.cron import parse
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import POLICIES, expressions, zones

FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
ENDS = ("* * * * *", "0 0 1 1 *", "0 0 29 2 *", "@every 1h", "30 2 * * 1")
ZONES = ("UTC", "Europe/Amsterdam", "Pacific/Chatham", "America/New_York")


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("dst", ["wall", "once"])
@pytest.mark.parametrize("text", ENDS)
def test_nothing_comes_after_the_end_of_time(text: str, dst: str, zone: str) -> None:
    schedule = parse(text, zone=zone, dst=dst)
    assert schedule.next(LAST) is None
    assert list(schedule.between(LAST, LAST)) == []


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("dst", ["wall", "once"])
@pytest.mark.parametrize("text", ENDS)
def test_nothing_comes_before_the_beginning_of_time(text: str, dst: str, zone: str) -> None:
    assert parse(text, zone=zone, dst=dst).prev(FIRST) is None


@examples(50)
@given(
    text=expressions,
    zone=zones,
    dst=POLICIES,
    end=st.sampled_from([FIRST, LAST]),
    away=st.timedeltas(timedelta(), timedelta(days=3)),
)
def test_the_ends_of_time_raise_no_error(
    text: str, zone: str, dst: str, end: datetime, away: timedelta
) -> None:
    schedule = parse(text, zone=zone, dst=dst)
    instant = end + away if end == FIRST else end - away
    later, earlier = schedule.next(instant), schedule.prev(instant)
    assert later is None or later > instant
    assert earlier is None or earlier < instant
    schedule.matches(instant)
    assert all(run >= instant for run in islice(schedule.between(instant, LAST), 3))


@pytest.mark.parametrize("year", [1970, 2000, 2038, 2100, 2400, 4000, 9990])
@pytest.mark.parametrize("zone", ZONES)
def test_years_far_away_have_their_new_year(year: int, zone: str) -> None:
    schedule = parse("0 0 1 1 *", zone=zone)
    start = datetime(year, 6, 1, tzinfo=UTC)
    run = schedule.next(start)
    assert run is not None
    assert abs(run - datetime(year + 1, 1, 1, tzinfo=UTC)) < timedelta(hours=15)
    assert schedule.prev(run + timedelta(seconds=1)) == run


def test_the_leap_day_skips_2100() -> None:
    leap = parse("0 0 29 2 *")
    assert leap.next(datetime(2096, 3, 1, tzinfo=UTC)) == datetime(2104, 2, 29, tzinfo=UTC)
    assert leap.prev(datetime(2104, 2, 29, tzinfo=UTC)) == datetime(2096, 2, 29, tzinfo=UTC)
