"""The day rule of an expression: which days of which months, found by bit masks.

Days are counted from 1970-01-01 as day 0. The time of day and zones do not belong here.
"""

from datetime import date

from kedge.cron.fields import WEEKDAY, span

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


class Days:
    """A set of days in normal form: rules for the same days are equal.

    A month's days are only those it can have, and a month in which every day is in the set is
    written as all its days of month, however the rule came to that.
    """

    __slots__ = ("_ahead", "_behind", "_earlier", "_later", "months")

    def __init__(self, months: tuple[Month, ...]) -> None:
        self.months = months
        self._later = _neighbours(months, 1)
        self._earlier = _neighbours(months, -1)
        weekly = _weekly(months)
        self._ahead = tuple(_distance(weekly, w, 1) for w in range(7)) if weekly else None
        self._behind = tuple(_distance(weekly, w, -1) for w in range(7)) if weekly else None

    @property
    def is_empty(self) -> bool:
        """Say whether no day at all is in the set."""
        return all(month == NEVER for month in self.months)

    @property
    def is_daily(self) -> bool:
        """Say whether every day is in the set."""
        return all(rows == MONTH_FULL[m] for m, (rows, _) in enumerate(self.months, 1))

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

    def first(self, day: int) -> int:
        """Return the first day of the set that is not before this one.

        Raises OverflowError past the year 9999.
        """
        if self._ahead:
            return day + self._ahead[(day + EPOCH_WEEKDAY) % 7]
        try:
            at = date.fromordinal(day + EPOCH_ORDINAL)
            year, month = at.year, at.month
            rest = self.mask(year, month, day - at.day + 1) >> at.day
            if rest:
                return day + (rest & -rest).bit_length() - 1
            while True:
                month, years = self._later[month]
                year += years
                start = date(year, month, 1).toordinal() - EPOCH_ORDINAL
                mask = self.mask(year, month, start)
                if mask:
                    return start + (mask & -mask).bit_length() - 2
        except ValueError as exc:
            raise OverflowError("past the end of the calendar") from exc

    def last(self, day: int) -> int:
        """Return the last day of the set that is not after this one.

        Raises OverflowError before the year 1.
        """
        if self._behind:
            return day - self._behind[(day + EPOCH_WEEKDAY) % 7]
        try:
            at = date.fromordinal(day + EPOCH_ORDINAL)
            year, month, start = at.year, at.month, day - at.day + 1
            mask = self.mask(year, month, start) & (2 << at.day) - 1
            while not mask:
                month, years = self._earlier[month]
                year += years
                start = date(year, month, 1).toordinal() - EPOCH_ORDINAL
                mask = self.mask(year, month, start)
            return start + mask.bit_length() - 2
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


def rule(days: int, months: int, weekdays: int, *, either: bool) -> Days:
    """Build the set of days of three fields.

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
    if not either:
        if weekdays == WEEKDAY.full:
            return days & full, 0
        days = 0  # one of the two is a full set: only the weekdays restrict
    if days & full == full or weekdays == WEEKDAY.full:
        return full, 0
    return days & full, weekdays


def _neighbours(months: tuple[Month, ...], step: int) -> tuple[tuple[int, int], ...]:
    """Return for each month the nearest other one with days in the set, and the years between."""
    found = [(0, 0)]
    for number in range(1, 13):
        at = next(
            (at for n in range(1, 13) if months[(at := number + n * step - 1) % 12] != NEVER), 0
        )
        found.append((at % 12 + 1, at // 12))
    return tuple(found)


def _weekly(months: tuple[Month, ...]) -> int:
    """Return the weekdays of a rule that knows nothing but weekdays, else the empty set."""
    if all(rows == MONTH_FULL[m] for m, (rows, _) in enumerate(months, 1)):
        return WEEKDAY.full
    rows, columns = months[0]
    return columns if not rows and months == (months[0],) * 12 else 0


def _distance(weekdays: int, weekday: int, step: int) -> int:
    """Return how many days lie between a weekday and the nearest one of a set."""
    return next(n for n in range(7) if weekdays >> (weekday + n * step) % 7 & 1)
