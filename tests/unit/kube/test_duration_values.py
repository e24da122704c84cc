"""Durations of fields: what Go takes is read, and written as Go writes it."""

import doctest
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero.storage_location import period_of
from kedge.kube import durations as duration
from kedge.kube.durations import DurationError, duration_of, format_duration, parse_duration

SPANS = st.timedeltas(timedelta(days=-100_000), timedelta(days=100_000))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", timedelta(0)),
        ("0s", timedelta(0)),
        ("-0s", timedelta(0)),
        ("720h0m0s", timedelta(days=30)),
        ("1h30m", timedelta(minutes=90)),
        ("1.5h", timedelta(minutes=90)),
        (".5s", timedelta(milliseconds=500)),
        ("1.s", timedelta(seconds=1)),
        ("+2m", timedelta(minutes=2)),
        ("-2m30s", timedelta(minutes=-2.5)),
        ("1s1h", timedelta(seconds=3601)),
        ("3us", timedelta(microseconds=3)),
        ("3\u00b5s", timedelta(microseconds=3)),
        ("3\u03bcs", timedelta(microseconds=3)),
        ("1500ns", timedelta(microseconds=1)),
    ],
)
def test_what_go_takes_is_read(text: str, expected: timedelta) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1",
        "1d",
        "1w",
        "h",
        ".s",
        "1h ",
        " 1h",
        "1H",
        "--1s",
        "1e3s",
        "٣s",
        "9" * 40 + "h",
        "9223372036.9s",
    ],
)
def test_what_go_refuses_is_refused_in_its_words(text: str) -> None:
    with pytest.raises(DurationError, match=r"^time: (invalid|missing unit in|unknown unit)"):
        parse_duration(text)


def test_a_number_of_thousands_of_digits_is_refused_and_not_repeated() -> None:
    with pytest.raises(DurationError) as refused:
        parse_duration("9" * 100_000 + "s")
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (timedelta(0), "0s"),
        (timedelta(microseconds=1), "1µs"),
        (timedelta(microseconds=1500), "1.5ms"),
        (timedelta(milliseconds=20), "20ms"),
        (timedelta(seconds=1), "1s"),
        (timedelta(seconds=90.25), "1m30.25s"),
        (timedelta(hours=4), "4h0m0s"),
        (timedelta(days=30), "720h0m0s"),
        (timedelta(seconds=-61), "-1m1s"),
    ],
)
def test_durations_are_written_as_go_writes_them(span: timedelta, text: str) -> None:
    assert format_duration(span) == text


@given(SPANS)
def test_what_is_written_is_read_again(span: timedelta) -> None:
    assert parse_duration(format_duration(span)) == span


@pytest.mark.parametrize("text", [None, "", "0", "0s", "0h0m0s"])
def test_absent_and_zero_give_the_default(text: str | None) -> None:
    assert duration_of(text) == timedelta(0)
    assert duration_of(text, timedelta(hours=4)) == timedelta(hours=4)


def test_a_duration_that_is_set_goes_before_the_default() -> None:
    assert duration_of("1m", timedelta(hours=4)) == timedelta(minutes=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(None, 60), ("", 60), ("-1s", 60), ("0s", None), ("0", None), ("5m", 300)],
)
def test_a_period_of_zero_is_never_and_a_negative_one_the_default(
    text: str | None, expected: int | None
) -> None:
    period = period_of(text, timedelta(seconds=60))
    assert period == (None if expected is None else timedelta(seconds=expected))


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(duration) == (0, 2)
