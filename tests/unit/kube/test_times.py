from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.times import (
    TimeError,
    canonical_micro_time,
    canonical_time,
    format_micro_time,
    format_time,
    parse_micro_time,
    parse_time,
)
from tests.unit.kube.recorded import rows

INSTANTS = st.datetimes(timezones=st.just(UTC)).filter(lambda when: 1 < when.year < 9999)
OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(INSTANTS, OFFSETS)
def test_a_time_is_read_back_to_its_precision(when: datetime, zone: timezone) -> None:
    moved = when.astimezone(zone)
    assert parse_time(format_time(moved)) == when.replace(microsecond=0)
    assert parse_micro_time(format_micro_time(moved)) == when


@given(INSTANTS, OFFSETS)
def test_any_offset_is_the_same_instant_in_utc(when: datetime, zone: timezone) -> None:
    text = when.astimezone(zone).isoformat(timespec="microseconds")
    assert canonical_time(text) == format_time(when)
    assert canonical_micro_time(text) == format_micro_time(when)


@given(st.text(alphabet="0123456789-:TZ+.,x", max_size=30) | st.text(max_size=30))
def test_any_text_is_a_time_or_raises_the_one_error(text: str) -> None:
    try:
        written = canonical_time(text)
    except TimeError:
        return
    assert written is None or canonical_time(written) == written


def outcome(read: Callable[[str], str | None], text: str) -> tuple[str, str | None]:
    try:
        return "", read(text)
    except TimeError as error:
        return str(error), None


def test_kubernetes_reads_times_the_same_way() -> None:
    for text, *expected in rows("times"):
        found = [*outcome(canonical_time, text), *outcome(canonical_micro_time, text)]
        assert found == expected, text


LAYOUT = '"2006-01-02T15:04:05Z07:00"'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x", f'parsing time "x" as {LAYOUT}: cannot parse "x" as "2006"'),
        ("", f'parsing time "" as {LAYOUT}: cannot parse "" as "2006"'),
        (
            "2024-05-01",
            f'parsing time "2024-05-01" as {LAYOUT}: cannot parse "" as "T"',
        ),
        (
            "2024-05-01 12:00:00Z",
            f'parsing time "2024-05-01 12:00:00Z" as {LAYOUT}: cannot parse " 12:00:00Z" as "T"',
        ),
        (
            "2024-05-01T12:00:00",
            f'parsing time "2024-05-01T12:00:00" as {LAYOUT}: cannot parse "" as "Z07:00"',
        ),
        ("2024-13-01T12:00:00Z", 'parsing time "2024-13-01T12:00:00Z": month out of range'),
        ("2023-02-29T12:00:00Z", 'parsing time "2023-02-29T12:00:00Z": day out of range'),
        ("2024-05-01T24:00:00Z", 'parsing time "2024-05-01T24:00:00Z": hour out of range'),
        ("2024-05-01T12:60:00Z", 'parsing time "2024-05-01T12:60:00Z": minute out of range'),
        ("2024-05-01T12:00:60Z", 'parsing time "2024-05-01T12:00:60Z": second out of range'),
        (
            "2024-05-01T12:00:00Zé",
            'parsing time "2024-05-01T12:00:00Z\\xc3\\xa9": extra text: "\\xc3\\xa9"',
        ),
        (
            "2024-05-01T12:00:00+25:00",
            'parsing time "2024-05-01T12:00:00+25:00": time zone offset hour out of range',
        ),
        (
            "2024-05-01T12:00:00+01:61",
            'parsing time "2024-05-01T12:00:00+01:61": time zone offset minute out of range',
        ),
    ],
)
def test_what_is_no_time_is_explained_as_go_does(text: str, error: str) -> None:
    with pytest.raises(TimeError) as raised:
        parse_time(text)
    assert str(raised.value) == error


def test_a_micro_time_needs_its_six_digits() -> None:
    layout = '"2006-01-02T15:04:05.000000Z07:00"'
    text = "2024-05-01T12:00:00Z"
    with pytest.raises(TimeError) as raised:
        parse_micro_time(text)
    assert str(raised.value) == f'parsing time "{text}" as {layout}: cannot parse "Z" as ".000000"'
    with pytest.raises(TimeError, match="fractional second out of range"):
        parse_micro_time("2024-05-01T12:00:00.-00001Z")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z"),
        ("2024-05-01T1:00:00Z", "2024-05-01T01:00:00Z"),
        ("2024-05-01T12:00:00,123Z", "2024-05-01T12:00:00Z"),
        ("2024-05-01T00:30:00+01:00", "2024-04-30T23:30:00Z"),
        ("2024-03-01T00:00:00+24:00", "2024-02-29T00:00:00Z"),
        ("0001-01-01T00:00:00Z", None),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("0000-01-01T00:00:00+01:00", "-0001-12-31T23:00:00Z"),
        ("9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"),
    ],
)
def test_a_time_is_rewritten_in_utc_to_the_second(text: str, canonical: str | None) -> None:
    assert canonical_time(text) == canonical


def test_a_micro_time_is_rewritten_in_utc_to_the_microsecond() -> None:
    assert canonical_micro_time("2024-05-01T12:00:00.000001Z") == "2024-05-01T12:00:00.000001Z"
    assert canonical_micro_time("2024-05-01T12:00:00.000001+01:00") == "2024-05-01T11:00:00.000001Z"


def test_times_that_datetime_can_not_hold_become_the_nearest_it_can() -> None:
    assert parse_time("0000-01-01T00:00:00Z") == datetime(1, 1, 1, tzinfo=UTC)
    last = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
    assert parse_time("9999-12-31T23:59:59-01:00") == last
    assert parse_time("2024-05-01T12:00:00.5Z").microsecond == 500_000
