"""`kedge backup-location get`: storage locations as a table, or whole."""

from __future__ import annotations

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.listing import print_found
from kedge.cli.objects import Form, output_options, part
from kedge.cli.selection import Wanted, find_objects, look_options


@click.command("get", cls=FlagCommand)
@look_options
@switch("--default", "only_default", help="Only the one that is the default.")
@output_options("How to print the locations.")
@connection_options
def get(wanted: Wanted, only_default: bool, form: Form) -> None:
    """List storage locations.

    Without a NAME, all of the namespace. Where one can not be used, a column tells why.
    """
    from kedge.cli.location.columns import COLUMNS, MESSAGE
    from kedge.cli.location.kind import LOCATIONS

    found = on_cluster(lambda client: find_objects(client, LOCATIONS, wanted))
    if only_default:
        found.objects = [one for one in found.objects if part(one, "spec", "default")]
    is_told = any(part(one, "status", "message") for one in found.objects)
    columns = (*COLUMNS, MESSAGE) if is_told else COLUMNS
    print_found(LOCATIONS, columns, found, wanted, form)
    found.end("backup-locations")
