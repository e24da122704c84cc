"""`kedge nab get`: NonAdminBackups as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.listing import print_found
from kedge.cli.objects import Form, output_options
from kedge.cli.selection import Wanted, find_objects, look_options


@click.command("get", cls=FlagCommand)
@look_options
@output_options("How to print the NonAdminBackups.")
@context_options
def get(wanted: Wanted, form: Form) -> None:
    """List NonAdminBackups.

    Without a NAME, all of the namespace.
    """
    from kedge.cli.nab.columns import columns
    from kedge.cli.nab.kind import BACKING_UP, NABS
    from kedge.cli.nab.request import named

    chosen = named(wanted, "nab")
    found = on_cluster(lambda client: find_objects(client, NABS, chosen))
    print_found(NABS, columns(BACKING_UP), found, wanted, form)
    found.end("NonAdminBackups")
