from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import click
import pytest

from kedge.aio.clock import SystemClock
from kedge.cli.instants import Moment, in_zone, now, read_instant, reading, stamp

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
AFTER = click.Option(["--after"])


def read(text: str) -> Moment:
    return read_instant(click.Context(click.Command("next")), AFTER, text)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        pytest.param("2026-03-29T06:00:00Z", "2026-03-29T06:00:00Z", id="RFC 3339"),
        pytest.param("2026-03-29t06:00:00z", "2026-03-29T06:00:00Z", id="RFC 3339 in lower case"),
        pytest.param("2026-03-29T08:00:00+02:00", "2026-03-29T06:00:00Z", id="with an offset"),
        pytest.param("2026-03-29T08:00+0200", "2026-03-29T06:00:00Z", id="offset without colon"),
        pytest.param("2026-03-29 08:00 +02:00", "2026-03-29T06:00:00Z", id="as our tables show it"),
        pytest.param("2026-03-29T06:00:00.75Z", "2026-03-29T06:00:00Z", id="with a fraction"),
        pytest.param("2026-03-30T08:00", "2026-03-30T06:00:00Z", id="local time, summer"),
        pytest.param("2026-03-27 08:00:30", "2026-03-27T07:00:30Z", id="local time, winter"),
        pytest.param("2026-03-30", "2026-03-29T22:00:00Z", id="a date is its local midnight"),
        pytest.param("2026-03-29T02:30", "2026-03-29T01:30:00Z", id="a time that is skipped"),
        pytest.param("2026-10-25T02:30", "2026-10-25T00:30:00Z", id="a repeated time: the first"),
    ],
)
def test_a_time_in_good_form_is_read(text: str, instant: str) -> None:
    assert stamp(read(text).at(AMSTERDAM)) == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "Now",
        "2026-13-01",
        "2026-02-29",
        "2026-03-29T25:00",
        "2026-03-29T24:00Z",
        "2026-03-29x08:00",
        "2026-03-29Z",
        "2026-3-9",
        "20260329",
        "2026-W13-1",
        "12:00",
        "1774782000",
        "2026-03-29T08:00+25:00",
        "\uff12\uff10\uff12\uff16-03-29",  # full-width digits
        "0000-01-01",
        "2026-03-29T08:00:00Z\n",
        "2026-03-29T08:00:60Z",
    ],
)
def test_what_is_not_a_time_is_refused_with_the_good_forms(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a time; write it as 2026-03-29T06:00:00Z"):
        read(text)


@pytest.mark.parametrize("text", ["0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00"])
def test_a_time_outside_the_calendar_is_refused_by_the_name_of_its_option(text: str) -> None:
    moment = read(text)
    with click.Context(click.Command("next")), pytest.raises(click.BadParameter) as caught:
        moment.at(UTC)
    assert caught.value.format_message() == (
        "Invalid value for '--after': outside the years 1 to 9999"
    )


@pytest.mark.parametrize(
    "instant", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)
@pytest.mark.parametrize("zone", [UTC, AMSTERDAM, ZoneInfo("America/New_York")])
def test_the_ends_of_the_calendar_can_be_shown(instant: datetime, zone: tzinfo) -> None:
    assert in_zone(instant, zone).date() == instant.date()


def test_without_a_clock_of_its_own_a_command_asks_the_machine() -> None:
    with click.Context(click.Command("next")):
        before, asked, after = SystemClock().now(), now(), SystemClock().now()
    assert before <= asked <= after


def test_an_instant_is_shown_on_the_clock_of_a_zone() -> None:
    assert in_zone(datetime(2026, 3, 29, 1, 0, tzinfo=UTC), AMSTERDAM).hour == 3


def test_a_stamp_is_in_utc_to_the_second() -> None:
    instant = datetime(2026, 3, 29, 8, 0, 1, 999_999, tzinfo=AMSTERDAM)
    assert stamp(instant) == "2026-03-29T06:00:01Z"


@pytest.mark.parametrize(
    ("local", "seconds", "text"),
    [
        (datetime(2026, 3, 30, 8, 0, tzinfo=AMSTERDAM), False, "Mon 2026-03-30 08:00 +02:00"),
        (datetime(2026, 3, 30, 8, 0, 7, tzinfo=UTC), True, "Mon 2026-03-30 08:00:07 +00:00"),
        (datetime(2026, 3, 29, 2, 30), False, "Sun 2026-03-29 02:30"),  # noqa: DTZ001
        (datetime(33, 4, 3, 15, 0, tzinfo=UTC), False, "Sun 0033-04-03 15:00 +00:00"),
        (
            datetime(1900, 1, 1, tzinfo=timezone(timedelta(minutes=19, seconds=32))),
            False,
            "Mon 1900-01-01 00:00 +00:19:32",
        ),
    ],
)
def test_a_reading_has_weekday_and_offset(local: datetime, seconds: bool, text: str) -> None:
    assert reading(local, seconds=seconds) == text
