"""Read an expression by the letter of the dialect: a set of numbers and a star flag a field."""

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property, lru_cache

from tests.cron_oracle.durations import every_seconds
from tests.cron_oracle.refused import Refused
from tests.cron_oracle.zones import zone_info

MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTHS = {name: number for number, name in enumerate(MONTH_NAMES, 1)}
WEEKDAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
WEEKDAYS = {name: number for number, name in enumerate(WEEKDAY_NAMES)}
DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
# What Go's unicode.IsSpace says; Python's split() would also split at \x1c-\x1f.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Field:
    """The values a field allows, and whether it counts as unrestricted."""

    values: frozenset[int]
    star: bool


@dataclass(frozen=True)
class Reading:
    """One expression, understood. `every` is the period in seconds of `@every`."""

    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field
    zone: str
    every: int | None = None

    def day_matches(self, day: date) -> bool:
        """Apply the month and the day rule to a local date."""
        return (day.month, day.day, day.isoweekday() % 7) in self.cells

    def cell_matches(self, month: int, day: int, weekday: int) -> bool:
        """Apply the month and the day rule."""
        by_day = day in self.day.values
        by_weekday = weekday in self.weekday.values
        both = self.day.star or self.weekday.star
        return month in self.month.values and (
            (by_day and by_weekday) if both else (by_day or by_weekday)
        )

    def time_matches(self, local: datetime) -> bool:
        """Apply the minute and the hour field to a local time."""
        return local.minute in self.minute.values and local.hour in self.hour.values

    @cached_property
    def cells(self) -> frozenset[tuple[int, int, int]]:
        """The (month, day, weekday) triples a leap or a common year has, and this allows."""
        return frozenset(
            (month, day, weekday)
            for month in range(1, 13)
            for day in range(1, month_length(month) + 1)
            for weekday in range(7)
            if self.cell_matches(month, day, weekday)
        )

    @property
    def every_hour(self) -> bool:
        """Tell whether the hour field holds all 24 hours: `once` is then the same as `wall`."""
        return len(self.hour.values) == 24


def month_length(month: int) -> int:
    """Give the length of a month in a leap year."""
    return calendar.monthrange(2024, month)[1]


def number(text: str) -> int:
    """Read a number as the original does: a sign is allowed, the result must not be negative."""
    if not re.fullmatch("[+-]?[0-9]+", text):
        raise Refused(f"not a number: {text!r}")
    digits = text.lstrip("+-").lstrip("0") or "0"
    if len(digits) > 19 or int(digits) > LARGEST or (text[0] == "-" and digits != "0"):
        raise Refused(f"number out of bounds: {text!r}")
    return int(digits)


def read_piece(piece: str, low: int, high: int, names: dict[str, int]) -> Field:
    """Read `*`, `?`, `a`, `a-b`, each with or without `/n`."""
    span, *steps = piece.split("/")
    if len(steps) > 1:
        raise Refused(f"too many slashes: {piece!r}")
    first, *lasts = span.split("-")
    step = number(steps[0]) if steps else 1
    if step == 0:
        raise Refused(f"step 0: {piece!r}")
    if first in ("*", "?"):  # whatever follows a hyphen is not looked at
        return Field(frozenset(range(low, high + 1, step)), star=step == 1)
    if len(lasts) > 1:
        raise Refused(f"too many hyphens: {piece!r}")

    def value(text: str) -> int:
        return names[text.lower()] if text.lower() in names else number(text)

    start = value(first)
    end = value(lasts[0]) if lasts else (high if steps else start)
    if not low <= start <= end <= high:
        raise Refused(f"out of bounds or reversed: {piece!r}")
    return Field(frozenset(range(start, end + 1, step)), star=False)


def read_field(text: str, low: int, high: int, names: dict[str, int]) -> Field:
    """Read a list; empty pieces in it say nothing."""
    pieces = [read_piece(piece, low, high, names) for piece in text.split(",") if piece]
    values = frozenset[int]().union(*(piece.values for piece in pieces))
    return Field(values, any(piece.star for piece in pieces))


@lru_cache(maxsize=256)
def read(text: str, zone: str = "UTC") -> Reading:
    """Read a whole expression, or raise Refused."""
    found = re.match("(?:CRON_)?TZ=", text)
    if found:
        zone, space, text = text[found.end() :].partition(" ")
        zone = zone or "UTC"
        if not space:
            raise Refused("nothing behind the zone")
        text = text.strip(SPACE.replace("\u2000-\u200a", "".join(map(chr, range(0x2000, 0x200B)))))
    zone_info(zone)
    every = None
    if text.startswith("@every "):
        every, text = every_seconds(text.removeprefix("@every ")), "* * * * *"
    elif text.startswith("@"):
        if text not in DESCRIPTORS:
            raise Refused(f"unknown descriptor: {text!r}")
        text = DESCRIPTORS[text]
    fields = [part for part in re.split(f"[{SPACE}]+", text) if part]
    if len(fields) != 5:
        raise Refused(f"expected 5 fields: {text!r}")
    reading = Reading(
        read_field(fields[0], 0, 59, {}),
        read_field(fields[1], 0, 23, {}),
        read_field(fields[2], 1, 31, {}),
        read_field(fields[3], 1, 12, MONTHS),
        read_field(fields[4], 0, 6, WEEKDAYS),
        zone,
        every,
    )
    if not (reading.minute.values and reading.hour.values and reading.cells):
        raise Refused(f"never fires: {text!r}")
    return reading
