"""The coming runs of one Schedule, worked out as its controller does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import TYPE_CHECKING

import msgspec

from kedge.cli.cron.options import Given
from kedge.cli.cron.rows import Span, rows_of, timetable
from kedge.cli.cron.runs import chain
from kedge.cli.durations import span
from kedge.cli.errors import Failure
from kedge.cli.instants import Moment, in_zone, stamp
from kedge.cli.schedule.kind import typed
from kedge.cli.table import facts as pairs
from kedge.controllers.schedule.decide import Decision, Facts, Hold, Missed, Run, Skip, decide
from kedge.controllers.schedule.reading import Wrong, read
from kedge.controllers.schedule.timetable import BadExpression
from kedge.cron.zones import load
from kedge.kube.times import TimeError, format_time

if TYPE_CHECKING:
    from kedge.api.velero.schedule import Schedule
    from kedge.kube.kind import Object


@dataclass(frozen=True, slots=True)
class Coming:
    """When a Schedule runs next, and what is to be said about that."""

    name: str
    namespace: str
    given: Given
    delay: timedelta
    """By how much each run is put off."""
    start: datetime
    runs: list[datetime]
    notes: list[str]
    is_cut: bool
    """There are more runs than were asked for."""


def coming_runs(schedule: Object, present: datetime, limit: int, until: Moment | None) -> Coming:
    """Work out up to so many runs, and none after `until`; Failure where it can not run."""
    known = _as_created(typed(schedule), present)
    name = known.metadata.name
    try:
        facts = read(known)
        if isinstance(facts, Wrong):
            raise Failure(*(f'Schedule "{name}": {error}' for error in facts.errors))
        return _worked_out(known, facts, present, limit, until)
    except (BadExpression, TimeError) as exc:
        raise Failure(f'Schedule "{name}": {exc}') from exc


def _as_created(schedule: Schedule, present: datetime) -> Schedule:
    """Give a Schedule that no server has seen the time of its creation."""
    made = schedule.metadata.creation_timestamp or format_time(present)
    meta = msgspec.structs.replace(schedule.metadata, creation_timestamp=made)
    return msgspec.structs.replace(schedule, metadata=meta)


def _worked_out(
    known: Schedule, facts: Facts, present: datetime, limit: int, until: Moment | None
) -> Coming:
    held = decide(facts, (), present, skips=False)
    start = held.wake or present if isinstance(held, Hold) else present
    free = replace(facts, is_paused=False, pause_until=None)
    decision = decide(free, (), start, skips=False)
    table = facts.timetable
    zone = load(table.cron.zone).info
    given = Given(known.spec.schedule, table.cron, zone)
    delay = table.delay if known.metadata.uid else timedelta(0)
    every = _instants(decision, facts, delay)
    if until is not None:
        last = until.at(zone)
        every = takewhile(lambda run: run <= last, every)
    runs = list(islice(every, limit))
    is_cut = len(runs) == limit and next(every, None) is not None
    notes = list(_notes(known, facts, held, decision))
    meta = known.metadata
    return Coming(meta.name, meta.namespace, given, delay, start, runs, notes, is_cut)


def _instants(decision: Decision, facts: Facts, delay: timedelta) -> Iterator[datetime]:
    """Give the runs from the first one that is still to come."""
    assert not isinstance(decision, Hold)
    table = facts.timetable
    first = decision.next - table.delay
    yield first + delay
    for run in chain(table.cron.next, first):
        yield run + delay


def _notes(schedule: Schedule, facts: Facts, held: Decision, decision: Decision) -> Iterator[str]:
    """Say what stands in the way of runs, or comes before them."""
    wake = held.wake if isinstance(held, Hold) else None
    if isinstance(held, Hold):
        yield f"paused until {stamp(wake) if wake else 'it is unpaused'}: no backups before that"
    if facts.timetable.delay and not schedule.metadata.uid:
        yield "each run comes later by its jitter, which is known once the schedule is created"
    match decision:
        case Run(due) if isinstance(held, Hold):
            yield f"the run of {stamp(due)} is made up for as soon as the pause ends"
        case Run(due):
            yield f"a run is due since {stamp(due)}, and made as soon as it can be"
        case Missed(due):
            yield f"the run of {stamp(due)} is missed, and not made up for"
        case Skip():
            yield "a run that is due at once is skipped"
    for condition in schedule.status.conditions or ():
        if condition.get("type") == "Blocked" and condition.get("status") == "True":
            yield str(condition.get("message"))


def described(coming: Coming, present: datetime) -> str:
    """Write the facts and the table. Ends with a newline."""
    schedule = coming.given.schedule
    rows = [
        ("Schedule", coming.name),
        ("Expression", coming.given.expression),
        ("In words", schedule.explain()),
    ]
    if schedule.dst != "wall":
        rows.append(("Clock changes", "each run takes place once"))
    if coming.delay:
        rows.append(("Jitter", f"each run {span(coming.delay, units=4)} later"))
    rows += [("Note", note) for note in coming.notes]
    return f"{pairs(rows)}\n{_table(coming, present)}"


def _table(coming: Coming, present: datetime) -> str:
    """Draw the table: clock changes act on the expression, and the delay comes after."""
    if not coming.runs:
        return "no runs in this time\n"
    plain = [run - coming.delay for run in coming.runs]
    rows = rows_of(coming.given, plain, Span(coming.start - coming.delay, plain[-1]))
    moved = [
        row._replace(at=at, local=in_zone(at, coming.given.zone))
        if row.is_run and (at := row.at + coming.delay)
        else row
        for row in rows
    ]
    return timetable(coming.given, moved, present)
