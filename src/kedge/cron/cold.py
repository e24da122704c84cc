"""Whether anything is ever cold: whether two runs are ever further apart than a lead."""

from datetime import date, timedelta
from itertools import pairwise, product

from kedge.cron.calendar import Calendar
from kedge.cron.changes import SPAN
from kedge.cron.days import EPOCH_ORDINAL, Days
from kedge.cron.every import Every

CALENDAR = range(2023, 2052)
"""After 28 years the calendar repeats itself, and one more year joins the ends."""


def has_longer_gap(schedule: Calendar | Every, lead: timedelta) -> bool:
    """Say whether some run comes more than the lead after the one before."""
    if isinstance(schedule, Every):
        return schedule.interval > lead
    return _on_a_steady_clock(schedule, lead) or _over_a_change(schedule, lead)


def _on_a_steady_clock(schedule: Calendar, lead: timedelta) -> bool:
    times = schedule.times
    seconds = int(lead.total_seconds())
    if any(after - before > seconds for before, after in pairwise(times)):
        return True
    # From the last run of a day to the first of a later day.
    apart = (seconds + times[-1] - times[0]) // 86_400 + 1
    return _has_days_apart(schedule.days, apart)


def _has_days_apart(days: Days, apart: int) -> bool:
    """Say whether some day of the set comes so many days, or more, after the one before."""
    if apart == 1:
        return True
    origin = date(CALENDAR[0], 1, 1).toordinal()
    line = 0
    for year, month in product(CALENDAR, range(1, 13)):
        ordinal = date(year, month, 1).toordinal()
        line |= days.mask(year, month, ordinal - EPOCH_ORDINAL) >> 1 << ordinal - origin
    line >>= (line & -line).bit_length() - 1  # from a day of the set to another one
    idle = ~line & (1 << line.bit_length()) - 1
    for _ in range(apart - 2):
        idle &= idle >> 1
    return idle > 0


def _over_a_change(schedule: Calendar, lead: timedelta) -> bool:
    """Look at the runs around each change of the clock."""
    for stretch in schedule.tz.changes(*SPAN):
        before = schedule.prev(stretch.start)
        run = before and schedule.next(before)
        following = run and schedule.next(run)
        if before and run and following and max(run - before, following - run) > lead:
            return True
    return False
