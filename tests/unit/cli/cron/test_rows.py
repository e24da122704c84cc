"""What clock changes do to runs, as the tables of next, prev and between show it."""

import pytest

from tests.unit.cli.conftest import Run

AMSTERDAM = ("--zone", "Europe/Amsterdam")
SPRING = ("--after", "2026-03-28T00:00Z")  # 02:00 becomes 03:00 on the 29th
AUTUMN = ("--after", "2026-10-24T12:00Z")  # 03:00 becomes 02:00 on the 25th
LORD_HOWE = ("--zone", "Australia/Lord_Howe")


def local_and_note(text: str) -> list[tuple[str, str]]:
    """Return the first cell and the note of each row; rows without a note have an empty one."""
    header, *lines = text.splitlines()
    at = header.find("NOTE")
    assert at > 0
    return [(line.split("   ")[0], line[at:]) for line in lines]


def test_a_skipped_time_has_a_row_of_its_own(kedge: Run) -> None:
    result = kedge("cron", "next", "30 2 * * *", *AMSTERDAM, *SPRING, "--count", "2")
    assert local_and_note(result.stdout) == [
        ("Sat 2026-03-28 02:30 +01:00", ""),
        ("Sun 2026-03-29 02:30", "skipped: 02:30 does not exist that day"),
        ("Mon 2026-03-30 02:30 +02:00", ""),
    ]


def test_a_skipped_row_has_no_instant(kedge: Run) -> None:
    result = kedge("cron", "next", "30 2 * * *", *AMSTERDAM, *SPRING, "--count", "2")
    (row,) = [line for line in result.stdout.splitlines() if "skipped" in line]
    assert "Z" not in row
    assert " in " not in row


def test_a_skip_after_the_last_run_is_not_shown(kedge: Run) -> None:
    result = kedge("cron", "next", "30 2 * * *", *AMSTERDAM, *SPRING, "--count", "1")
    assert "skipped" not in result.stdout


def test_a_skip_that_is_past_is_not_shown(kedge: Run) -> None:
    after = ("--after", "2026-03-29T01:00:00Z")  # the change itself: the clock shows 03:00
    result = kedge("cron", "next", "30 2 * * *", *AMSTERDAM, *after, "--count", "1")
    assert "skipped" not in result.stdout
    assert len(result.stdout.splitlines()) == 2


def test_going_back_the_rows_are_turned_round(kedge: Run) -> None:
    before = ("--before", "2026-03-31T00:00Z")
    result = kedge("cron", "prev", "30 2 * * *", *AMSTERDAM, *before, "--count", "2")
    assert [cell for cell, _ in local_and_note(result.stdout)] == [
        "Mon 2026-03-30 02:30 +02:00",
        "Sun 2026-03-29 02:30",
        "Sat 2026-03-28 02:30 +01:00",
    ]


def test_going_back_a_single_run_stands_below_the_skip(kedge: Run) -> None:
    before = ("--before", "2026-03-29T12:00Z")
    result = kedge("cron", "prev", "30 2 * * *", *AMSTERDAM, *before, "--count", "1")
    assert [cell for cell, _ in local_and_note(result.stdout)] == [
        "Sun 2026-03-29 02:30",
        "Sat 2026-03-28 02:30 +01:00",
    ]


def test_between_shows_a_skip_even_where_nothing_runs(kedge: Run) -> None:
    span = ("--start", "2026-03-29", "--end", "2026-03-30")
    result = kedge("cron", "between", "30 2 * * *", *AMSTERDAM, *span)
    assert "skipped: 02:30 does not exist that day" in result.stdout


def test_many_skipped_times_share_a_row(kedge: Run) -> None:
    span = ("--start", "2026-03-29T01:50", "--end", "2026-03-29T03:10")
    result = kedge("cron", "between", "*/15 2,3 * * *", *AMSTERDAM, *span)
    assert local_and_note(result.stdout) == [
        ("Sun 2026-03-29 02:00", "skipped: 02:00 to 02:45 do not exist that day (4 runs)"),
        ("Sun 2026-03-29 03:00 +02:00", ""),
    ]


def test_a_repeated_time_is_marked_twice(kedge: Run) -> None:
    result = kedge("cron", "next", "30 2 * * *", *AMSTERDAM, *AUTUMN, "--count", "3")
    assert local_and_note(result.stdout) == [
        ("Sun 2026-10-25 02:30 +02:00", "repeated, first of two"),
        ("Sun 2026-10-25 02:30 +01:00", "repeated, second of two"),
        ("Mon 2026-10-26 02:30 +01:00", ""),
    ]


def test_the_second_pass_is_known_without_the_first(kedge: Run) -> None:
    after = ("--after", "2026-10-25T00:30:00Z")
    result = kedge("cron", "next", "30 2 * * *", *AMSTERDAM, *after, "--count", "1")
    assert local_and_note(result.stdout) == [
        ("Sun 2026-10-25 02:30 +01:00", "repeated, second of two")
    ]


def test_once_moves_a_skipped_time(kedge: Run) -> None:
    args = ("--dst", "once", "--count", "2")
    result = kedge("cron", "next", "30 2 * * *", *AMSTERDAM, *SPRING, *args)
    assert local_and_note(result.stdout) == [
        ("Sat 2026-03-28 02:30 +01:00", ""),
        ("Sun 2026-03-29 03:00 +02:00", "moved: 02:30 does not exist that day"),
    ]


def test_once_keeps_the_first_of_a_repeated_time(kedge: Run) -> None:
    args = ("--dst", "once", "--count", "1")
    result = kedge("cron", "next", "30 2 * * *", *AMSTERDAM, *AUTUMN, *args)
    assert local_and_note(result.stdout) == [
        ("Sun 2026-10-25 02:30 +02:00", "repeated, runs only the first time")
    ]


@pytest.mark.parametrize(
    ("after", "note"),
    [
        ("2026-10-03T00:00Z", "skipped: 02:15 does not exist that day"),
        ("2026-04-04T00:00Z", "repeated, first of two"),
    ],
)
def test_a_change_of_half_an_hour_is_seen(kedge: Run, after: str, note: str) -> None:
    minute = "15 2" if "skipped" in note else "45 1"
    result = kedge("cron", "next", f"{minute} * * *", *LORD_HOWE, "--after", after, "--count", "2")
    assert note in result.stdout


def test_a_zone_without_changes_has_no_notes(kedge: Run) -> None:
    result = kedge("cron", "next", "30 2 * * *", *SPRING, "--count", "400")
    assert "NOTE" not in result.stdout
    assert len(result.stdout.splitlines()) == 401
