import copy
import pickle
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

import kedge.cron
from kedge.cron import CronError, Schedule, parse
from kedge.cron.parser import problems

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_public_surface_is_pinned() -> None:
    assert kedge.cron.__all__ == ["CronError", "Plan", "Schedule", "parse", "prime"]


@pytest.mark.parametrize("text", ["* * * * *", "@daily", "@every 5m", "TZ=Asia/Tokyo @weekly"])
def test_every_kind_of_text_becomes_the_same_type(text: str) -> None:
    assert isinstance(parse(text), Schedule)


@pytest.mark.parametrize(
    ("text", "field", "piece", "position"),
    [
        ("60 * * * *", "minute", "60", 0),
        ("1,2,61,3 * * * *", "minute", "61", 4),
        ("  5   24\t* * *", "hour", "24", 6),
        ("* * 0 * *", "day of month", "0", 4),
        ("* * * 13 *", "month", "13", 6),
        ("* * * foo *", "month", "foo", 6),
        ("* * * * 7", "day of week", "7", 8),
        ("* * * * mon-", "day of week", "mon-", 8),
        ("5-1 * * * *", "minute", "5-1", 0),
        ("1-2-3 * * * *", "minute", "1-2-3", 0),
        ("1/2/3 * * * *", "minute", "1/2/3", 0),
        ("*/0 * * * *", "minute", "*/0", 0),
        ("*/-1 * * * *", "minute", "*/-1", 0),
        ("*/99999999999999999999 * * * *", "minute", "*/99999999999999999999", 0),
        ("1_0 * * * *", "minute", "1_0", 0),
        (", * * * *", "minute", ",", 0),
        ("* * * , *", "month", ",", 6),
        ("0 0 30 2 *", "day of month", "30", 4),
        ("TZ=UTC 0 0 31 4,6 *", "day of month", "31", 11),
        ("* * * *", "expression", "* * * *", 0),
        ("TZ=UTC", "expression", "TZ=UTC", 0),
        ("TZ=UTC * * *", "expression", "* * *", 7),
        ("1\x1c2 3 4 5 6", "expression", "\x1c", 1),
        ("", "expression", "", 0),
        ("TZ=Nowhere/Land * * * * *", "zone", "Nowhere/Land", 3),
        ("CRON_TZ=../UTC * * * * *", "zone", "../UTC", 8),
        ("@reboot", "descriptor", "@reboot", 0),
        ("@daily ", "descriptor", "@daily ", 0),
        ("TZ=UTC @Daily", "descriptor", "@Daily", 7),
        ("@every 1x", "@every", "1x", 7),
        ("TZ=UTC @every -1h", "@every", "-1h", 14),
        ("@every 9999999h", "@every", "9999999h", 7),
        ("@every 99999999999999999999h", "@every", "99999999999999999999h", 7),
    ],
)
def test_an_error_names_the_field_the_piece_and_the_place(
    text: str, field: str, piece: str, position: int
) -> None:
    with pytest.raises(CronError) as caught:
        parse(text)
    error = caught.value
    assert (error.field, error.piece, error.position) == (field, piece, position)
    assert text[position : position + len(piece)] == piece
    assert str(error) == f"{field} {piece!r}: {error.reason}"


def test_all_problems_of_a_text_are_found_at_once() -> None:
    found = problems("TZ=Nope 61 25 * * 7")
    assert [(error.field, error.piece) for error in found] == [
        ("zone", "Nope"),
        ("minute", "61"),
        ("hour", "25"),
        ("day of week", "7"),
    ]


@pytest.mark.parametrize("text", ["* * * * *", "@every 1h", "TZ=Asia/Tokyo @daily"])
def test_a_good_text_has_no_problems(text: str) -> None:
    assert problems(text) == ()


def test_a_message_is_one_short_line_whatever_the_text() -> None:
    with pytest.raises(CronError) as caught:
        parse("x\n" * 1000 + " * * * *")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 256


def test_bad_arguments_are_errors_too() -> None:
    for zone in ("Europe", "tzdata.zi", "/etc/localtime", "europe/amsterdam", "a\0b", " "):
        with pytest.raises(CronError, match=r"^zone "):
            parse("* * * * *", zone=zone)
    with pytest.raises(CronError, match=r"^dst 'twice': use wall or once$"):
        parse("* * * * *", dst="twice")


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("0 0 * * *", None, "UTC"),
        ("0 0 * * *", "", "UTC"),
        ("0 0 * * *", "Asia/Tokyo", "Asia/Tokyo"),
        ("0 0 * * *", ZoneInfo("Asia/Tokyo"), "Asia/Tokyo"),
        ("0 0 * * *", UTC, "UTC"),
        ("TZ=Asia/Tokyo 0 0 * * *", "Europe/Paris", "Asia/Tokyo"),
        ("TZ= 0 0 * * *", "Europe/Paris", "UTC"),
        ("TZ=Local 0 0 * * *", "Europe/Paris", "Europe/Paris"),
        ("CRON_TZ=Asia/Tokyo @every 1h", None, "Asia/Tokyo"),
    ],
)
def test_the_zone_is_that_of_the_text_then_the_callers_then_utc(
    text: str, zone: str | None, expected: str
) -> None:
    assert parse(text, zone=zone).zone == expected


def test_a_naive_instant_is_refused() -> None:
    for schedule in (parse("* * * * *"), parse("@every 1h")):
        for ask in (schedule.next, schedule.prev, schedule.matches):
            with pytest.raises(TypeError, match="time zone"):
                ask(datetime(2026, 1, 1))  # noqa: DTZ001 - that is the point
        with pytest.raises(TypeError, match="time zone"):
            next(schedule.between(datetime(2026, 1, 1), NEW_YEAR))  # noqa: DTZ001


@pytest.mark.parametrize("text", ["TZ=Europe/Paris 5 4 * * 1", "@every 90s"])
def test_schedules_and_errors_can_be_copied_and_pickled(text: str) -> None:
    schedule = parse(text, dst="once")
    for twin in (copy.deepcopy(schedule), pickle.loads(pickle.dumps(schedule))):
        assert (twin, twin.dst, twin.zone) == (schedule, "once", schedule.zone)
        assert twin.next(NEW_YEAR) == schedule.next(NEW_YEAR)
    error = pickle.loads(pickle.dumps(problems("61 * * * *")[0]))
    assert (error.field, error.piece, error.position) == ("minute", "61", 0)


def test_repr_tells_what_it_is() -> None:
    assert repr(parse("0-59 * * * *")) == "<Schedule '* * * * *' dst=wall>"
    assert repr(parse("@every 3600s")) == "<Schedule '@every 1h'>"
