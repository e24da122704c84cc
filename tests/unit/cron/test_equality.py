"""Schedules are equal when they run at the same instants."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kedge.cron import parse
from tests.cron_oracle.reading import read
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import expressions, sparse

few_days = st.builds(
    "0 0 {} {} {}".format,
    st.one_of(st.sampled_from(["*", "29-31", "30,31", "31", "1-31", "*/2", ","]), sparse(28, 31)),
    st.one_of(st.sampled_from(["*", "2", "2,4", "1-12", "4,6,9,11"]), sparse(1, 4)),
    st.one_of(st.sampled_from(["*", "0-6", "1", ",", "*/7"]), sparse(0, 6, most=7)),
)


def meaning(text: str) -> object:
    """Say what the oracle reads: minutes, hours and the days of all calendars."""
    reading = read(text)
    return reading.minute.values, reading.hour.values, reading.cells


def runs(text: str) -> bool:
    """Tell whether the oracle accepts a text."""
    try:
        read(text)
    except ValueError:
        return False
    return True


@examples(250)
@given(one=few_days.filter(runs), other=few_days.filter(runs))
@example(one="0 0 31 1,3,5,7,8,10,12 *", other="0 0 31 * *")
@example(one="0 0 30 2,4 *", other="0 0 30 4 *")
@example(one="0 0 29 2 *", other="0 0 29-31 2 *")
@example(one="0 0 1-30 4 1", other="0 0 * 4 *")
@example(one="0 0 1-29 2 1", other="0 0 * 2 *")
@example(one="0 0 1-28 2 1", other="0 0 * 2 *")
def test_schedules_are_equal_exactly_when_the_oracle_finds_the_same_days(
    one: str, other: str
) -> None:
    same = meaning(one) == meaning(other)
    assert (parse(one) == parse(other)) is same
    assert (str(parse(one)) == str(parse(other))) is same
    if same:
        assert hash(parse(one)) == hash(parse(other))


@pytest.mark.slow
@examples(100)
@given(one=expressions, other=expressions)
def test_random_schedules_are_equal_exactly_when_their_meanings_are(one: str, other: str) -> None:
    same = meaning(one) == meaning(other)
    assert (parse(one) == parse(other)) is same
    assert parse(one) == parse(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0 0 31 1,3,5,7,8,10,12 *", "0 0 31 * *"),
        ("0 0 1-31 * 1", "0 0 * * *"),
        ("@hourly", "0 * * * *"),
        ("@daily", "@midnight"),
        ("@annually", "@yearly"),
        ("@weekly", "0 0 * * SUN"),
        ("@every 90m", "@every 1h30m"),
        ("@every 1m0.9s", "@every 60s"),
        ("0 0 ? * ?", "0 0 * * *"),
        ("TZ=Asia/Tokyo 0 0 * * *", "CRON_TZ=Asia/Tokyo @daily"),
        ("*/100 * * * *", "0 * * * *"),
        ("1,,1,+1 * * * *", "01 * * * *"),
    ],
)
def test_different_texts_of_one_schedule_are_equal(one: str, other: str) -> None:
    assert parse(one) == parse(other)
    assert hash(parse(one)) == hash(parse(other))
    assert len({parse(one), parse(other)}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0 0 */2 * 1", "0 0 * * 1"),
        ("0 0 * * *", "1 0 * * *"),
        ("0 0 30 * *", "0 0 31 * *"),
        ("0 0 28 2 *", "0 0 28,29 2 *"),
        ("@every 60s", "* * * * *"),
        ("@every 60s", "@every 61s"),
        ("TZ=Asia/Tokyo 0 0 * * *", "TZ=Asia/Kolkata 0 0 * * *"),
        ("TZ=Asia/Tokyo 0 0 * * *", "0 15 * * *"),
    ],
)
def test_different_schedules_differ(one: str, other: str) -> None:
    assert parse(one) != parse(other)


def test_the_policy_belongs_to_the_meaning_where_the_clock_changes() -> None:
    wall, once = (parse("30 2 * * *", zone="Europe/Amsterdam", dst=dst) for dst in ("wall", "once"))
    assert wall != once
