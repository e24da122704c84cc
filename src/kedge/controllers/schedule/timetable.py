"""The instants of one schedule, with its own stable delay. Pure."""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Final

from kedge.cron import CronError, Schedule, parse
from kedge.cron.every import Every

NONE: Final = timedelta(0)
COUNT_LIMIT: Final = 1000
"""Missed runs are counted up to here; who missed more wants to know that, not how many."""
EMPTY: Final = "Schedule must be a non-empty valid Cron expression"


class BadExpression(ValueError):
    """An expression that can not be used, in words that Velero's users know."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """When a schedule is due: at each instant of its expression, a fixed delay later."""

    cron: Schedule
    delay: timedelta = NONE

    def next(self, base: datetime) -> datetime:
        """Give the first instant after another one."""
        following = self.cron.next(base - self.delay)
        if following is None:
            raise BadExpression("invalid schedule: it has no run before the year 10000")
        return following + self.delay

    def latest(self, base: datetime, now: datetime) -> tuple[datetime, int]:
        """Give the last instant before now, and how many there were between it and the base.

        There must be one: `next(base)` is past. No more than COUNT_LIMIT are counted.
        """
        first = self.next(base)
        if isinstance(self.cron, Every):
            step = timedelta(seconds=self.cron.seconds)
            count = max(0, math.ceil((now - first) / step) - 1)
            return first + count * step, min(count, COUNT_LIMIT)
        last = self.cron.prev(now - self.delay)
        due = first if last is None else last + self.delay
        between = self.cron.between(first - self.delay, due - self.delay)
        return due, sum(1 for _ in islice(between, COUNT_LIMIT))


def timetable(expression: str, dst: str, jitter: timedelta, uid: str) -> Timetable:
    """Read an expression; raises BadExpression, also for one that never comes true."""
    if not expression.strip():
        raise BadExpression(EMPTY)
    try:
        return Timetable(_parsed(expression, dst), stable_delay(jitter, uid))
    except CronError as exc:
        raise BadExpression(f"invalid schedule: {exc}") from exc


@lru_cache(maxsize=4096)
def _parsed(expression: str, dst: str) -> Schedule:
    """Read an expression once: a schedule is looked at many times."""
    return parse(expression, dst=dst)


def stable_delay(jitter: timedelta, uid: str) -> timedelta:
    """Give a delay of less than the jitter, in whole seconds, always the same for one uid."""
    seconds = int(jitter.total_seconds())
    if seconds <= 0:
        return NONE
    digest = hashlib.sha256(uid.encode()).digest()
    return timedelta(seconds=int.from_bytes(digest[:8]) % seconds)
