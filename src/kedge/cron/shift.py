"""The warm-ups of a calendar schedule as minutes and days, if five fields can say them.

A *cell* is what five fields can tell apart: a minute of the day on a (month, day, weekday). The
warm-ups fit into expressions when, cell by cell, either all instants that read so are warm-ups or
none is, and when, minute by minute, the days of each month are a union of whole days of month and
whole weekdays: there is no AND of the two in this dialect.

A (month, day, weekday) is kept as a month that begins on a certain weekday, and a bit in the mask
of its days.
"""

from datetime import date

from kedge.cron.calendar import Calendar
from kedge.cron.changes import (
    DAY_MINUTES,
    FIRST_YEAR,
    FULL_DAY,
    LAST_YEAR,
    Reading,
    readings,
    time_mask,
)
from kedge.cron.days import (
    EPOCH_ORDINAL,
    EPOCH_WEEKDAY,
    MONTH_DAYS,
    MONTH_FULL,
    NEVER,
    Days,
    Month,
    Pattern,
    is_leap,
    weekday_mask,
)
from kedge.cron.fields import members, span, union

LEAP, COMMON = 2024, 2023

Kind = tuple[int, int, int]
"""Month, weekday on which it begins, day of month."""
Exceptions = dict[Kind, tuple[int, int]]
"""For kinds of days near a change of the clock: minutes that must be in, that must not be in."""
Need = list[list[tuple[int, int]]]
"""For each month and each weekday it may begin with: days that must be in, and that may be in."""


def shifted(schedule: Calendar, lead: int) -> dict[Pattern, int] | None:
    """Return for each pattern of days the minutes of the day, `lead` minutes before the runs.

    None when five-field expressions cannot say it.
    """
    exceptions = _exceptions(schedule, lead)
    if exceptions is None:
        return None
    found: dict[Pattern, int] = {}
    for minutes, ahead in _parts(schedule, lead, exceptions):
        need = _calendar_need(schedule.days, ahead)
        for kind, (warm, cold) in exceptions.items():
            _except(need, kind, must=bool(minutes & warm), may=not minutes & cold)
        pattern = _pattern(need)
        if pattern is None:
            return None
        found[pattern] = found.get(pattern, 0) | minutes
    found.pop((NEVER,) * 12, None)
    return found


def _split(schedule: Calendar, lead: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the warm-ups on the clock: minutes of the day, and days until their runs, twice."""
    days, minutes = divmod(lead, DAY_MINUTES)
    times = time_mask(schedule.minutes, schedule.hours)
    return (times >> minutes, days), (times << DAY_MINUTES - minutes & FULL_DAY, days + 1)


def _expected(schedule: Calendar, lead: int, day: int) -> int:
    """Return the warm-ups of a day if no change of the clock is near."""
    minutes = 0
    for part, ahead in _split(schedule, lead):
        if day + ahead in schedule.days:
            minutes |= part
    return minutes


def _parts(schedule: Calendar, lead: int, exceptions: Exceptions) -> list[tuple[int, int | None]]:
    """Cut the day into minutes that behave alike, with the days until their runs if any."""
    parts: list[tuple[int, int | None]] = [*_split(schedule, lead)]
    parts.append((FULL_DAY & ~(parts[0][0] | parts[1][0]), None))
    for cut in {mask for masks in exceptions.values() for mask in masks}:
        halves = ((half, ahead) for mask, ahead in parts for half in (mask & cut, mask & ~cut))
        parts = [part for part in halves if part[0]]  # or they double with each change
    if not exceptions:
        parts.pop()
    return [part for part in parts if part[0]]


def _exceptions(schedule: Calendar, lead: int) -> Exceptions | None:
    """Return the kinds of days whose warm-ups a change of the clock moves.

    None when one kind of day would need two different answers.
    """
    near: dict[int, Reading] = {}
    moved: set[Kind] = set()
    for reading in readings(schedule, lead):
        if reading.warm & reading.cold:
            return None  # the clock shows that minute twice, and only one of them is right
        near[reading.day] = reading
        expected = _expected(schedule, lead, reading.day)
        if reading.warm != expected:
            moved.add(_kind(reading.day))
    found: Exceptions = {}
    for kind in moved:
        warm = cold = 0
        for day in _occurrences(kind):
            expected = _expected(schedule, lead, day)
            reading = near.get(day) or Reading(day, expected, FULL_DAY & ~expected)
            warm |= reading.warm
            cold |= reading.cold
        if warm & cold:
            return None
        found[kind] = warm, cold
    return found


def _kind(day: int) -> Kind:
    at = date.fromordinal(day + EPOCH_ORDINAL)
    return at.month, (day - at.day + 1 + EPOCH_WEEKDAY) % 7, at.day


def _occurrences(kind: Kind) -> list[int]:
    """List the days of a kind in the years that count."""
    month, begin, number = kind
    firsts = [
        date(year, month, 1).toordinal() - EPOCH_ORDINAL
        for year in range(FIRST_YEAR, LAST_YEAR + 1)
        if number < 29 or month != 2 or is_leap(year)
    ]
    return [first + number - 1 for first in firsts if (first + EPOCH_WEEKDAY) % 7 == begin]


def _calendar_need(days: Days, ahead: int | None) -> Need:
    """Return the days that lie so many days before those of a rule, in every calendar."""
    need: Need = []
    for month in range(1, 13):
        need.append([])
        for begin in range(7):
            leap = _shifted_month(days, LEAP, month, begin, ahead)
            must = may = leap
            if month == 2:
                common = _shifted_month(days, COMMON, month, begin, ahead)
                must, may = leap | common, leap & (common | 1 << 29)
            need[-1].append((must, may))
    return need


def _shifted_month(days: Days, year: int, month: int, begin: int, ahead: int | None) -> int:
    """Return the days of one month that lie so many days before a day of the rule."""
    if ahead is None:
        return 0
    length = MONTH_DAYS[month] - (month == 2 and not is_leap(year))
    start = begin - EPOCH_WEEKDAY
    this = days.mask(year, month, start)
    following = days.mask(year, month % 12 + 1, start + length)
    return (this | following << length) >> ahead & span(1, length)


def _except(need: Need, kind: Kind, *, must: bool, may: bool) -> None:
    """Overrule the calendar for one kind of day."""
    month, begin, number = kind
    needed, allowed = (mask & ~(1 << number) for mask in need[month - 1][begin])
    need[month - 1][begin] = needed | must << number, allowed | may << number


def _pattern(need: Need) -> Pattern | None:
    """Return the days as whole days of month and whole weekdays, if they are."""
    months = []
    for month, masks in enumerate(need, 1):
        found = _rows_and_columns(MONTH_FULL[month], masks)
        if found is None:
            return None
        months.append(found)
    return tuple(months)


def _rows_and_columns(full: int, masks: list[tuple[int, int]]) -> Month | None:
    """Return days of month and days of week that hold what must be in, nothing that may not."""
    rows = full
    for _, may in masks:
        rows &= may
    columns = sum(
        1 << weekday
        for weekday in range(7)
        if not any(weekday_mask(1 << weekday, b) & full & ~may for b, (_, may) in enumerate(masks))
    )
    if any(must & ~rows & ~weekday_mask(columns, b) for b, (must, _) in enumerate(masks)):
        return None
    columns = sum(
        1 << weekday
        for weekday in members(columns)
        if any(must & ~rows & weekday_mask(1 << weekday, b) for b, (must, _) in enumerate(masks))
    )
    left = union(must & ~weekday_mask(columns, b) for b, (must, _) in enumerate(masks))
    return rows & left, columns
