"""Which priming plans can exist: decided on the calendar itself, cell by cell.

A cell is a (month, day, weekday). Five fields say, for each minute of the day and each month, a
union of whole days (on all weekdays) and whole weekdays (on all days), and nothing else.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

from tests.cron_oracle.minutes import day_pattern, has_gap_over, run_minutes, stretches, warm_ups
from tests.cron_oracle.reading import Reading, month_length, read
from tests.cron_oracle.zones import FIRST, MINUTE

Cell = tuple[int, int, int]
DAY = timedelta(days=1)
# Leap days on the weekdays that no leap day of 2023-2037 falls on.
OTHER_LEAP_DAYS = (date(2040, 2, 29), date(2044, 2, 29), date(2048, 2, 29))


@dataclass
class Demand:
    """For each cell the minutes that must fire and that must not, one byte a minute of the day."""

    fire: dict[Cell, int] = field(default_factory=lambda: defaultdict(int))
    rest: dict[Cell, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, day: date, low: int, marks: bytes) -> None:
        """Demand what `marks` says of a day from the minute `low` on."""
        cell = (day.month, day.day, day.isoweekday() % 7)
        ones = int.from_bytes(marks, "little")
        every = int.from_bytes(b"\1" * len(marks), "little")
        self.fire[cell] |= ones << 8 * low
        self.rest[cell] |= (every ^ ones) << 8 * low


def demand(reading: Reading, lead: int, dst: str = "wall") -> Demand:
    """Say what the warm-ups of a schedule demand of each cell, in the schedule's zone."""
    marks = warm_ups(run_minutes(reading, dst), lead)
    found = Demand()
    for part in stretches(reading.zone):
        if 2023 <= part.day.year <= 2037:
            found.add(part.day, part.low, marks[part.at : part.at + part.high - part.low])
    pattern = day_pattern(reading)
    for day in OTHER_LEAP_DAYS:
        days = [day + DAY * n for n in range(9)]
        week = b"".join(pattern if reading.day_matches(d) else bytes(1440) for d in days)
        found.add(day, 0, week[lead : lead + 1440])
    return found


def expressible(wanted: Demand) -> bool:
    """Tell whether five-field expressions can meet a demand exactly."""
    if any(wanted.fire[cell] & wanted.rest[cell] for cell in list(wanted.fire)):
        return False
    for month in range(1, 13):
        days = range(1, month_length(month) + 1)
        row = {d: _any(wanted.rest[month, d, w] for w in range(7)) for d in days}
        column = {w: _any(wanted.rest[month, d, w] for d in days) for w in range(7)}
        # A minute that must fire but spoils its whole day and its whole weekday cannot be said.
        if any(wanted.fire[month, d, w] & row[d] & column[w] for d in days for w in range(7)):
            return False
    return True


def _any(marks: Iterable[int]) -> int:
    total = 0
    for mark in marks:
        total |= mark
    return total


def static_plan_exists(reading: Reading, lead: int, dst: str = "wall") -> bool:
    """Tell whether the warm-ups are exactly a union of five-field expressions in the same zone."""
    return expressible(demand(reading, lead, dst))


def ever_cold(reading: Reading, lead: int, dst: str = "wall") -> bool:
    """Tell whether any two runs are further apart than the lead, now or in any calendar year."""
    if has_gap_over(run_minutes(reading, dst), lead):
        return True
    pattern, days = day_pattern(reading), (date(2010, 1, 1) + DAY * n for n in range(29 * 366))
    years = b"".join(pattern if reading.day_matches(day) else bytes(1440) for day in days)
    return has_gap_over(years, lead)


def fires_exactly(
    expressions: tuple[str, ...], reading: Reading, lead: int, dst: str = "wall"
) -> str:
    """Compare the firings of expressions with the warm-ups; say what differs, or nothing."""
    wanted = warm_ups(run_minutes(reading, dst), lead)
    seen = 0
    for text in expressions:
        fires = int.from_bytes(run_minutes(read(text, reading.zone)), "little")
        if seen & fires:
            return f"{text!r} fires together with another expression"
        seen |= fires
    # The last days are left out: their runs lie behind the period.
    size = len(wanted) - 11 * 1440
    missing_or_extra = (seen ^ int.from_bytes(wanted, "little")) & ((1 << 8 * size) - 1)
    if not missing_or_extra:
        return ""
    at = ((missing_or_extra & -missing_or_extra).bit_length() - 1) // 8
    return f"{'missing' if wanted[at] else 'spurious'} at {FIRST + at * MINUTE:%Y-%m-%dT%H:%MZ}"
