"""`@every`: a fixed period from wherever one starts."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.cron import CronError, parse
from tests.cron_oracle.durations import every_seconds
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import instants, zones

SECOND = timedelta(seconds=1)
units = st.sampled_from(["h", "m", "s", "ms", "us", "\u00b5s", "\u03bcs", "ns"])
numbers = st.one_of(
    st.integers(0, 400).map(str), st.sampled_from([".5", "1.5", "0.25", "2.", "007", "10.125"])
)
durations = st.lists(st.builds("{}{}".format, numbers, units), min_size=1, max_size=4).map("".join)


def positive(text: str) -> bool:
    """Tell whether the oracle takes a duration."""
    try:
        return every_seconds(text) > 0
    except ValueError:
        return False


@examples(75)
@given(text=durations.filter(positive), zone=zones, after=instants("UTC"))
def test_next_and_prev_are_one_period_away_from_a_whole_second(
    text: str, zone: str, after: datetime
) -> None:
    schedule = parse(f"@every {text}", zone=zone)
    period = every_seconds(text) * SECOND
    floor = after.replace(microsecond=0)
    ceiling = floor if floor == after else floor + SECOND
    assert schedule.next(after) == floor + period
    assert schedule.prev(after) == ceiling - period
    assert schedule.matches(floor)
    assert schedule.matches(after) == (floor == after)


@examples(30)
@given(period=st.integers(1, 10**6), count=st.integers(0, 20), start=instants("UTC"))
def test_between_counts_periods_from_the_start(period: int, count: int, start: datetime) -> None:
    first = -(-start.timestamp() // 1)
    step = timedelta(seconds=period)
    end = datetime.fromtimestamp(first, UTC) + count * step
    expected = [datetime.fromtimestamp(first, UTC) + n * step for n in range(count)]
    assert list(parse(f"@every {period}s").between(start, end)) == expected


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250ms", 1), ("1ns", 1), ("1m0.9s", 60), ("1.5h", 5400), ("1h1s", 3601), ("36h", 129600)],
)
def test_periods_are_rounded_down_to_seconds_and_at_least_one(text: str, seconds: int) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert parse(f"@every {text}").next(start) == start + seconds * SECOND


@pytest.mark.parametrize(
    "text",
    ["", "x", "1", "1d", "0s", "0", "-1h", "1h 1m", " 1h", "1h ", "1e3s", "9999999999h", "h"],
)
def test_what_is_no_positive_duration_is_refused(text: str) -> None:
    with pytest.raises(CronError):
        parse(f"@every {text}")


def test_every_knows_no_daylight_saving() -> None:
    schedule = parse("TZ=Europe/Amsterdam @every 24h")
    before = datetime(2026, 3, 28, 12, tzinfo=UTC)
    assert schedule.next(before) == datetime(2026, 3, 29, 12, tzinfo=UTC)
