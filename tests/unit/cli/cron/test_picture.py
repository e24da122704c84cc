import io
import sys
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from kedge.cli.cron.picture import draw_week
from kedge.cron import parse
from tests.unit.cli.conftest import NOW, look_at_stdout


def draw(text: str, zone: str = "UTC", now: datetime = NOW) -> list[str]:
    return draw_week(parse(text, zone=zone), ZoneInfo(zone), now).splitlines()


def hours(line: str) -> str:
    """Return the 24 marks of a day."""
    return line[12:].ljust(47)[::2]


def test_a_week_is_seven_rows_of_24_hours() -> None:
    assert draw("0,30 8 * * 1-5") == [
        "            0     3     6     9     12    15    18    21",
        "Fri 03-27   · · · · · · · · ● · · · · · · · · · · · · · · ·",
        "Sat 03-28   · · · · · · · · · · · · · · · · · · · · · · · ·",
        "Sun 03-29   · · · · · · · · · · · · · · · · · · · · · · · ·",
        "Mon 03-30   · · · · · · · · ● · · · · · · · · · · · · · · ·",
        "Tue 03-31   · · · · · · · · ● · · · · · · · · · · · · · · ·",
        "Wed 04-01   · · · · · · · · ● · · · · · · · · · · · · · · ·",
        "Thu 04-02   · · · · · · · · ● · · · · · · · · · · · · · · ·",
        "",
        "· none   ○ one run   ● several, in that hour",
    ]


def test_one_run_looks_different_from_several() -> None:
    assert hours(draw("0 8,9 * * *")[1]) == "·" * 8 + "○○" + "·" * 14


def test_hours_are_those_of_the_zone() -> None:
    assert hours(draw("0 8 * * *", "Asia/Kolkata")[1]).index("○") == 8


def test_the_week_starts_with_the_local_day() -> None:
    late = datetime(2026, 3, 27, 23, 0, tzinfo=UTC)
    assert draw("@daily", "Asia/Tokyo", late)[1].startswith("Sat 03-28")


def test_an_hour_that_a_change_skips_is_left_blank() -> None:
    sunday = draw("0 12 * * *", "Europe/Amsterdam")[3]
    assert sunday.startswith("Sun 03-29")
    assert hours(sunday) == "·· " + "·" * 9 + "○" + "·" * 11


def test_an_hour_that_a_change_repeats_has_both_runs() -> None:
    now = datetime(2026, 10, 25, 12, 0, tzinfo=UTC)
    assert hours(draw("30 2 * * *", "Europe/Amsterdam", now)[1])[2] == "●"


def test_a_run_at_this_very_instant_is_drawn() -> None:
    assert hours(draw("0 12 * * *")[1]).index("○") == 12


def test_intervals_are_counted_from_now_both_ways() -> None:
    first, second = draw("@every 6h")[1:3]
    assert [n for n, mark in enumerate(hours(first)) if mark == "○"] == [0, 6, 18]
    assert [n for n, mark in enumerate(hours(second)) if mark == "○"] == [0, 6, 12, 18]


@pytest.mark.parametrize("interval", ["1s", "59s", "7m"])
def test_short_intervals_fill_every_hour(interval: str) -> None:
    for line in draw(f"@every {interval}")[1:8]:
        assert hours(line) == "●" * 24


def test_the_end_of_the_calendar_does_not_break_it() -> None:
    assert draw("@hourly", now=datetime(9999, 12, 20, tzinfo=UTC))[1].startswith("Mon 12-20")


def test_an_output_without_these_characters_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    lines = draw("0,30 8,9 1-31 * *")
    assert "".join(lines).isascii()
    assert lines[-1] == ". none   o one run   # several, in that hour"


def test_past_hours_of_today_are_dim_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    look_at_stdout(monkeypatch)
    today, tomorrow = draw("0 13 * * *")[1:3]
    assert today.count("\x1b[2m") == NOW.hour
    assert "\x1b[2m" not in tomorrow
    assert "\x1b[32m" in tomorrow
