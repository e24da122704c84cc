"""Two years of random schedules, against a small model written from the design's own words.

Ours wakes only when its last decision said so, or something has changed; it crashes now and then
between a Backup and the status that tells of it.
"""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from kedge.controllers.schedule.decide import (
    INSTANT,
    Blocked,
    Child,
    Facts,
    Hold,
    Missed,
    Run,
    Skip,
    Wait,
    decide,
)
from kedge.controllers.schedule.timetable import timetable
from tests.unit.controllers.schedule.model import Act, Model, Span, acts, duration

SPAN = Span(
    datetime(2026, 3, 3, 5, 7, 11, tzinfo=UTC), timedelta(days=730), seldom=timedelta(days=40)
)
EXPRESSIONS = ("0 1 * * *", "30 */6 * * *", "15 3 1 * *", "45 2 * * 1", "0 12 1-7 * *", "5 4 * 2 *")


@dataclass
class Ours:
    """A stand-in for the API: what the controller reads and writes."""

    expression: str
    skip: bool | None
    server: bool
    durations: random.Random
    crashes: random.Random
    paused: bool = False
    phase: str = ""
    was_paused: bool = False
    last_backup: datetime | None = None
    last_skipped: datetime | None = None
    children: dict[str, tuple[Child, datetime]] = field(default_factory=dict)
    skipped: list[datetime] = field(default_factory=list)
    wake: datetime | None = None

    def do(self, act: Act) -> None:
        if act.what in {"pause", "unpause"}:
            self.paused = act.what == "pause"
        elif act.what in {"skip", "keep"}:
            self.skip = act.what == "skip"
        elif act.what == "edit":
            self.expression = act.value

    def facts(self) -> Facts:
        return Facts(
            timetable(self.expression, "wall", timedelta(0), "uid"),
            created=SPAN.start,
            last_backup=self.last_backup,
            last_skipped=self.last_skipped,
            is_paused=self.paused,
            is_new=not self.phase,
            was_paused=self.was_paused,
            skip=self.skip,
        )

    def reconcile(self, now: datetime) -> None:
        found = [
            Child(name, child.created, is_finished=now >= ends, due=child.due)
            for name, (child, ends) in self.children.items()
        ]
        decision = decide(self.facts(), found, now, self.server)
        match decision:
            case Hold():
                self.was_paused, self.wake = True, None
            case Skip():
                self.last_skipped = now
                self.skipped.append(now)
                self.skip = None if decision.clears_spec else self.skip
                self.was_paused, self.wake = False, now
            case Wait():
                self.last_backup, self.was_paused = decision.last_backup, False
                self.wake = decision.next + INSTANT
            case Run():
                name = f"{decision.due:%Y%m%d%H%M%S}"
                assert name not in self.children, "one instant, one Backup"
                ends = now + duration(self.durations)
                child = Child(name, now, is_finished=False, due=decision.due)
                self.children[name] = (child, ends)
                self.wake = now
                if self.crashes.random() < 0.2:
                    return  # before the status: the next reconcile finds the Backup
                self.last_backup, self.was_paused = now, False
            case Blocked():
                self.was_paused, self.wake = False, decision.wake
            case Missed():
                raise AssertionError("there is no deadline")
        self.phase = "Enabled"

    def run(self, todo: list[Act]) -> None:
        """Live through two years."""
        now, end = SPAN.start, SPAN.end
        self.reconcile(now)
        while True:
            ends = [when for _, when in self.children.values() if when > now]
            times = [*ends, self.wake or end, todo[0].at if todo else end]
            upcoming = min(times)
            if upcoming >= end:
                return
            now = max(now, upcoming)
            if todo and todo[0].at == now:
                self.do(todo.pop(0))
            self.reconcile(now)


SEEDS = [*range(15), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 50))]


@pytest.mark.parametrize("seed", SEEDS)
def test_two_years_are_as_the_design_says(seed: int) -> None:
    dice = random.Random(seed)
    todo = acts(dice, SPAN, EXPRESSIONS)
    expression = dice.choice(EXPRESSIONS)
    skip, server = dice.choice([None, True, False]), dice.random() < 0.5
    model = Model(SPAN, expression, skip, server, random.Random(seed))
    model.run(list(todo))
    ours = Ours(expression, skip, server, random.Random(seed), random.Random(seed))
    ours.run(list(todo))
    assert list(ours.children) == model.backups
    assert ours.skipped == model.skipped
    assert (ours.last_backup, ours.last_skipped) == (model.last_backup, model.last_skipped)
    assert len(model.backups) > 3
