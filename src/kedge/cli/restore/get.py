"""`kedge restore get`: restores as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.listing import print_found
from kedge.cli.objects import Form, output_options
from kedge.cli.selection import Wanted, find_objects, look_options


@click.command("get", cls=FlagCommand)
@look_options
@output_options("How to print the restores.")
@connection_options
def get(wanted: Wanted, form: Form) -> None:
    """List restores.

    Without a NAME, all of the namespace.
    """
    from kedge.cli.restore.columns import COLUMNS
    from kedge.cli.restore.kind import RESTORES

    found = on_cluster(lambda client: find_objects(client, RESTORES, wanted))
    print_found(RESTORES, COLUMNS, found, wanted, form)
    found.end("restores")
