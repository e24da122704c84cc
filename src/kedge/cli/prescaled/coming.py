"""The coming warm-ups of one PreScaledCronJob and their runs, worked out as its controller does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.cli.cron.options import Given
from kedge.cli.errors import Failure
from kedge.cli.objects import instant_in, read_typed
from kedge.controllers.prescaled.plan import Plan, Refused, is_suspended, occurrences, plan_of
from kedge.cron.zones import load
from kedge.kube.times import format_time

if TYPE_CHECKING:
    from kedge.api.prescaled.kind import PreScaledCronJob
    from kedge.kube.kind import Object

LONGEST = timedelta(days=7)
"""Between a warm-up and its run; what was given by hand may be longer, and is not looked for."""
NOW = "warming up now"
AGAIN = "one more for the same run"
PAST = "too late to warm up: not run"
NONE = "no warm-up leads to it: not run"
SUSPENDED = "suspended: nothing is started until spec.cronJob.spec.suspend is false"


@dataclass(frozen=True, slots=True)
class Pair:
    """A run, and the warm-up ahead of it."""

    warm_up: datetime | None
    run: datetime
    note: str = ""


@dataclass(frozen=True, slots=True)
class Coming:
    """What a PreScaledCronJob does next, and what is to be said about that."""

    name: str
    namespace: str
    given: Given
    plan: Plan
    pairs: list[Pair]
    notes: list[str]
    is_cut: bool
    """There are more than were asked for."""


def planned(obj: Object, present: datetime) -> tuple[PreScaledCronJob, Plan]:
    """Read a PreScaledCronJob and plan its starts; Failure where it could never work."""
    known = _as_created(read_typed(PRE_SCALED_CRON_JOB, obj), present)
    plan = plan_of(known)
    if isinstance(plan, Refused):
        raise Failure(f'PreScaledCronJob "{known.metadata.name}": {plan}')
    return known, plan


def coming_pairs(obj: Object, present: datetime, until: datetime, limit: int) -> Coming:
    """Work out up to so many warm-ups until a time, and the runs that have none."""
    known, plan = planned(obj, present)
    pairs = sorted(
        {
            *islice(_warmed(known, plan, present, until), limit + 1),
            *islice(_cold(known, plan, present, until), limit + 1),
        },
        key=lambda pair: (pair.run, pair.warm_up or pair.run),
    )
    meta, schedule = known.metadata, plan.runs.schedule
    text = str(known.spec.cron_job["spec"]["schedule"])
    return Coming(
        meta.name,
        meta.namespace,
        Given(text, schedule, load(schedule.zone).info),
        plan,
        _marked(pairs[:limit]),
        [SUSPENDED] if is_suspended(known) else [],
        is_cut=len(pairs) > limit,
    )


def _as_created(obj: PreScaledCronJob, present: datetime) -> PreScaledCronJob:
    """Give one that no server has seen the time of its creation."""
    made = obj.metadata.creation_timestamp or format_time(present.replace(microsecond=0))
    meta = msgspec.structs.replace(obj.metadata, creation_timestamp=made)
    return msgspec.structs.replace(obj, metadata=meta)


def _warmed(
    obj: PreScaledCronJob, plan: Plan, present: datetime, until: datetime
) -> Iterator[Pair]:
    """Yield the warm-ups that come, and those whose run is still to come."""
    for found in occurrences(plan, _start(obj, plan, present), until):
        if found.warm_up > present:
            yield Pair(found.warm_up, found.run)
        elif found.run > present:
            yield Pair(found.warm_up, found.run, NOW)


def _cold(obj: PreScaledCronJob, plan: Plan, present: datetime, until: datetime) -> Iterator[Pair]:
    """Yield the runs until a time that no warm-up leads to."""
    reached = (found.run for found in occurrences(plan, _start(obj, plan, present), until))
    served = next(reached, None)
    run = plan.runs.next(present)
    while run is not None and run <= until:
        while served is not None and served < run:
            served = next(reached, None)
        if served != run:
            yield Pair(None, run, NONE if plan.lead is None else PAST)
        run = plan.runs.next(run)


def _start(obj: PreScaledCronJob, plan: Plan, present: datetime) -> datetime:
    """Say after which instant warm-ups count: none before the object was there."""
    if not obj.metadata.uid or is_suspended(obj):
        return present
    made = instant_in(obj.metadata.creation_timestamp) or present
    last = present - plan.lead if plan.lead is not None else plan.runs.last(present)
    return max(made, last or made, present - LONGEST)


def _marked(pairs: Sequence[Pair]) -> list[Pair]:
    """Point out where several warm-ups lead to one run, which takes place as often."""
    seen: set[datetime] = set()
    marked = []
    for pair in pairs:
        is_again = pair.run in seen and not pair.note
        marked.append(Pair(pair.warm_up, pair.run, AGAIN) if is_again else pair)
        seen.add(pair.run)
    return marked
