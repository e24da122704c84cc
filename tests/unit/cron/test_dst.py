"""Changes of the clock by name, both policies."""

from datetime import UTC, datetime, timedelta

import pytest

from kedge.cron import parse
from tests.cron_oracle.dst_gaps import GAPS
from tests.cron_oracle.dst_overlaps import OVERLAPS, RHYTHM


def at(text: str) -> datetime:
    """Read `2026-03-29 01:00` as UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


ROWS = [pytest.param(*row[1:], id=row[0]) for row in (*GAPS, *OVERLAPS, *RHYTHM)]
TABLE = pytest.mark.parametrize(("zone", "text", "window", "wall", "once"), ROWS)
Window = tuple[str, str]


def check(text: str, zone: str, dst: str, window: Window, expected: list[str]) -> None:
    """Ask for the runs in a window in three ways."""
    schedule = parse(text, zone=zone, dst=dst)
    start, end = at(window[0]), at(window[1])
    wanted = [at(moment) for moment in expected]
    assert list(schedule.between(start, end)) == wanted
    moment = start - timedelta(seconds=1)
    for run in wanted:
        assert schedule.next(moment) == run
        moment = run
    moment = end
    for run in reversed(wanted):
        assert schedule.prev(moment) == run
        moment = run


@TABLE
def test_wall_fires_at_every_instant_with_a_matching_reading(
    zone: str, text: str, window: Window, wall: list[str], once: list[str] | None
) -> None:
    check(text, zone, "wall", window, wall)


@TABLE
def test_once_fires_once_for_every_matching_local_time(
    zone: str, text: str, window: Window, wall: list[str], once: list[str] | None
) -> None:
    check(text, zone, "once", window, wall if once is None else once)
