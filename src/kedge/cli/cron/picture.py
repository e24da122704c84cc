"""A week of a schedule as a picture: a row a day, a column an hour."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from kedge.cli.instants import WEEKDAYS, in_zone
from kedge.cli.screen import can_show, styled

if TYPE_CHECKING:
    from kedge.cron import Schedule

DAYS = 7
MINUTE = timedelta(minutes=1)
FULL = 60
"""Runs after which an hour has had its share: only `@every` with seconds has more."""

Cell = tuple[date, int]


class Marks(NamedTuple):
    """The characters of a picture."""

    none: str
    one: str
    several: str


DOTS = Marks("·", "○", "●")
LETTERS = Marks(".", "o", "#")
ABSENT = " "


def draw_week(schedule: Schedule, zone: tzinfo, now: datetime) -> str:
    """Draw the seven local days that start with today's. Ends with a newline."""
    marks = DOTS if can_show("".join(DOTS)) else LETTERS
    here = in_zone(now, zone)
    days = [here.date() + timedelta(days=n) for n in range(DAYS)]
    seen = _runs_by_hour(schedule, zone, now, days)
    ruler = "".join(f"{hour:<6}" for hour in range(0, 24, 3)).rstrip()
    lines = [styled(f"{'':12}{ruler}", dim=True)]
    for day in days:
        cells = [_cell(seen, (day, hour), zone, marks) for hour in range(24)]
        if day == here.date():
            cells[: here.hour] = [styled(cell, dim=True) for cell in cells[: here.hour]]
        lines.append(f"{WEEKDAYS[day.weekday()]} {day:%m-%d}   {' '.join(cells)}".rstrip())
    lines.append("")
    lines.append(f"{marks.none} none   {marks.one} one run   {marks.several} several, in that hour")
    return "\n".join(lines) + "\n"


def _cell(seen: Counter[Cell], cell: Cell, zone: tzinfo, marks: Marks) -> str:
    if not seen[cell]:
        return marks.none if _exists(cell, zone) else ABSENT
    return styled(marks.one if seen[cell] == 1 else marks.several, fg="green", bold=True)


def _exists(cell: Cell, zone: tzinfo) -> bool:
    """Say whether the clock shows this hour, or a part of it, on this day."""
    day, hour = cell
    for minute in (0, 59):
        wall = datetime.combine(day, time(hour, minute), zone)
        if wall.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == wall.replace(tzinfo=None):
            return True
    return False


def _runs_by_hour(
    schedule: Schedule, zone: tzinfo, now: datetime, days: list[date]
) -> Counter[Cell]:
    """Count the runs of each hour, from now back to the first day and on to the last one."""
    seen: Counter[Cell] = Counter()
    run = schedule.prev(now + datetime.resolution)
    while run is not None and (local := in_zone(run, zone)).date() >= days[0]:
        seen[local.date(), local.hour] += 1
        run = schedule.prev(run)
    run = schedule.next(now)
    while run is not None and (local := in_zone(run, zone)).date() <= days[-1]:
        cell = local.date(), local.hour
        seen[cell] += 1
        run = schedule.next(run if seen[cell] < FULL else run + (59 - local.minute) * MINUTE)
    return seen
