"""Runs at times of day on the clock of a zone.

The daylight-saving law, in one place. A zone is a chain of stretches with one offset each. Within
a stretch the local clock runs like any other, so a run is found by its reading alone, and counts
if it lies in the stretch:

- `wall`: every instant whose reading matches is a run. A skipped reading has no instant, a
  repeated one has two.
- `once`: a reading counts only where the clock shows it for the first time (`Stretch.fresh`),
  and the readings that a change skips are run at the change, together.
"""

from bisect import bisect_left, bisect_right
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache

from kedge.cron.days import Days, Pattern
from kedge.cron.fields import HOUR, members
from kedge.cron.schedule import Schedule, in_utc
from kedge.cron.zones import FIRST, LAST, TICK, Stretch, Zone, load

DAYS = tuple(timedelta(days) for days in range(32))
"""Ready-made: to build one takes longer than the rest of an answer."""
MARGIN = timedelta(days=2)
"""More than any two offsets differ by: a run found with the wrong offset is no further off."""

Today = tuple[datetime, int, datetime, datetime]
"""A day with runs that no change touches: its first instant, its number, and the earliest and the
latest first instant of days of which the same is true, without a change between."""
NO_DAY: Today = (LAST, 0, LAST, FIRST)


class Calendar(Schedule):
    """Runs at certain times of certain days on the clock of a zone."""

    __slots__ = ("_deltas", "_dst", "_today", "days", "hours", "is_once", "minutes", "times", "tz")

    def __init__(self, minutes: int, hours: int, days: Days, zone: Zone, dst: str) -> None:
        self.minutes = minutes
        self.hours = hours
        self.days = days
        self.tz = zone
        self._dst = dst
        # With every hour in the set the schedule has a rhythm, which no change should break.
        self.is_once = dst == "once" and hours != HOUR.full and not zone.is_fixed
        self.times, self._deltas = _times_of_day(minutes, hours)
        self._today = NO_DAY  # the day of the last answer; whoever asks next asks near it

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
        midnight, day, since, until = self._today
        reading = after - midnight
        try:
            if not reading.days:
                index = bisect_right(self.times, reading.seconds)
                if index < len(self.times):
                    return midnight + self._deltas[index]
                first = self.days.first(day + 1)
                ahead = first - day
                midnight += DAYS[ahead] if ahead < 32 else timedelta(ahead)
                if midnight <= until:
                    self._today = midnight, first, since, until
                    return midnight + self._deltas[0]
            return self._walk_on(after, self.tz.at(after))
        except OverflowError:
            return None

    def prev(self, before: datetime) -> datetime | None:
        """Return the last run strictly before an instant, in UTC; None before the year 1."""
        if before.tzinfo is not UTC:
            before = in_utc(before)
        midnight, day, since, until = self._today
        reading = before - midnight
        try:
            if not reading.days:
                index = bisect_left(self.times, reading.seconds + (reading.microseconds > 0))
                if index:
                    return midnight + self._deltas[index - 1]
                last = self.days.last(day - 1)
                back = day - last
                midnight -= DAYS[back] if back < 32 else timedelta(back)
                if midnight >= since:
                    self._today = midnight, last, since, until
                    return midnight + self._deltas[-1]
            at = before - TICK
            return self._walk_back(at, self.tz.at(at))
        except OverflowError:
            return None

    def matches(self, instant: datetime) -> bool:
        """Say whether an instant is a run."""
        instant = in_utc(instant)
        stretch = self.tz.at(instant)
        if self.is_once and instant < stretch.fresh:
            return False
        if self.is_once and instant == stretch.start and self.skips(stretch):
            return True
        return self._reads(instant - stretch.epoch)

    def explain(self) -> str:
        """Say in plain English when it runs."""
        from kedge.cron.explain import explain_calendar

        return explain_calendar(self.minutes, self.hours, self.days, self.zone)

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
        return self.minutes, self.hours, self.days, self.tz, self.is_once

    def _reads(self, reading: timedelta) -> bool:
        """Say whether the clock shows a time that is in the sets."""
        minute, second = divmod(reading.seconds, 60)
        if second or reading.microseconds or not self.minutes >> minute % 60 & 1:
            return False
        return bool(self.hours >> minute // 60 & 1) and reading.days in self.days

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
                return self._remembered(run, stretch)
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
                return self._remembered(run, stretch)
            if self.is_once and self.skips(stretch):
                return stretch.start
            jump = run + MARGIN < stretch.start < at - MARGIN
            at = run + MARGIN if jump else stretch.start - TICK
            stretch = self.tz.at(at)

    def _remembered(self, run: datetime, stretch: Stretch) -> datetime:
        """Keep the day of a run if it lies whole in its stretch."""
        day = (run - stretch.epoch).days
        midnight = stretch.epoch + timedelta(day)
        until = stretch.end - DAYS[1]
        if stretch.fresh <= midnight <= until:
            self._today = midnight, day, stretch.fresh, until
        return run

    def skips(self, stretch: Stretch) -> bool:
        """Say whether the change at the start of a stretch skipped a run."""
        if not stretch.gap:
            return False
        return self.first(stretch.start - stretch.gap - TICK, stretch) < stretch.start


@lru_cache(maxsize=1024)
def _times_of_day(minutes: int, hours: int) -> tuple[tuple[int, ...], tuple[timedelta, ...]]:
    """List the times of day, in seconds and as durations; equal schedules share the lists."""
    within = members(minutes)
    times = tuple(3600 * hour + 60 * minute for hour in members(hours) for minute in within)
    durations = _durations()
    return times, tuple(durations[seconds // 60] for seconds in times)


@cache
def _durations() -> list[timedelta]:
    """Make the duration from midnight to each minute of a day, once."""
    return [timedelta(0, 60 * minute) for minute in range(1440)]


def _rebuild(minutes: int, hours: int, months: Pattern, zone: str, dst: str) -> Calendar:
    return Calendar(minutes, hours, Days(months), load(zone), dst)
