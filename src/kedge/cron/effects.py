"""What changes of the clock do to the runs of a schedule: for people to look at."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from kedge.cron.calendar import MARGIN, Calendar
from kedge.cron.fields import HOUR
from kedge.cron.schedule import Schedule, in_utc
from kedge.cron.zones import FIRST, LAST, TICK, Stretch


class Effect(NamedTuple):
    """One run that a change of the clock touched."""

    at: datetime
    """The instant of the run, or of the change if there is no run."""
    kind: str
    """`skipped`: no run, that local time did not exist. `moved`: the same, run at the change.
    `repeated`: that local time came twice, both are runs. `dropped`: the second one is not."""
    wall: datetime
    """The local time that was meant, naive."""


def effects(schedule: Schedule, start: datetime, end: datetime) -> Iterator[Effect]:
    """Yield the effects from start (included) to end (excluded), in order.

    Schedules with every hour in their set have none: they keep their rhythm.
    """
    if not isinstance(schedule, Calendar) or schedule.hours == HOUR.full:
        return
    start, end = in_utc(start), in_utc(end)
    # A change a little outside can repeat local times inside.
    near = max(start, FIRST + MARGIN) - MARGIN, min(end, LAST - MARGIN) + MARGIN
    for stretch in schedule.tz.changes(*near):
        for effect in sorted(_effects_of(schedule, stretch)):
            if start <= effect.at < end:
                yield effect


def _effects_of(schedule: Calendar, stretch: Stretch) -> Iterator[Effect]:
    """Yield what one change does: it skips readings, or it repeats some."""
    missing = stretch.start - stretch.gap, stretch.start
    for reading in _readings(schedule, stretch, *missing):
        yield Effect(stretch.start, "moved" if schedule.is_once else "skipped", reading)
    for reading in _readings(schedule, stretch, stretch.start, stretch.fresh):
        second = (reading - stretch.offset).replace(tzinfo=stretch.start.tzinfo)
        if schedule.is_once:
            yield Effect(second, "dropped", reading)
        else:
            yield Effect(second - (stretch.fresh - stretch.start), "repeated", reading)
            yield Effect(second, "repeated", reading)


def _readings(
    schedule: Calendar, stretch: Stretch, start: datetime, end: datetime
) -> Iterator[datetime]:
    """Yield the local times of runs as if the clock had kept its offset from start to end."""
    at = start - TICK
    while start < end:
        at = schedule.first(at, stretch)
        if at >= end:
            return
        yield (at + stretch.offset).replace(tzinfo=None)
