"""Where a rolling CronJob points next, and what was slept through. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Final

from kedge.api.prescaled.kind import PreScaledCronJob
from kedge.controllers.prescaled.children import Pointing, deadline_seconds, first_served, runs_text
from kedge.controllers.prescaled.heads import Child, instant_of
from kedge.controllers.prescaled.plan import Rolling
from kedge.controllers.prescaled.runs import MINUTE, Occurrence

GRACE: Final = timedelta(seconds=10)
"""The CronJob controller has so long before we do its work: it is a second late at most."""
MOST: Final = 1000
"""Missed runs are counted up to here."""


@dataclass(frozen=True, slots=True)
class Rolled:
    """What is to be done, and when to look again."""

    pointing: Pointing | None
    """Where the CronJob is to point; None: there is nothing left to point to."""
    starts: tuple[Occurrence, ...] = ()
    """Runs to come whose start did not take place."""
    missed: int = 0
    """Runs that are past, and were not started."""
    wake: datetime | None = None


@dataclass(frozen=True, slots=True)
class State:
    """How far a rolling plan has come."""

    served: datetime
    """Runs up to here are done with."""
    last_start: datetime | None = None
    """The last that the CronJob controller started."""
    started: datetime | None = None
    """The last that we started in its stead."""


def state_of(obj: PreScaledCronJob, plan: Rolling, child: Child | None, now: datetime) -> State:
    """Read how far it has come; what was recorded for another schedule does not count."""
    if child is None:
        return State(first_served(obj, plan))
    served = instant_of(child.marks.served)
    if served is None:
        # It was static until now.
        known = (first_served(obj, plan) - plan.lead, child.created, child.last_start)
        served = max(at for at in known if at is not None) + plan.lead
    elif child.marks.runs != runs_text(plan.runs):
        served = min(served, now)
    return State(served, child.last_start, instant_of(child.marks.started))


def roll(plan: Rolling, state: State, now: datetime) -> Rolled:
    """Say what has become due, and where to point then."""
    served, missed = _past(plan, state, min(now, now - GRACE + plan.lead))
    starts = []
    run = plan.runs.next(served)
    while run is not None and run - plan.lead <= now:
        start = run - plan.lead
        if start != state.last_start:
            if now < start + GRACE:
                break
            starts.append(Occurrence(start, run))
        served = run
        run = plan.runs.next(run)
    if run is None:
        return Rolled(None, tuple(starts), missed)
    start = run - plan.lead
    idle = _idle_until(plan, start)
    pointing = Pointing(Occurrence(start, run), served, is_idle=now < idle)
    wake = start if start > now else start + GRACE
    return Rolled(pointing, tuple(starts), missed, idle if pointing.is_idle else wake)


def rest(plan: Rolling, state: State) -> Pointing | None:
    """Say where a CronJob points that starts nothing: it does not move meanwhile."""
    run = plan.runs.next(state.served)
    if run is None:
        return None
    return Pointing(Occurrence(run - plan.lead, run), state.served, started=state.started)


def _past(plan: Rolling, state: State, over: datetime) -> tuple[datetime, int]:
    """Pass over the runs that nothing can be done for any more, and count those not started."""
    missed, run = 0, plan.runs.next(state.served)
    if run is None or run > over:
        return state.served, 0
    while run is not None and run <= over and missed < MOST:
        missed += run - plan.lead != state.last_start
        run = plan.runs.next(run)
    return plan.runs.last(over) or state.served, missed


def _idle_until(plan: Rolling, start: datetime) -> datetime:
    """Say until when the CronJob controller could take the text for that of an earlier year."""
    wait = timedelta(seconds=deadline_seconds(plan)) + MINUTE
    for years in count(1):
        try:
            return start.replace(year=start.year - years) + wait
        except ValueError:
            continue  # 29 February
    raise AssertionError
