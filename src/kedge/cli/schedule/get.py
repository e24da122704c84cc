"""`kedge schedule get`: schedules as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.listing import print_found
from kedge.cli.objects import Form, output_options
from kedge.cli.selection import Wanted, find_objects, look_options


@click.command("get", cls=FlagCommand)
@look_options
@output_options("How to print the schedules.")
@connection_options
def get(wanted: Wanted, form: Form) -> None:
    """List schedules.

    Without a NAME, all of the namespace.
    """
    from kedge.cli.schedule.columns import COLUMNS
    from kedge.cli.schedule.kind import SCHEDULES

    found = on_cluster(lambda client: find_objects(client, SCHEDULES, wanted))
    print_found(SCHEDULES, COLUMNS, found, wanted, form)
    found.end("schedules")
