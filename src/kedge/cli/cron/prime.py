"""`kedge cron prime`: when to warm up, so that nothing is cold when a run comes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import click

from kedge.cli.cron.options import (
    CronCommand,
    Given,
    after_option,
    count_option,
    schedule_arguments,
)
from kedge.cli.cron.runs import chain
from kedge.cli.durations import distance, read_duration, span
from kedge.cli.instants import Moment, in_zone, now, reading, stamp
from kedge.cli.output import output_option, show
from kedge.cli.table import facts, table

if TYPE_CHECKING:
    from kedge.cron import Plan

ROLLING = (
    "Five-field cron cannot express these warm-ups: each one is scheduled by itself,\n"
    "when the one before it is done.\n"
)


@click.command(cls=CronCommand)
@schedule_arguments
@click.option(
    "--lead",
    callback=read_duration,
    required=True,
    metavar="LEAD",
    help="How long before each run to start: 10 (minutes), 10m, 1h30m, 2d, 1d12h.",
)
@after_option
@count_option
@output_option
def prime(given: Given, lead: timedelta, after: Moment, count: int, output: str) -> None:
    """Work out when to warm up ahead of each run.

    Where five-field cron can say it (mode static), the answer is the schedules for CronJobs that
    start exactly LEAD before every run and at no other time. Where it cannot (mode rolling), each
    warm-up is scheduled by itself.
    """
    from kedge import cron

    try:
        plan = cron.prime(given.schedule, lead)
    except cron.CronError as exc:
        raise click.ClickException(str(exc)) from exc
    warmups = list(islice(chain(plan.next, after.at(given.zone)), count))
    document = {
        "mode": plan.mode,
        "zone": plan.zone,
        "expressions": list(plan.expressions),
        "next": [stamp(warmup) for warmup in warmups],
    }
    show(output, document, lambda: f"{_summary(plan)}\n{_table(given, plan, warmups)}")


def _summary(plan: Plan) -> str:
    head = facts([("Mode", plan.mode), ("Zone", plan.zone), ("Lead", span(plan.lead, units=4))])
    if not plan.expressions:
        return f"{head}\n{ROLLING}"
    several = len(plan.expressions) > 1
    line = "Put each of these lines into a CronJob of its own" if several else "For a CronJob"
    lines = "".join(f"  {expression}\n" for expression in plan.expressions)
    return f"{head}\n{line}, with timeZone: {plan.zone}\n{lines}"


def _table(given: Given, plan: Plan, warmups: Sequence[datetime]) -> str:
    clock = now()
    seconds = any(warmup.second for warmup in warmups)
    rows = [
        (
            reading(in_zone(warmup, given.zone), seconds=seconds),
            stamp(warmup),
            distance(warmup - clock),
            reading(in_zone(warmup + plan.lead, given.zone), seconds=seconds),
        )
        for warmup in warmups
    ]
    header = (f"WARM-UP ({given.schedule.zone})", "UTC", "FROM NOW", "FOR THE RUN AT")
    return table(header, rows) or "no further warm-ups\n"
