from datetime import UTC, datetime, timedelta

import pytest

from kedge.cron import parse
from kedge.cron.effects import Effect, effects

SPRING = datetime(2026, 3, 29, 1, tzinfo=UTC)  # 02:00 becomes 03:00 in Amsterdam
AUTUMN = datetime(2026, 10, 25, 1, tzinfo=UTC)  # 03:00 becomes 02:00
HALF = timedelta(minutes=30)
SKIPPED, REPEATED = datetime(2026, 3, 29, 2, 30), datetime(2026, 10, 25, 2, 30)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("dst", "expected"),
    [
        (
            "wall",
            [
                Effect(SPRING, "skipped", SKIPPED),
                Effect(AUTUMN - HALF, "repeated", REPEATED),
                Effect(AUTUMN + HALF, "repeated", REPEATED),
            ],
        ),
        (
            "once",
            [
                Effect(SPRING, "moved", SKIPPED),
                Effect(AUTUMN + HALF, "dropped", REPEATED),
            ],
        ),
    ],
)
def test_both_policies_tell_what_a_year_of_changes_did(dst: str, expected: list[Effect]) -> None:
    schedule = parse("30 2 * * *", zone="Europe/Amsterdam", dst=dst)
    year = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    assert list(effects(schedule, *year)) == expected


def test_only_effects_within_the_time_are_told() -> None:
    schedule = parse("30 2 * * *", zone="Europe/Amsterdam")
    assert list(effects(schedule, SPRING, SPRING)) == []
    assert [e.at for e in effects(schedule, SPRING, SPRING + HALF)] == [SPRING]
    # The second pass is outside, but it is what makes the first one repeated.
    first = AUTUMN - HALF
    assert [e.at for e in effects(schedule, first, first + HALF)] == [first]


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("30 2 * * *", "UTC"),
        ("30 2 * * *", "Asia/Tokyo"),
        ("30 8 * * *", "Europe/Amsterdam"),
        ("*/15 * * * *", "Europe/Amsterdam"),
        ("@every 1h", "Europe/Amsterdam"),
    ],
)
def test_schedules_that_no_change_touches_have_no_effects(text: str, zone: str) -> None:
    year = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    assert list(effects(parse(text, zone=zone), *year)) == []
