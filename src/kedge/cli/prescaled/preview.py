"""`kedge prescaled preview`: what will start when, before anything is applied."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from kedge.cli.connection import context_options
from kedge.cli.errors import Failure, complain
from kedge.cli.flags import FlagCommand
from kedge.cli.instants import now
from kedge.cli.output import encoded, output_option, write
from kedge.cli.prescaled.options import lead_option
from kedge.cli.selection import Found, Wanted, look_options

if TYPE_CHECKING:
    from kedge.cli.prescaled.coming import Coming

DAYS, MOST_DAYS = 7, 3660
MANY = 1000


@click.command("preview", cls=FlagCommand)
@look_options
@click.option(
    "-f", "--filename", metavar="FILE", help="Those of a file, and CronJobs there; - is stdin."
)
@lead_option
@click.option(
    "--days",
    type=click.IntRange(1, MOST_DAYS),
    default=DAYS,
    show_default=True,
    metavar="N",
    help="How many days to list.",
)
@click.option(
    "--count",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help=f"How many lines to list at most.  [default: {MANY}]",
)
@output_option
@context_options
def preview(
    wanted: Wanted,
    filename: str | None,
    lead: timedelta | None,
    days: int,
    count: int | None,
    output: str,
) -> None:
    """List the coming warm-ups and their runs.

    Before anything is applied: of cronjob/NAME or of a file, as it would be with LEAD. Or of
    PreScaledCronJobs, with the lead that they have or with LEAD; without a NAME, all of the
    namespace.
    """
    from kedge.cli.prescaled.coming import coming_pairs
    from kedge.cli.prescaled.timetable import described, document

    found = _found(wanted, filename, lead)
    present = now()
    until = present + timedelta(days=days)
    previews: list[Coming] = []
    for one in found.objects:
        try:
            previews.append(coming_pairs(one, present, until, count or MANY))
        except Failure as exc:
            found.problems += exc.problems
    if output == "table":
        write("\n".join(described(one, present) for one in previews))
    elif previews:
        documents = [document(one) for one in previews]
        write(encoded(documents[0] if len(documents) == 1 else {"items": documents}, output))
    if count is None and any(one.is_cut for one in previews):
        complain(f"stopped after {MANY} lines; --count lists more")
    found.end("PreScaledCronJobs")


def _found(wanted: Wanted, filename: str | None, lead: timedelta | None) -> Found:
    from kedge.cli.prescaled.kind import PRESCALED
    from kedge.cli.prescaled.subjects import chosen, of_cluster, of_file

    if filename is not None:
        return chosen(of_file(filename, lead), wanted, filename)
    return of_cluster(wanted, lead, PRESCALED)
