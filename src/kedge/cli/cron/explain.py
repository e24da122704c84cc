"""`kedge cron explain`: a schedule in words, and as a picture of the coming week."""

import click

from kedge.cli.cron.options import CronCommand, Given, after_option, schedule_arguments
from kedge.cli.durations import distance
from kedge.cli.instants import Moment, in_zone, now, reading, stamp
from kedge.cli.output import output_option, show
from kedge.cli.screen import is_terminal, styled
from kedge.cli.table import facts


@click.command(cls=CronCommand)
@schedule_arguments
@after_option
@click.option(
    "--picture/--no-picture",
    default=None,
    help="Draw the coming week, days by hours.  [default: on a terminal]",
)
@output_option
def explain(given: Given, after: Moment, picture: bool | None, output: str) -> None:
    """Say in plain English when it runs.

    Also: the shortest way to write it, its zone, the next run and, on a terminal, a picture of
    the seven days that start with the day of --after.
    """
    schedule = given.schedule
    start = after.at(given.zone)
    run = schedule.next(start)
    document = {
        "expression": given.expression,
        "canonical": str(schedule),
        "zone": schedule.zone,
        "dst": schedule.dst,
        "explanation": schedule.explain(),
        "next": stamp(run) if run else None,
    }

    def text() -> str:
        coming = "none"
        if run:
            local = in_zone(run, given.zone)
            shown = reading(local, seconds=bool(run.second))
            coming = f"{shown}   {stamp(run)}   {distance(run - now())}"
        pairs = [("Canonical", str(schedule)), ("Zone", schedule.zone), ("Next run", coming)]
        words = f"{styled(schedule.explain(), bold=True)}\n\n{facts(pairs)}"
        if not (is_terminal() if picture is None else picture):
            return words
        from kedge.cli.cron.picture import draw_week

        return f"{words}\n{draw_week(schedule, given.zone, start)}"

    show(output, document, text)
