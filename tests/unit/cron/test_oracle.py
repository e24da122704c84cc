"""The oracle's two ways to find runs agree: minute by minute, and one byte a minute."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given

from tests.cron_oracle.cover import fewest
from tests.cron_oracle.minutes import has_gap_over, minutes_of, run_minutes
from tests.cron_oracle.plans import demand, fires_exactly, static_plan_exists
from tests.cron_oracle.reading import read
from tests.cron_oracle.runs import runs
from tests.cron_oracle.settings import examples
from tests.cron_oracle.shortest import shortest_length
from tests.cron_oracle.strategies import cases
from tests.cron_oracle.zones import FIRST, MINUTE

Case = tuple[str, str, str, datetime]


@examples(20)
@given(case=cases())
def test_both_ways_to_find_runs_agree(case: Case) -> None:
    text, zone, dst, instant = case
    assume(instant.year >= 2023)
    start = instant.replace(second=0, microsecond=0)
    low = (start - FIRST) // MINUTE
    marks = run_minutes(read(text, zone), dst)[low : low + 2880]
    found = [start + MINUTE * minute for minute in minutes_of(marks)]
    assert found == runs(read(text, zone), start, start + timedelta(days=2), dst)


def test_gaps_are_measured_from_run_to_run() -> None:
    assert has_gap_over(b"\0\0\0\1\0\0\1\1", 2)
    assert not has_gap_over(b"\0\0\0\1\0\0\1\1\0\0\0\0", 3)


@pytest.mark.parametrize(
    ("text", "zone", "lead", "static"),
    [
        ("0 0 * * *", "UTC", 10, True),
        ("0 0 1 * *", "UTC", 10, False),
        ("0 0 1 4 *", "UTC", 10, True),
        ("0 0 29 2 *", "UTC", 10, False),
        ("0 12 29 2 *", "UTC", 10, True),
        ("0 0 * 6 1", "UTC", 10, False),
        ("0 8 * * *", "Europe/Amsterdam", 10, True),
        ("5 2 * * *", "Europe/Amsterdam", 10, False),
        ("15 2 * * *", "Europe/Amsterdam", 10, True),
    ],
)
def test_the_oracle_knows_which_plans_exist(text: str, zone: str, lead: int, static: bool) -> None:
    assert static_plan_exists(read(text, zone), lead) is static


def test_the_oracle_tells_a_wrong_plan_from_a_right_one() -> None:
    reading = read("0-15 0 * * *")
    assert fires_exactly(("50-59 23 * * *", "0-5 0 * * *"), reading, 10) == ""
    assert "missing" in fires_exactly(("50-58 23 * * *", "0-5 0 * * *"), reading, 10)
    assert "spurious" in fires_exactly(("50-59 23 * * *", "0-6 0 * * *"), reading, 10)
    assert "together" in fires_exactly(
        ("50-59 23 * * *", "0-5 0,23 * * *", "* 23 * * *"), reading, 10
    )


@pytest.mark.parametrize(
    ("text", "lead", "number"),
    [("30 * * * *", 10, 1), ("0-15 0 * * *", 10, 2), ("5,12,48,56 * * * 5", 10, 3)],
)
def test_the_oracle_counts_the_fewest_expressions(text: str, lead: int, number: int) -> None:
    assert fewest(demand(read(text), lead), 6) == number


def test_the_oracle_finds_the_shortest_field() -> None:
    assert shortest_length(frozenset(range(50, 60)), 0, 59) == len("50-59")
    assert shortest_length(frozenset([0, 15, 30, 45]), 0, 59) == len("*/15")
    assert shortest_length(frozenset([1, 7]), 1, 12, frozenset([4, 10])) == len("1,7")


def test_leap_day_and_month_ends_are_on_the_oracle_s_calendar() -> None:
    leap = runs(
        read("0 0 29 2 *"), datetime(2023, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC)
    )
    assert [run.year for run in leap] == [2024, 2028]
