"""`kedge schedule describe`: all about schedules, for people."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.description import Description, coming, flag
from kedge.cli.durations import span
from kedge.cli.flags import FlagCommand
from kedge.cli.instants import now
from kedge.cli.objects import time_text
from kedge.cli.output import write
from kedge.cli.selection import Wanted, find_objects, look_options

if TYPE_CHECKING:
    from kedge.api.options import ScheduleOptions
    from kedge.api.velero.schedule import Schedule
    from kedge.kube.kind import Object

NEVER = "<never>"
COLOURS = {"Enabled": "green", "FailedValidation": "red"}


@click.command("describe", cls=FlagCommand)
@look_options
@connection_options
def describe(wanted: Wanted) -> None:
    """Tell all about schedules.

    What Velero tells comes first and in its layout; then the next run, what was skipped, the
    options of Kedge and the conditions.
    """
    from kedge.cli.schedule.kind import SCHEDULES

    found = on_cluster(lambda client: find_objects(client, SCHEDULES, wanted))
    present = now()
    write("\n\n".join(description(one, present) for one in found.objects))
    found.end("schedules")


def description(schedule: Object, present: datetime) -> str:
    """Describe one Schedule."""
    from kedge.cli.backup.spec import describe_policy, describe_spec
    from kedge.cli.schedule.kind import typed

    read = typed(schedule)
    status = read.status
    phase = status.phase or "New"
    text = Description()
    text.metadata(schedule)
    text.blank()
    text.state("Phase:", phase, COLOURS)
    describe_policy(text, read.spec.template)
    text.errors("Validation errors:", status.validation_errors)
    text.blank()
    text.line("Paused:", flag(read.spec.paused, "false"))
    text.blank()
    text.line("Schedule:", read.spec.schedule)
    text.blank()
    text.line("Backup Template:")
    text.indent = 1
    describe_spec(text, read.spec.template)
    text.indent = 0
    text.blank()
    text.line("Last Backup:", time_text(status.last_backup, NEVER))
    _beyond(text, schedule, read, present)
    return str(text)


def _beyond(text: Description, raw: Object, schedule: Schedule, present: datetime) -> None:
    """Add what Velero does not tell."""
    from kedge.api.options import options_of

    text.blank()
    run = schedule.status.next_run or _worked_out(raw, schedule, present)
    text.line("Next Run:", coming(run, present))
    text.line("Last Skipped:", time_text(schedule.status.last_skipped, NEVER))
    text.line("Skip Immediately:", flag(schedule.spec.skip_immediately, "<as the server says>"))
    _options(text, options_of(schedule.metadata.annotations))
    text.conditions(schedule.status.conditions)


def _worked_out(raw: Object, schedule: Schedule, present: datetime) -> str | None:
    """Work out the next run where no server of ours has told it: a stock Velero does not."""
    from kedge.cli.errors import Failure
    from kedge.cli.schedule.coming import coming_runs
    from kedge.kube.times import format_time

    if schedule.spec.paused:
        return None
    try:
        runs = coming_runs(raw, present, 1, None).runs
    except Failure:
        return None
    return format_time(runs[0]) if runs else None


def _options(text: Description, options: ScheduleOptions) -> None:
    """Add the options of ours that are set, and what is wrong with them."""
    rows = option_rows(options)
    if rows or options.errors or options.warnings:
        text.blank()
        text.line("Kedge Options:")
    for name, value in rows:
        text.line(name, value, depth=1)
    for problem in (*options.errors, *options.warnings):
        text.line("Problem:", problem, depth=1)


def option_rows(options: ScheduleOptions) -> list[tuple[str, str]]:
    """Write the options that are not at their defaults."""
    from kedge.api.options import ScheduleOptions
    from kedge.kube.times import format_time

    usual = ScheduleOptions()
    rows = []
    if options.missed_runs != usual.missed_runs:
        rows.append(("Missed Runs:", str(options.missed_runs)))
    if options.starting_deadline is not None:
        rows.append(("Starting Deadline:", span(options.starting_deadline, units=4)))
    if options.dst != usual.dst:
        rows.append(("DST:", str(options.dst)))
    if options.jitter:
        rows.append(("Jitter:", f"up to {span(options.jitter, units=4)}"))
    if options.pause_until is not None:
        rows.append(("Pause Until:", time_text(format_time(options.pause_until), "")))
    if options.skip_always:
        rows.append(("Skip Immediately:", "always"))
    return rows
