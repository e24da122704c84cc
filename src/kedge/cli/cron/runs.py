"""`kedge cron next`, `prev` and `between`: lists of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice

import click

from kedge.cli.cron.options import (
    CronCommand,
    Given,
    after_option,
    count_option,
    instant_option,
    schedule_arguments,
)
from kedge.cli.errors import complain
from kedge.cli.instants import Moment, now, stamp
from kedge.cli.output import output_option, show

MANY = 1000
"""Runs that `between` lists unless told otherwise: a year of `* * * * *` is half a million."""


@click.command("next", cls=CronCommand)
@schedule_arguments
@after_option
@count_option
@output_option
def next_(given: Given, after: Moment, count: int, output: str) -> None:
    """List the coming runs.

    The table also has a line for each run that a clock change skips, and marks those that it
    repeats.
    """
    start = after.at(given.zone)
    runs = list(islice(chain(given.schedule.next, start), count))

    def table() -> str:
        from kedge.cli.cron.rows import Span, rows_of, timetable

        rows = rows_of(given, runs, Span(start, runs[-1] if runs else start))
        text = timetable(given, rows, now())
        return text if len(runs) == count else text + "no further runs\n"

    show(output, _document(given, "next", runs), table)


@click.command("prev", cls=CronCommand)
@schedule_arguments
@instant_option("--before", "Start before this time.", default="now", show_default=True)
@count_option
@output_option
def prev(given: Given, before: Moment, count: int, output: str) -> None:
    """List the past runs, the latest first."""
    end = before.at(given.zone)
    runs = list(islice(chain(given.schedule.prev, end), count))

    def table() -> str:
        from kedge.cli.cron.rows import Span, rows_of, timetable

        rows = rows_of(given, runs, Span(runs[-1] if runs else end, end))
        text = timetable(given, rows[::-1], now())
        return text if len(runs) == count else text + "no earlier runs\n"

    show(output, _document(given, "prev", runs), table)


@click.command("between", cls=CronCommand)
@schedule_arguments
@instant_option("--start", "List from this time on.", required=True)
@instant_option("--end", "Stop short of this time.", required=True)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=MANY,
    show_default=True,
    metavar="N",
    help="Stop after so many runs; 0 is no limit.",
)
@output_option
def between(given: Given, start: Moment, end: Moment, limit: int, output: str) -> None:
    """List the runs from one time to another.

    A run at --start is listed, one at --end is not.
    """
    first, last = start.at(given.zone), end.at(given.zone)
    if last < first:
        raise click.BadParameter(
            "it is before --start", click.get_current_context(), param_hint="'--end'"
        )
    every = given.schedule.between(first, last)
    runs = list(islice(every, limit or None))
    if is_cut := bool(limit) and next(every, None) is not None:
        last = runs[-1]

    def table() -> str:
        from kedge.cli.cron.rows import Span, rows_of, timetable

        rows = rows_of(given, runs, Span(first, last))
        return timetable(given, rows, now()) or "no runs in this time\n"

    show(output, _document(given, "between", runs), table)
    if is_cut:
        complain(f"stopped after {limit} runs; --limit 0 lists them all")


def chain(step: Callable[[datetime], datetime | None], start: datetime) -> Iterator[datetime]:
    """Yield what a step leads to, again and again, until it leads nowhere."""
    at = step(start)
    while at is not None:
        yield at
        at = step(at)


def _document(given: Given, key: str, runs: list[datetime]) -> dict[str, object]:
    return {
        "expression": given.expression,
        "zone": given.schedule.zone,
        key: [stamp(run) for run in runs],
    }
