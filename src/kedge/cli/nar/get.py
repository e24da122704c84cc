"""`kedge nar get`: NonAdminRestores as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.listing import print_found
from kedge.cli.objects import Form, output_options
from kedge.cli.selection import Wanted, find_objects, look_options


@click.command("get", cls=FlagCommand)
@look_options
@output_options("How to print the NonAdminRestores.")
@context_options
def get(wanted: Wanted, form: Form) -> None:
    """List NonAdminRestores.

    Without a NAME, all of the namespace.
    """
    from kedge.cli.nab.columns import columns
    from kedge.cli.nab.request import named
    from kedge.cli.nar.kind import NARS, RESTORING

    chosen = named(wanted, "nar")
    found = on_cluster(lambda client: find_objects(client, NARS, chosen))
    print_found(NARS, columns(RESTORING), found, wanted, form)
    found.end("NonAdminRestores")
