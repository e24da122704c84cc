"""The runs of a schedule, `@every` among them, and what is started ahead of them. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from kedge.cron import Schedule, parse
from kedge.cron.every import Every

MINUTE: Final = timedelta(minutes=1)
TICK: Final = timedelta(microseconds=1)
PREFIXES: Final = ("TZ=", "CRON_TZ=")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One start ahead of time, and the run that it is for."""

    warm_up: datetime
    run: datetime


@dataclass(frozen=True, slots=True)
class Runs:
    """When the work is to begin."""

    schedule: Schedule
    anchor: datetime | None = None
    """From where `@every` is counted; without one, from wherever somebody asks."""

    def next(self, after: datetime) -> datetime | None:
        """Give the first run after an instant."""
        if not isinstance(self.schedule, Every) or self.anchor is None:
            return self.schedule.next(after)
        step = self.schedule.interval
        return _nth(self.anchor, step, max(1, (after - self.anchor) // step + 1))

    def last(self, now: datetime) -> datetime | None:
        """Give the last run that is not after an instant."""
        if not isinstance(self.schedule, Every) or self.anchor is None:
            return self.schedule.prev(now + TICK)
        number = (now - self.anchor) // self.schedule.interval
        return _nth(self.anchor, self.schedule.interval, number) if number > 0 else None

    def matches(self, instant: datetime) -> bool:
        """Tell whether an instant is a run."""
        return self.last(instant) == instant


def _nth(anchor: datetime, step: timedelta, number: int) -> datetime | None:
    try:
        return anchor + number * step
    except OverflowError:
        return None


@lru_cache(maxsize=4096)
def parsed(text: str, zone: str | None) -> Schedule:
    """Read an expression once: it is looked at many times."""
    return parse(text, zone=zone)


def without_zone(text: str) -> str:
    """Give an expression without the time zone in front of it."""
    return text.partition(" ")[2].strip() if text.startswith(PREFIXES) else text
