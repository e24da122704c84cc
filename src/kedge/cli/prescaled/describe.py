"""`kedge prescaled describe`: all about PreScaledCronJobs, for people."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.description import NONE, Description, coming, flag
from kedge.cli.durations import span
from kedge.cli.flags import FlagCommand
from kedge.cli.instants import now
from kedge.cli.objects import part, time_text
from kedge.cli.output import write
from kedge.cli.selection import Wanted, find_objects, look_options

if TYPE_CHECKING:
    from kedge.kube.kind import Object

NEVER = "<never>"
COLOURS = {"True": "green", "False": "red"}


@click.command("describe", cls=FlagCommand)
@look_options
@context_options
def describe(wanted: Wanted) -> None:
    """Tell all about PreScaledCronJobs.

    When they run and when they start, what was made for them, and why something is not.
    """
    from kedge.cli.prescaled.kind import PRESCALED
    from kedge.cli.prescaled.reference import named

    chosen = named(wanted, PRESCALED)
    found = on_cluster(lambda client: find_objects(client, PRESCALED, chosen))
    present = now()
    write("\n\n".join(description(one, present) for one in found.objects))
    found.end("PreScaledCronJobs")


def description(obj: Object, present: datetime) -> str:
    """Describe one PreScaledCronJob, whatever is missing in it."""
    from kedge.cli.prescaled.columns import ready

    state = str(ready(obj).get("status") or "Unknown")
    text = Description()
    text.metadata(obj)
    text.blank()
    text.state("Ready:", state, COLOURS)
    if state == "False":
        text.errors("Reason:", [str(ready(obj).get("message") or "")])
    text.blank()
    _asked(text, obj)
    text.blank()
    _made(text, obj)
    text.blank()
    for title, field in (("Next Warm-Up:", "nextWarmUpTime"), ("Next Run:", "nextRunTime")):
        text.line(title, coming(part(obj, "status", field), present))
    for title, field in (("Last Warm-Up:", "lastWarmUpTime"), ("Last Run:", "lastRunTime")):
        text.line(title, time_text(part(obj, "status", field), NEVER))
    text.conditions(part(obj, "status", "conditions"))
    return str(text)


def _asked(text: Description, obj: Object) -> None:
    """Add what is in the spec."""
    spec = part(obj, "spec", "cronJob", "spec")
    minutes, primer = part(obj, "spec", "warmUpTimeMins"), part(obj, "spec", "primerSchedule")
    text.line("Schedule:", str(part(spec, "schedule") or NONE))
    text.line("Time Zone:", str(part(spec, "timeZone") or NONE))
    if primer:
        text.line("Primer Schedule:", str(primer))
    else:
        lead = timedelta(minutes=minutes) if isinstance(minutes, int) else timedelta(0)
        text.line("Lead:", span(lead, units=4))
    text.line("Suspended:", flag(part(spec, "suspend"), "false"))
    text.line("Concurrency Policy:", str(part(spec, "concurrencyPolicy") or "Allow"))


def _made(text: Description, obj: Object) -> None:
    """Add the CronJobs, each with when it starts."""
    from kedge.controllers.prescaled.plan import child_name

    name = str(part(obj, "metadata", "name") or "")
    starts = part(obj, "status", "primerSchedules") or ()
    text.line("Mode:", str(part(obj, "status", "mode") or NONE))
    title = "CronJobs:"
    for number, start in enumerate(starts, 1):
        text.line(title, child_name(name, number), str(start))
        title = ""
    if not starts:
        text.line(title, NONE)
