"""A small model of schedules, written from the design's own words, and a life to lead with it.

The model sweeps: after each instant of the expression, and after each thing that a person does, it
asks `getNextRunTime`. It shares no code with the controller, and reads expressions with another
library.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cronsim import CronSim

INSTANT = timedelta(milliseconds=1)
"""A run is due after its instant."""


@dataclass(frozen=True)
class Act:
    """What a person does."""

    at: datetime
    what: str
    value: str = ""


@dataclass(frozen=True)
class Span:
    """The time that is lived through, and how often a person does something, at the least."""

    start: datetime
    length: timedelta
    seldom: timedelta

    @property
    def end(self) -> datetime:
        """When it is over."""
        return self.start + self.length


def acts(dice: random.Random, span: Span, expressions: Sequence[str]) -> list[Act]:
    """Make up what happens."""
    found: list[Act] = []
    at = span.start
    while True:
        at += timedelta(seconds=dice.randrange(3600, int(span.seldom.total_seconds())))
        if at > span.end:
            return found
        what = dice.choice(["pause", "unpause", "unpause", "skip", "keep", "edit", "restart"])
        found.append(Act(at, what, dice.choice(expressions)))


def duration(dice: random.Random) -> timedelta:
    """Make up how long a Backup takes."""
    return timedelta(seconds=dice.randrange(1, 3 * 86400))


@dataclass
class Model:
    """The design document, read aloud."""

    span: Span
    expression: str
    skip: bool | None
    server: bool
    durations: random.Random
    paused: bool = False
    is_fresh: bool = True
    last_backup: datetime | None = None
    last_skipped: datetime | None = None
    busy_until: datetime | None = None
    backups: list[str] = field(default_factory=list)
    skipped: list[datetime] = field(default_factory=list)

    def do(self, act: Act) -> None:
        """Have a person do something."""
        if act.what == "pause":
            self.paused = True
        elif act.what == "unpause" and self.paused:
            self.paused, self.is_fresh = False, True
        elif act.what == "skip":
            self.skip = True
        elif act.what == "keep":
            self.skip = False
        elif act.what == "edit":
            self.expression = act.value

    def sweep(self, now: datetime) -> None:
        """Look, and look again while there is something to do."""
        while self._look(now):
            pass

    def _look(self, now: datetime) -> bool:
        if self.paused:
            return False
        base = self.last_backup or self.span.start
        if self.last_skipped is not None and self.last_skipped > base:
            base = self.last_skipped
        following = next(CronSim(self.expression, base))
        is_due = now > following
        wish = self.server if self.skip is None else self.skip
        may_skip = self.is_fresh or (
            self.skip is True
            and not is_due
            and (
                self.last_skipped is None
                or next(CronSim(self.expression, self.last_skipped)) <= now
            )
        )
        if wish and may_skip:
            self.last_skipped = now
            self.skipped.append(now)
            self.skip = None if self.skip else self.skip
            self.is_fresh = False
            return True
        self.is_fresh = False
        if is_due and (self.busy_until is None or now >= self.busy_until):
            due = next(CronSim(self.expression, now, reverse=True))
            self.backups.append(f"{due:%Y%m%d%H%M%S}")
            self.last_backup = now
            self.busy_until = now + duration(self.durations)
            return True
        return False

    def run(self, todo: list[Act]) -> None:
        """Live through all of it."""
        now, end = self.span.start, self.span.end
        self.sweep(now)
        while True:
            tick = next(CronSim(self.expression, now)) + INSTANT
            freed = self.busy_until if self.busy_until and self.busy_until > now else end
            act_at = todo[0].at if todo else end
            now = min(tick, freed, act_at)
            if now >= end:
                return
            if todo and todo[0].at == now:
                self.do(todo.pop(0))
            self.sweep(now)
