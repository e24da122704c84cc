import doctest
from datetime import timedelta

import click
import pytest

from kedge.cli import durations
from kedge.cli.durations import distance, parse_duration, read_duration, span


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("10", 10),
        ("10m", 10),
        ("1h", 60),
        ("1h30m", 90),
        ("2d", 2880),
        ("1d12h", 2160),
        ("1d1m", 1441),
        ("007m", 7),
        ("90m", 90),
    ],
)
def test_a_lead_in_good_form_is_read(text: str, minutes: int) -> None:
    assert parse_duration(text) == timedelta(minutes=minutes)


def test_seconds_are_read_too() -> None:
    assert parse_duration("1m30s") == timedelta(seconds=90)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "m",
        "1x",
        "-10m",
        "+10m",
        "10m10m",
        "30m1h",
        "1h 30m",
        "1.5h",
        "10M",
        "٣m",  # Arabic-Indic three
        "\uff11\uff10",  # full-width ten
        "10m\n",
        "99999999d",
        "9" * 100_000,
        "1h30",
    ],
)
def test_what_is_not_a_duration_is_refused(text: str) -> None:
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("text", "reason"), [("1x", "not a duration"), ("0", "no time"), ("0h0m", "no time")]
)
def test_a_refusal_shows_the_good_forms(text: str, reason: str) -> None:
    option = click.Option(["--lead"])
    with pytest.raises(click.BadParameter, match=reason) as caught:
        read_duration(click.Context(click.Command("prime")), option, text)
    assert "10 (minutes), 10m, 1h30m, 2d or 1d12h" in caught.value.message


def test_the_longest_duration_that_is_read_can_be_held() -> None:
    text = "9999999d9999999h9999999m9999999s"
    assert parse_duration(text) == timedelta(
        days=9999999, hours=9999999, minutes=9999999, seconds=9999999
    )


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(0), "0s"),
        (timedelta(seconds=59), "59s"),
        (timedelta(minutes=12), "12m"),
        (timedelta(minutes=12, seconds=30), "12m 30s"),
        (timedelta(hours=3, minutes=12, seconds=59), "3h 12m"),
        (timedelta(hours=3, seconds=59), "3h"),
        (timedelta(days=2, hours=4, minutes=59), "2d 4h"),
        (timedelta(days=2, minutes=59), "2d"),
        (timedelta(days=400), "400d"),
    ],
)
def test_a_duration_is_written_by_its_two_largest_units(duration: timedelta, text: str) -> None:
    assert span(duration) == text


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(hours=3, minutes=12), "in 3h 12m"),
        (-timedelta(days=2, hours=4), "2d 4h ago"),
        (timedelta(0), "now"),
        (timedelta(milliseconds=999), "now"),
        (-timedelta(milliseconds=999), "now"),
        (timedelta(seconds=1), "in 1s"),
    ],
)
def test_distance_says_which_way(duration: timedelta, text: str) -> None:
    assert distance(duration) == text


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(durations) == (0, 2)
