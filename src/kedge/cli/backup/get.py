"""`kedge backup get`: backups as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.listing import print_found
from kedge.cli.objects import Form, output_options
from kedge.cli.selection import Wanted, find_objects, look_options


@click.command("get", cls=FlagCommand)
@look_options
@output_options("How to print the backups.")
@connection_options
def get(wanted: Wanted, form: Form) -> None:
    """List backups.

    Without a NAME, all of the namespace; those of one schedule with the newest first.
    """
    from kedge.cli.backup.columns import COLUMNS
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.backup.order import in_order

    found = on_cluster(lambda client: find_objects(client, BACKUPS, wanted))
    found.objects = in_order(found.objects)
    print_found(BACKUPS, COLUMNS, found, wanted, form)
    found.end("backups")
