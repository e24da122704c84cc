"""`kedge nar get`: NonAdminRestores as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.errors import complain
from kedge.cli.flags import FlagCommand
from kedge.cli.objects import Form, output_options, print_objects
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
    if found.objects or not wanted.names:
        shown = columns(RESTORING)
        print_objects(NARS, shown, found.objects, form, namespaces=wanted.everywhere)
    if not found.objects and not found.problems:
        complain("No NonAdminRestores found", head="")
    found.check()
