"""`kedge nabsl get`: NonAdminBackupStorageLocations as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.listing import print_found
from kedge.cli.objects import Form, output_options
from kedge.cli.selection import Wanted, find_objects, look_options


@click.command("get", cls=FlagCommand)
@look_options
@output_options("How to print the locations.")
@context_options
def get(wanted: Wanted, form: Form) -> None:
    """List NonAdminBackupStorageLocations.

    Without a NAME, all of the namespace.
    """
    from kedge.cli.nab.request import named
    from kedge.cli.nabsl.columns import COLUMNS
    from kedge.cli.nabsl.kind import OWN_LOCATIONS

    chosen = named(wanted, "nabsl")
    found = on_cluster(lambda client: find_objects(client, OWN_LOCATIONS, chosen))
    print_found(OWN_LOCATIONS, COLUMNS, found, wanted, form)
    found.end("NonAdminBackupStorageLocations")
