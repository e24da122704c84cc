"""The short way to a plan comes to the same end as the long one."""

from datetime import timedelta

import pytest
from hypothesis import given

from kedge.cron import parse
from kedge.cron.boxes import fewest_boxes
from kedge.cron.calendar import Calendar
from kedge.cron.plainly import shifted_plainly
from kedge.cron.shift import shifted
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import changing_zones, leads, tidy_expressions

ZONES = ("UTC", "Asia/Kolkata", "Europe/Amsterdam", "America/Santiago", "Australia/Lord_Howe")


def long_way(schedule: Calendar, lead: int) -> tuple[str, ...]:
    found = shifted(schedule, lead)
    return () if found is None else tuple(text for _, text in fewest_boxes(found))


def agrees(text: str, zone: str, lead: int) -> bool:
    schedule = parse(text, zone=zone)
    assert isinstance(schedule, Calendar)
    short = shifted_plainly(schedule, lead)
    return short is None or (short,) == long_way(schedule, lead)


@examples(75)
@given(text=tidy_expressions, lead=leads)
def test_any_schedule_in_utc(text: str, lead: int) -> None:
    assert text.startswith("@every") or agrees(text, "UTC", lead)


@examples(30)
@given(text=tidy_expressions, zone=changing_zones, lead=leads)
def test_any_schedule_where_clocks_change(text: str, zone: str, lead: int) -> None:
    assert text.startswith("@every") or agrees(text, zone, lead)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("days", ["* * *", "* * 1-5", "* * 0"])
@pytest.mark.parametrize("times", ["0 0", "5 2", "0 8", "30 23", "*/10 3", "0 9-17", "59 1,2"])
def test_common_schedules(times: str, days: str, zone: str) -> None:
    for lead in (1, 10, 29, 60, 61, 119, 150, 1439, 1440, 1500, 10080):
        assert agrees(f"{times} {days}", zone, lead), lead


def test_the_common_ones_are_plain() -> None:
    for text, zone, lead, expected in (
        ("0 0 * * *", "UTC", 10, "50 23 * * *"),
        ("0 0 * * 1", "UTC", 1441, "59 23 * * 6"),
        ("30 * * * *", "UTC", 10, "20 * * * *"),
        ("0 8 * * 1-5", "Europe/Amsterdam", 10, "50 7 * * 1-5"),
    ):
        schedule = parse(text, zone=zone)
        assert isinstance(schedule, Calendar)
        assert shifted_plainly(schedule, lead) == expected


def test_what_a_change_comes_near_is_not_plain() -> None:
    for text, lead in (("5 2 * * *", 10), ("5 3 * * *", 10), ("0 8 * * *", 400), ("30 2 * * *", 1)):
        schedule = parse(text, zone="Europe/Amsterdam")
        assert isinstance(schedule, Calendar)
        assert shifted_plainly(schedule, lead) is None


def test_what_runs_once_when_clocks_change_is_not_plain() -> None:
    schedule = parse("0 8 * * *", zone="Europe/Amsterdam", dst="once")
    assert isinstance(schedule, Calendar)
    assert shifted_plainly(schedule, timedelta(minutes=10) // timedelta(minutes=1)) is None
