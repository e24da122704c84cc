"""The cases that priming is known for, by name."""

from datetime import UTC, datetime, timedelta

import pytest

from kedge.cron import CronError, parse, prime
from tests.cron_oracle.plans import fires_exactly, static_plan_exists
from tests.cron_oracle.reading import read

MINUTE = timedelta(minutes=1)
STATIC = [
    ("half past, 10 minutes ahead", "30 * * * *", 10, {"20 * * * *"}),
    ("the full hour, 10 minutes ahead", "0 * * * *", 10, {"50 * * * *"}),
    ("midnight, 10 minutes ahead", "0 0 * * *", 10, {"50 23 * * *"}),
    ("a range of minutes", "0-5 * * * *", 10, {"50-55 * * * *"}),
    ("a range of hours", "0 14-16 * * *", 10, {"50 13-15 * * *"}),
    ("a weekday that moves", "0 0 * * 5", 10, {"50 23 * * 4"}),
    ("Sunday becomes Saturday", "0 0 * * 0", 10, {"50 23 * * 6"}),
    ("two products", "0-15 0 * * *", 10, {"50-59 23 * * *", "0-5 0 * * *"}),
    ("every minute of an hour", "* 0 * * *", 5, {"55-59 23 * * *", "0-54 0 * * *"}),
    ("@hourly", "@hourly", 10, {"50 * * * *"}),
    ("@daily", "@daily", 10, {"50 23 * * *"}),
    ("@weekly", "@weekly", 10, {"50 23 * * 6"}),
    ("X longer than minute + 60", "30 5 * * *", 100, {"50 3 * * *"}),
    ("X of an hour", "0 0 * * *", 60, {"0 23 * * *"}),
    ("X of an hour and a minute", "0 0 * * *", 61, {"59 22 * * *"}),
    ("X of a day less a minute", "0 0 * * *", 1439, {"1 0 * * *"}),
    ("X of a day", "0 0 * * 1", 1440, {"0 0 * * 0"}),
    ("X of a day and a minute", "0 0 * * 1", 1441, {"59 23 * * 6"}),
    ("X of a week less a minute", "0 0 * * 1", 10079, {"1 0 * * 1"}),
    ("X of a week", "0 0 8 1 *", 10080, {"0 0 1 1 *"}),
    ("days that stay in their month", "0 0 2-8 * *", 10, {"50 23 1-7 * *"}),
    ("day or weekday, shifted apart", "0 0 13 * 5", 10, {"50 23 12 * 4"}),
    ("the first of April", "0 0 1 4 *", 10, {"50 23 31 3 *"}),
    ("new year", "@yearly", 10, {"50 23 31 12 *"}),
    ("all of June", "0 0 * 6 *", 10, {"50 23 31 5 *", "50 23 1-29 6 *"}),
    ("a leap day at noon", "0 12 29 2 *", 10, {"50 11 29 2 *"}),
    (
        "a day that February does not have",
        "0 0,1 30 * 0",
        1,
        {"59 0 30 * 0", "59 23 29 1,3-12 6", "59 23 * 2 6"},
    ),
    ("a weekday of a month at noon", "0 12 * 6 1", 10, {"50 11 * 6 1"}),
]
ROLLING = [
    ("month ends", "UTC", "0 0 1 * *", 10),
    ("@monthly", "UTC", "@monthly", 10),
    ("quarter hours of the first, because of February", "UTC", "0/15 * 1 * *", 10),
    ("the first of March", "UTC", "0 0 1 3 *", 10),
    ("midnight of a leap day", "UTC", "0 0 29 2 *", 10),
    ("a weekday under a month, across the 1st", "UTC", "0 0 * 6 1", 10),
    ("day or weekday on the 1st", "UTC", "0 0 1,13 * 5", 10),
    ("@every 90m", "UTC", "@every 90m", 10),
    ("02:05 in Amsterdam", "Europe/Amsterdam", "5 2 * * *", 10),
    ("03:05 in Amsterdam", "Europe/Amsterdam", "5 3 * * *", 10),
    ("Sunday 08:00 in Amsterdam, a day ahead", "Europe/Amsterdam", "0 8 * * 0", 1440),
    ("midnight in Santiago", "America/Santiago", "0 0 * * *", 10),
    ("02:00 on Lord Howe", "Australia/Lord_Howe", "0 2 * * *", 10),
]


@pytest.mark.parametrize(
    ("text", "lead", "expected"), [pytest.param(*row[1:], id=row[0]) for row in STATIC]
)
def test_static_plans_have_the_texts_of_the_table(text: str, lead: int, expected: set[str]) -> None:
    plan = prime(parse(text), lead * MINUTE)
    assert plan.mode == "static"
    assert plan.zone == "UTC"
    assert set(plan.expressions) == expected
    assert len(plan.expressions) == len(expected)
    assert fires_exactly(plan.expressions, read(text), lead) == ""


@pytest.mark.parametrize(
    ("zone", "text", "lead"), [pytest.param(*row[1:], id=row[0]) for row in ROLLING]
)
def test_what_five_fields_cannot_say_is_rolling(zone: str, text: str, lead: int) -> None:
    if not text.startswith("@every"):
        assert not static_plan_exists(read(text, zone), lead)
    plan = prime(parse(text, zone=zone), lead * MINUTE)
    assert plan.mode == "rolling"
    assert plan.expressions == ()
    assert plan.zone == zone


@pytest.mark.parametrize("text", ["0/30 * * * *", "*/30 * * * *", "0,30 * * * *"])
def test_half_hours_have_one_text_however_they_are_written(text: str) -> None:
    (primed,) = prime(parse(text), 10 * MINUTE).expressions
    assert parse(primed) == parse("20,50 * * * *")
    assert len(primed) == len("20,50 * * * *")


def test_four_minutes_on_fridays_are_three_expressions() -> None:
    """The original answers one: 52 warm-ups a year are missing, 52 come on the wrong day."""
    plan = prime(parse("5,12,48,56 * * * 5"), 10 * MINUTE)
    assert plan.mode == "static"
    wanted = {"2,38,46 * * * 5", "55 0-22 * * 5", "55 23 * * 4"}
    assert {parse(text) for text in plan.expressions} == {parse(text) for text in wanted}


def test_the_first_of_all_months_but_march_has_one_line_for_each_length_of_month() -> None:
    plan = prime(parse("0 0 1 1,2,4-12 *"), 10 * MINUTE)
    wanted = {parse("50 23 31 * *"), parse("50 23 30 4,6,9,11 *")}
    assert {parse(text) for text in plan.expressions} == wanted


def test_working_days_at_eight_in_amsterdam_stay_in_amsterdam() -> None:
    for schedule in (
        parse("CRON_TZ=Europe/Amsterdam 0 8 * * 1-5"),
        parse("0 8 * * 1-5", zone="Europe/Amsterdam"),
    ):
        plan = prime(schedule, 10 * MINUTE)
        assert (plan.mode, plan.zone) == ("static", "Europe/Amsterdam")
        assert plan.expressions == ("50 7 * * 1-5",)


def test_a_lead_that_never_crosses_a_change_is_static_even_at_night() -> None:
    plan = prime(parse("15 2 * * *", zone="Europe/Amsterdam"), 10 * MINUTE)
    assert plan.expressions == ("5 2 * * *",)


def test_a_change_that_always_lies_between_warm_up_and_run_is_static() -> None:
    """Troll's clock moves on a Sunday from 25 to 31 March: always in the week before 1 April."""
    plan = prime(parse("0 1 1 4-9 *", zone="Antarctica/Troll"), timedelta(days=7))
    wanted = {"0 23 24 3 *", "0 1 24 4,6 *", "0 1 25 5,7,8 *"}
    assert {parse(text) for text in plan.expressions} == {parse(text) for text in wanted}


def test_every_90_minutes_rolls_from_where_it_stands() -> None:
    now = datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)
    assert prime(parse("@every 90m"), 10 * MINUTE).next(now) == now + 90 * MINUTE


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("* * * * *", 1),
        ("* * * * *", 10),
        ("*/5 * * * *", 5),
        ("0 * * * *", 60),
        ("30 * * * *", 100),
        ("0 0 * * *", 1440),
        ("0 0 * * 1", 10080),
        ("@every 90m", 90),
        ("@every 1s", 1),
    ],
)
def test_a_schedule_that_is_never_cold_is_refused_in_words(text: str, lead: int) -> None:
    with pytest.raises(CronError) as caught:
        prime(parse(text), lead * MINUTE)
    assert " " in str(caught.value)


@pytest.mark.parametrize(
    "lead",
    [
        timedelta(),
        timedelta(minutes=-10),
        timedelta(seconds=59),
        timedelta(seconds=90),
        timedelta(minutes=1, microseconds=1),
        timedelta(days=7, minutes=1),
        timedelta(days=400),
    ],
)
def test_a_lead_must_be_whole_minutes_up_to_a_week(lead: timedelta) -> None:
    with pytest.raises(CronError):
        prime(parse("0 0 1 1 *"), lead)
