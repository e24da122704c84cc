"""The table of runs, with what clock changes do to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from kedge.cli.durations import distance
from kedge.cli.instants import in_zone, reading, stamp
from kedge.cli.table import table

if TYPE_CHECKING:
    from kedge.cli.cron.options import Given
    from kedge.cron.effects import Effect

LAST = datetime.max.replace(tzinfo=UTC)
LONGEST_OVERLAP = timedelta(days=1)
"""The most that a clock was ever put back: a day, where a place crossed the date line."""


class Span(NamedTuple):
    """The time that a table covers, from start (excluded) to end (included).

    A reading that a clock change skips comes just before the change, so these ends suit it.
    """

    start: datetime
    end: datetime


class Row(NamedTuple):
    """One line of the table: a run, or the note of runs that did not happen."""

    at: datetime
    local: datetime
    """What the clock shows; without an offset where it shows that at no time."""
    note: str
    is_run: bool


def timetable(given: Given, rows: Sequence[Row], now: datetime) -> str:
    """Draw the table."""
    seconds = any(row.local.second for row in rows)
    cells = [
        (
            reading(row.local, seconds=seconds),
            stamp(row.at) if row.is_run else "",
            distance(row.at - now) if row.is_run else "",
            row.note,
        )
        for row in rows
    ]
    header = (f"LOCAL TIME ({given.schedule.zone})", "UTC", "FROM NOW", "NOTE")
    return table(header, cells, faint={n for n, row in enumerate(rows) if not row.is_run})


def rows_of(given: Given, runs: Sequence[datetime], span: Span) -> list[Row]:
    """Merge runs and what clock changes did in a span, in the order of time."""
    from kedge.cron.effects import effects

    # A reading that counts only the first time is known by its second pass, after the span.
    ahead = min(LONGEST_OVERLAP, LAST - span.end)
    found = list(effects(given.schedule, span.start, span.end + ahead))
    skipped = _walls(found, "skipped")
    moved = _walls(found, "moved")
    dropped = {effect.wall for effect in found if effect.kind == "dropped"}
    repeated = {effect.at for effect in found if effect.kind == "repeated"}
    rows = [
        Row(at, walls[0], _absent("skipped", walls), is_run=False)
        for at, walls in skipped.items()
        if span.start < at <= span.end
    ]
    for run in runs:
        local = in_zone(run, given.zone)
        note = ""
        if run in moved:
            note = _absent("moved", moved[run])
        elif run in repeated:
            note = f"repeated, {'second' if local.fold else 'first'} of two"
        elif not local.fold and local.replace(tzinfo=None) in dropped:
            note = "repeated, runs only the first time"
        rows.append(Row(run, local, note, is_run=True))
    return sorted(rows, key=lambda row: (row.at, row.is_run))


def _walls(effects: Iterable[Effect], kind: str) -> dict[datetime, list[datetime]]:
    """Gather the local times that one clock change takes away."""
    found: dict[datetime, list[datetime]] = defaultdict(list)
    for effect in effects:
        if effect.kind == kind:
            found[effect.at].append(effect.wall)
    return found


def _absent(what: str, walls: Sequence[datetime]) -> str:
    if len(walls) == 1:
        return f"{what}: {walls[0]:%H:%M} does not exist that day"
    return (
        f"{what}: {walls[0]:%H:%M} to {walls[-1]:%H:%M} do not exist that day ({len(walls)} runs)"
    )
