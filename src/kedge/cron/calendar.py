"""Runs at times of day on the clock of a zone.

The daylight-saving law, in one place. A zone is a chain of stretches with one offset each. Within
a stretch the local clock runs like any other, so a run is found by its reading alone, and counts
if it lies in the stretch:

- `wall`: every instant whose reading matches is a run. A skipped reading has no instant, a
  repeated one has two.
- `once`: a reading counts only where the clock shows it for the first time (`Stretch.fresh`),
  and the readings that a change skips are run at the change, together.
"""

from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from kedge.cron.days import Days, Month
from kedge.cron.fields import HOUR, members
from kedge.cron.schedule import Schedule, in_utc
from kedge.cron.zones import NOWHERE, TICK, Stretch, Zone, load

MARGIN = timedelta(days=2)
"""More than any two offsets differ by: a run found with the wrong offset is no further off."""


class Calendar(Schedule):
    """Runs at certain times of certain days on the clock of a zone."""

    __slots__ = ("_at", "_dst", "days", "hours", "is_once", "minutes", "times", "tz")

    def __init__(self, minutes: int, hours: int, days: Days, zone: Zone, dst: str) -> None:
        self.minutes = minutes
        self.hours = hours
        self.days = days
        self.tz = zone
        self._dst = dst
        # With every hour in the set the schedule has a rhythm, which no change should break.
        self.is_once = dst == "once" and hours != HOUR.full and not zone.is_fixed
        self.times = _times_of_day(minutes, hours)
        self._at = NOWHERE  # the stretch that was last used, a cache only

    @property
    def zone(self) -> str:
        """The name of the time zone whose clock is read."""
        return self.tz.name

    @property
    def dst(self) -> str:
        """What to do when clocks change: `wall` or `once`."""
        return self._dst

    def next(self, after: datetime) -> datetime | None:
        """Return the first run strictly after an instant, in UTC; None past the year 9999."""
        if after.tzinfo is not UTC:
            after = in_utc(after)
        stretch = self._at
        if not stretch.start <= after < stretch.end:
            stretch = self._at = self.tz.at(after)
        try:
            run = self.first(after, stretch)
            if run < stretch.end and not self.is_once:
                return run
            return self._walk_on(after, stretch)
        except OverflowError:
            return None

    def prev(self, before: datetime) -> datetime | None:
        """Return the last run strictly before an instant, in UTC; None before the year 1."""
        try:
            at = in_utc(before) - TICK
            stretch = self._at
            if not stretch.start <= at < stretch.end:
                stretch = self._at = self.tz.at(at)
            return self._walk_back(at, stretch)
        except OverflowError:
            return None

    def matches(self, instant: datetime) -> bool:
        """Say whether an instant is a run."""
        instant = in_utc(instant)
        return self.next(instant - TICK) == instant

    def explain(self) -> str:
        """Say in plain English when it runs."""
        from kedge.cron.explain import explain_calendar

        return explain_calendar(self)

    def __str__(self) -> str:
        from kedge.cron.text import calendar_text

        text = calendar_text(self.minutes, self.hours, self.days)
        return text if self.tz.is_utc else f"TZ={self.zone} {text}"

    def __repr__(self) -> str:
        return f"<Schedule {str(self)!r} dst={self._dst}>"

    def __eq__(self, other: object) -> bool:
        return self._meaning() == other._meaning() if isinstance(other, Calendar) else False

    def __hash__(self) -> int:
        return hash(self._meaning())

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.minutes, self.hours, self.days.months, self.zone, self._dst)

    def _meaning(self) -> tuple[object, ...]:
        return self.minutes, self.hours, self.days.months, self.tz, self.is_once

    def first(self, after: datetime, stretch: Stretch) -> datetime:
        """Return the first run after an instant if the clock kept its offset for ever."""
        reading = after - stretch.epoch
        day = reading.days
        times = self.times
        first = self.days.first(day)
        if first == day:
            index = bisect_right(times, reading.seconds)
            if index < len(times):
                return stretch.epoch + timedelta(day, times[index])
            first = self.days.first(day + 1)
        return stretch.epoch + timedelta(first, times[0])

    def _last(self, at: datetime, stretch: Stretch) -> datetime:
        """Return the last run that is not after an instant if the clock had always this offset."""
        reading = at - stretch.epoch
        day = reading.days
        times = self.times
        last = self.days.last(day)
        if last == day:
            index = bisect_right(times, reading.seconds)
            if index:
                return stretch.epoch + timedelta(day, times[index - 1])
            last = self.days.last(day - 1)
        return stretch.epoch + timedelta(last, times[-1])

    def _walk_on(self, after: datetime, stretch: Stretch) -> datetime:
        """Return the first run after an instant, from stretch to stretch.

        A run that would lie far beyond its stretch is approached in one leap: what a change of
        offset can move is within the margin, at the near end and at the far end.
        """
        while True:
            if self.is_once:
                if after < stretch.start and self.skips(stretch):
                    return stretch.start
                after = max(after, stretch.fresh - TICK)
            run = self.first(after, stretch)
            if run < stretch.end:
                return run
            if after + MARGIN < stretch.end < run - MARGIN:
                after = run - MARGIN
                stretch = self.tz.at(after)
            else:
                after = stretch.end - TICK
                stretch = self.tz.at(stretch.end)

    def _walk_back(self, at: datetime, stretch: Stretch) -> datetime:
        """Return the last run that is not after an instant, from stretch to stretch."""
        while True:
            run = self._last(at, stretch)
            if run >= (stretch.fresh if self.is_once else stretch.start):
                return run
            if self.is_once and self.skips(stretch):
                return stretch.start
            jump = run + MARGIN < stretch.start < at - MARGIN
            at = run + MARGIN if jump else stretch.start - TICK
            stretch = self.tz.at(at)

    def skips(self, stretch: Stretch) -> bool:
        """Say whether the change at the start of a stretch skipped a run."""
        if not stretch.gap:
            return False
        return self.first(stretch.start - stretch.gap - TICK, stretch) < stretch.start


@lru_cache(maxsize=1024)
def _times_of_day(minutes: int, hours: int) -> tuple[int, ...]:
    """List the times of day in seconds; schedules with the same ones share the list."""
    within = members(minutes)
    return tuple(3600 * hour + 60 * minute for hour in members(hours) for minute in within)


def _rebuild(minutes: int, hours: int, months: tuple[Month, ...], zone: str, dst: str) -> Calendar:
    return Calendar(minutes, hours, Days(months), load(zone), dst)
