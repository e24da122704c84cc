"""`kedge nabsl delete`: locations go, and the backups that are kept there from the cluster."""

from __future__ import annotations

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.selection import Wanted, change_options, confirm


@click.command("delete", cls=FlagCommand)
@change_options("NonAdminBackupStorageLocation")
@switch("--confirm", "confirmed", help="Do not ask.")
@switch("-w", "--wait", help="Wait until they are gone.")
@context_options
def delete(wanted: Wanted, confirmed: bool, wait: bool) -> None:
    """Delete NonAdminBackupStorageLocations.

    The NonAdminBackups that are kept there go, too. Their data stays in the bucket.
    """
    from kedge.cli.nab.request import named
    from kedge.cli.nabsl.kind import OWN_LOCATIONS
    from kedge.cli.removal import remove_wanted

    chosen = named(wanted, "nabsl")
    if not confirmed and not confirm():
        return
    found = on_cluster(
        lambda client: remove_wanted(client, OWN_LOCATIONS, chosen, _words, wait=bool(wait))
    )
    found.end("NonAdminBackupStorageLocations", on_stdout=True)


def _words(name: str) -> str:
    return f'NonAdminBackupStorageLocation "{name}" is being deleted.\n'
