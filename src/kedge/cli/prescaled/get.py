"""`kedge prescaled get`: PreScaledCronJobs as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.listing import print_found
from kedge.cli.objects import Form, output_options
from kedge.cli.selection import Wanted, find_objects, look_options


@click.command("get", cls=FlagCommand)
@look_options
@output_options("How to print the PreScaledCronJobs.")
@context_options
def get(wanted: Wanted, form: Form) -> None:
    """List PreScaledCronJobs.

    Without a NAME, all of the namespace.
    """
    from kedge.cli.prescaled.columns import COLUMNS
    from kedge.cli.prescaled.kind import PRESCALED
    from kedge.cli.prescaled.reference import named

    chosen = named(wanted, PRESCALED)
    found = on_cluster(lambda client: find_objects(client, PRESCALED, chosen))
    print_found(PRESCALED, COLUMNS, found, wanted, form)
    found.end("PreScaledCronJobs")
