"""What the clock of a zone shows around its changes: warm-ups by reading, minute by minute.

A stretch of time is an int, one bit a minute, so that shifting by a lead is a shift of bits.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from kedge.cron.calendar import Calendar
from kedge.cron.days import EPOCH_ORDINAL
from kedge.cron.fields import members
from kedge.cron.zones import EPOCH, Stretch

MINUTE = timedelta(minutes=1)
DAY_MINUTES = 1440
FULL_DAY = (1 << DAY_MINUTES) - 1
FIRST_YEAR, LAST_YEAR = 2023, 2037
"""The years whose changes count: what the data of a zone says, and its rule promises."""
SPAN = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)
FIRST_DAY = date(FIRST_YEAR, 1, 1).toordinal() - EPOCH_ORDINAL
LAST_DAY = date(LAST_YEAR, 12, 31).toordinal() - EPOCH_ORDINAL


class Reading(NamedTuple):
    """One local day: at which minutes of its clock a warm-up is needed, and at which it is not.

    A minute that the clock skips is in neither, one that it repeats may be in both.
    """

    day: int
    warm: int
    cold: int


def readings(schedule: Calendar, lead: int) -> Iterator[Reading]:
    """Yield the days around each change of the clock, if the lead is so many minutes."""
    for stretch in schedule.tz.changes(*SPAN):
        at = _minute(stretch.start)
        # A day more on both ends: local days do not begin with those of UTC.
        first, last = (at - lead) // DAY_MINUTES - 2, at // DAY_MINUTES + 2
        warm, cold = _clock_faces(schedule, lead, first, last)
        for day in range(max(first, FIRST_DAY), min(last, LAST_DAY) + 1):
            shift = (day - first) * DAY_MINUTES
            yield Reading(day, warm >> shift & FULL_DAY, cold >> shift & FULL_DAY)


@lru_cache(maxsize=256)
def time_mask(minutes: int, hours: int) -> int:
    """Return the minutes of the day for minutes and hours."""
    return sum(minutes << 60 * hour for hour in members(hours))


def _clock_faces(schedule: Calendar, lead: int, first: int, last: int) -> tuple[int, int]:
    """Return which minutes of these local days are read at warm-ups, and which at other times."""
    start, stop = (first - 2) * DAY_MINUTES, (last + 3) * DAY_MINUTES
    line = _runs(schedule, start, stop + lead) >> lead
    shown = first * DAY_MINUTES
    warm = cold = 0
    for begin, end, stretch in _pieces(schedule, start, stop):
        everything = (1 << end - begin) - 1
        needed = line >> begin - start & everything
        place = begin + stretch.offset // MINUTE - shown
        warm |= _moved(needed, place)
        cold |= _moved(everything ^ needed, place)
    return warm, cold


def _runs(schedule: Calendar, start: int, stop: int) -> int:
    """Return the runs between two minutes of UTC."""
    line = 0
    for begin, end, stretch in _pieces(schedule, start, stop):
        offset = stretch.offset // MINUTE
        bits = _local_runs(schedule, begin + offset, end + offset)
        if schedule.is_once:
            stale = max(0, _minute(stretch.fresh) - begin)
            bits = bits >> stale << stale
            bits |= begin == _minute(stretch.start) and schedule.skips(stretch)
        line |= bits << begin - start
    return line


def _local_runs(schedule: Calendar, start: int, stop: int) -> int:
    """Return the runs between two minutes of a clock that never changes."""
    origin = start // DAY_MINUTES
    times = time_mask(schedule.minutes, schedule.hours)
    bits = 0
    day = schedule.days.first(origin)
    while day * DAY_MINUTES < stop:
        bits |= times << (day - origin) * DAY_MINUTES
        day = schedule.days.first(day + 1)
    return bits >> start - origin * DAY_MINUTES & (1 << stop - start) - 1


def _pieces(schedule: Calendar, start: int, stop: int) -> Iterator[tuple[int, int, Stretch]]:
    """Cut the minutes of UTC where the offset changes."""
    while start < stop:
        stretch = schedule.tz.at(EPOCH + start * MINUTE)
        end = min(stop, _minute(stretch.end))
        yield start, end, stretch
        start = end


def _minute(instant: datetime) -> int:
    return (instant - EPOCH) // MINUTE


def _moved(bits: int, places: int) -> int:
    return bits << places if places >= 0 else bits >> -places
