"""`kedge nar logs`: the log of a restore that is over."""

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.flags import FlagCommand


@click.command("logs", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@fetch_options("1m0s")
@context_options
def logs(name: str, how: Fetching) -> None:
    """Print the log of a restore of your namespace.

    Its backup has to be kept in a NonAdminBackupStorageLocation of the namespace.
    """
    from kedge.cli.nab.log import print_log
    from kedge.cli.nar.kind import RESTORING

    on_cluster(lambda client: print_log(client, RESTORING, name, how))
