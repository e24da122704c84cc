"""The warm-ups of most schedules, without looking at the calendar: one expression, moved as it is.

Where days are told by weekdays alone, all runs borrow alike from the hour and the day, and no
change of the clock comes near a run, the shifted set is one product again. The general way finds
the same answer, in much more time.
"""

from functools import lru_cache

from kedge.cron.calendar import Calendar
from kedge.cron.changes import DAY_MINUTES, FULL_DAY, MINUTE, SPAN, time_mask
from kedge.cron.days import rule
from kedge.cron.fields import DAY, MONTH, WEEKDAY, span
from kedge.cron.text import calendar_text
from kedge.cron.zones import EPOCH, TICK, Zone


def shifted_plainly(schedule: Calendar, lead: int) -> str | None:
    """Return the one expression that fires so many minutes before each run, if it is so plain."""
    weekly = schedule.days.weekly
    if not weekly or schedule.is_once or _meets_a_change(schedule, lead):
        return None
    days, rest = divmod(lead, DAY_MINUTES)
    hours_back, minutes_back = divmod(rest, 60)
    minutes, carry = _moved(schedule.minutes, minutes_back, 60)
    if carry is None:
        return None
    hours, over = _moved(schedule.hours, hours_back + carry, 24)
    if over is None and weekly != WEEKDAY.full:
        return None
    weekdays, _ = _moved(weekly, (days + (over or 0)) % 7, 7)
    return calendar_text(minutes, hours, rule(DAY.full, MONTH.full, weekdays, either=False))


def _moved(numbers: int, back: int, size: int) -> tuple[int, int | None]:
    """Move a set back round a circle; say whether all of it passed the start, or none (0, 1).

    None, where some did and some did not.
    """
    passed = numbers & span(0, back - 1) if back else 0
    turned = numbers >> back | passed << size - back
    if not passed:
        return turned, 0
    return turned, 1 if passed == numbers else None


def _meets_a_change(schedule: Calendar, lead: int) -> bool:
    """Say whether some run is near a time of day at which the clock is ever changed."""
    if schedule.tz.is_fixed:
        return False
    return bool(time_mask(schedule.minutes, schedule.hours) & _risky(schedule.tz, lead))


@lru_cache(maxsize=1024)
def _risky(zone: Zone, lead: int) -> int:
    """Return the minutes of the day for whose runs a change may come between, or be shown twice."""
    found = 0
    for stretch in zone.changes(*SPAN):
        before = zone.at(stretch.start - TICK).offset
        readings = sorted((stretch.start - EPOCH + before, stretch.start - EPOCH + stretch.offset))
        low, high = readings[0] // MINUTE, -(-readings[1] // MINUTE) + lead
        if high - low >= DAY_MINUTES:
            return FULL_DAY
        found |= (1 << high - low) - 1 << low % DAY_MINUTES
    return (found | found >> DAY_MINUTES) & FULL_DAY
