"""`str(schedule)`: the same meaning, no longer than what was written."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.cron import parse
from tests.cron_oracle.durations import every_seconds
from tests.cron_oracle.settings import examples
from tests.cron_oracle.strategies import POLICIES, expressions, tidy_expressions, zones

HIGHEST = (59, 23, 31, 12, 6)


def plain(text: str) -> str:
    """Write `a/1` as `a-max`: canonical is `50-59`, not the shorter `50/1`."""
    return " ".join(
        re.sub(r"(?<![-*?\w])(\+?\w+)/0*1(?=,|$)", rf"\1-{high}", field)
        for field, high in zip(text.split(), HIGHEST, strict=True)
    )


@examples(150)
@given(text=expressions, zone=zones, dst=POLICIES)
def test_the_text_means_the_same_schedule(text: str, zone: str, dst: str) -> None:
    schedule = parse(text, zone=zone, dst=dst)
    again = parse(str(schedule), dst=dst)
    assert again == schedule
    assert hash(again) == hash(schedule)
    assert again.zone == schedule.zone == zone
    assert str(again) == str(schedule)


@pytest.mark.slow
@examples(150)
@given(text=st.one_of(expressions, tidy_expressions))
def test_the_text_is_not_longer_than_what_was_written(text: str) -> None:
    assert len(str(parse(text))) <= len(plain(text))


@examples(30)
@given(text=expressions, zone=zones)
def test_a_zone_stands_in_front_unless_it_is_utc(text: str, zone: str) -> None:
    bare, zoned = str(parse(text)), str(parse(text, zone=zone))
    assert zoned == (bare if zone == "UTC" else f"TZ={zone} {bare}")
    assert str(parse(f"CRON_TZ={zone}  {text} ")) == zoned


@examples(50)
@given(parts=st.tuples(st.integers(0, 99), st.integers(0, 999), st.integers(0, 9999)))
def test_a_period_is_written_in_no_more_than_its_shortest_form(parts: tuple[int, int, int]) -> None:
    seconds = 3600 * parts[0] + 60 * parts[1] + parts[2]
    if not seconds:
        return
    schedule = parse(f"@every {seconds}s")
    text = str(schedule).removeprefix("@every ")
    assert every_seconds(text) == seconds
    forms = [
        f"{h}h" * bool(h) + f"{m}m" * bool(m) + f"{s}s" * bool(s)
        for h in (0, seconds // 3600)
        for m in (0, (seconds - 3600 * h) // 60)
        for s in [seconds - 3600 * h - 60 * m]
    ]
    assert len(text) <= min(map(len, forms))
    assert parse(str(schedule)) == schedule


@pytest.mark.parametrize(
    ("written", "shortest"),
    [
        ("0 0 * * *", "0 0 * * *"),
        ("  0   12\t* * *  ", "0 12 * * *"),
        ("00 08 01 01 *", "0 8 1 1 *"),
        ("0,1,2,3 0 * * MON-fri", "0-3 0 * * 1-5"),
        ("0,15,30,45 ? ? ? ?", "*/15 * * * *"),
        ("0 0 1-31 * 1", "0 0 * * *"),
        ("0 0 1 * */1", "0 0 1 * *"),
        ("0 0 31 1,3,5,7,8,10,12 *", "0 0 31 * *"),
        ("0 0 29,30,31 2 *", "0 0 29 2 *"),
        ("0 0 , * 1", "0 0 * * 1"),
        ("TZ=UTC 5 4 * * *", "5 4 * * *"),
        ("CRON_TZ=Asia/Tokyo 5 4 * * *", "TZ=Asia/Tokyo 5 4 * * *"),
    ],
)
def test_well_known_schedules_have_the_text_one_expects(written: str, shortest: str) -> None:
    assert str(parse(written)) == shortest
