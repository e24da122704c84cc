"""The day rule of an expression: which days of which months, found by bit masks.

Days are counted from 1970-01-01 as day 0. The time of day and zones do not belong here.
"""

from bisect import bisect_left, bisect_right
from datetime import date
from functools import lru_cache

from kedge.cron.fields import WEEKDAY, members, span

EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
EPOCH_WEEKDAY = 4  # a Thursday
MONTH_DAYS = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""How many days a month can have, by its number."""
MONTH_FULL = tuple(span(1, days) for days in MONTH_DAYS)
"""The set of all days of a month, by its number."""
SIX_WEEKS = sum(1 << 7 * week for week in range(6))
"""Multiplied with a set of weekdays, it repeats the set over six weeks."""

Month = tuple[int, int]
"""The days of month and the days of week of a rule in one month; a day needs to be in one only."""
NEVER: Month = (0, 0)
Pattern = tuple[Month, ...]
"""The days of the twelve months."""


class Days:
    """A set of days in normal form: rules for the same days are equal.

    A month's days are only those it can have, and a month in which every day is in the set is
    written as all its days of month, however the rule came to that.
    """

    __slots__ = ("_ahead", "_behind", "_kinds", "_years", "months", "weekly")

    def __init__(self, months: Pattern) -> None:
        self.months = months
        self.weekly = weekly = _weekly(months)
        """The weekdays, where nothing but weekdays counts; else none."""
        self._ahead = tuple(_distance(weekly, w, 1) for w in range(7)) if weekly else None
        self._behind = tuple(_distance(weekly, w, -1) for w in range(7)) if weekly else None
        # There are but 14 kinds of years; a year is a place in time and a kind.
        self._kinds: dict[tuple[bool, int], tuple[int, ...]] = {}
        self._years: dict[int, tuple[int, tuple[int, ...]]] = {}

    def __eq__(self, other: object) -> bool:
        return self.months == other.months if isinstance(other, Days) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.months)

    @property
    def is_empty(self) -> bool:
        """Say whether no day at all is in the set."""
        return all(month == NEVER for month in self.months)

    def parts(self) -> tuple[int, int, int]:
        """Return days of month, days of week and months that mean this set in an expression.

        Without days of month and days of week it is every day of the months.
        """
        rows = columns = months = 0
        is_partial = False
        for number, month in enumerate(self.months, 1):
            if month != NEVER:
                rows |= month[0]
                columns |= month[1]
                months |= 1 << number
                is_partial = is_partial or month[0] != MONTH_FULL[number]
        return (rows, columns, months) if is_partial else (0, 0, months)

    def __contains__(self, day: int) -> bool:
        """Say whether a day is in the set."""
        try:
            return self.first(day) == day
        except OverflowError:
            return False

    def first(self, day: int) -> int:
        """Return the first day of the set that is not before this one.

        Raises OverflowError past the year 9999.
        """
        if self._ahead:
            return day + self._ahead[(day + EPOCH_WEEKDAY) % 7]
        try:
            year = date.fromordinal(day + EPOCH_ORDINAL).year
            start, days = self._years.get(year) or self._year(year)
            index = bisect_left(days, day - start)
            while index == len(days):
                year += 1
                start, days = self._years.get(year) or self._year(year)
                index = 0
            return start + days[index]
        except ValueError as exc:
            raise OverflowError("past the end of the calendar") from exc

    def last(self, day: int) -> int:
        """Return the last day of the set that is not after this one.

        Raises OverflowError before the year 1.
        """
        if self._behind:
            return day - self._behind[(day + EPOCH_WEEKDAY) % 7]
        try:
            year = date.fromordinal(day + EPOCH_ORDINAL).year
            start, days = self._years.get(year) or self._year(year)
            index = bisect_right(days, day - start)
            while not index:
                year -= 1
                start, days = self._years.get(year) or self._year(year)
                index = len(days)
            return start + days[index - 1]
        except ValueError as exc:
            raise OverflowError("before the start of the calendar") from exc

    def mask(self, year: int, month: int, start: int) -> int:
        """Return the matching days of the month that starts with day number `start`."""
        rows, columns = self.months[month - 1]
        if columns:
            rows |= weekday_mask(columns, (start + EPOCH_WEEKDAY) % 7)
        if month == 2 and not is_leap(year):
            return rows & MONTH_FULL[2] >> 1
        return rows & MONTH_FULL[month]

    def _year(self, year: int) -> tuple[int, tuple[int, ...]]:
        """Return the first day of a year, and its days of the set counted from there."""
        start = date(year, 1, 1).toordinal() - EPOCH_ORDINAL
        kind = is_leap(year), (start + EPOCH_WEEKDAY) % 7
        if kind not in self._kinds:
            line = length = 0
            for month in range(1, 13):
                line |= self.mask(year, month, start + length) >> 1 << length
                length += MONTH_DAYS[month] - (month == 2 and not is_leap(year))
            self._kinds[kind] = tuple(members(line))
        found = self._years[year] = start, self._kinds[kind]
        return found


@lru_cache(maxsize=1024)
def rule(days: int, months: int, weekdays: int, *, either: bool) -> Days:
    """Build the set of days of three fields; equal ones are shared, with what they remember.

    With `either`, a day of month or a day of week is enough; without, both must match, which is
    what an unrestricted field (a full set) means for the other.
    """
    return Days(tuple(_month(m, days, months, weekdays, either) for m in range(1, 13)))


def weekday_mask(weekdays: int, begin: int) -> int:
    """Return the days of month on these weekdays if the month begins with weekday `begin`.

    It holds numbers past the end of the month, too.
    """
    return weekdays * SIX_WEEKS >> begin << 1


def is_leap(year: int) -> bool:
    """Say whether February has 29 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month(number: int, days: int, months: int, weekdays: int, either: bool) -> Month:
    full = MONTH_FULL[number]
    if not months >> number & 1:
        return NEVER
    if not either and weekdays != WEEKDAY.full:
        return 0, weekdays  # one of the two is a full set: only the weekdays restrict
    if not either:
        return days & full, 0
    if days & full == full or weekdays == WEEKDAY.full:
        return full, 0
    return days & full, weekdays


def _weekly(months: Pattern) -> int:
    """Return the weekdays of a rule that knows nothing but weekdays, else the empty set."""
    if all(rows == MONTH_FULL[m] for m, (rows, _) in enumerate(months, 1)):
        return WEEKDAY.full
    rows, columns = months[0]
    return columns if not rows and months == (months[0],) * 12 else 0


def _distance(weekdays: int, weekday: int, step: int) -> int:
    """Return how many days lie between a weekday and the nearest one of a set."""
    return next(n for n in range(7) if weekdays >> (weekday + n * step) % 7 & 1)
