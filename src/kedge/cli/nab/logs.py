"""`kedge nab logs`: the log of a backup that is over."""

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.flags import FlagCommand


@click.command("logs", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@fetch_options("1m0s")
@context_options
def logs(name: str, how: Fetching) -> None:
    """Print the log of a backup of your namespace.

    It has to be kept in a NonAdminBackupStorageLocation of the namespace.
    """
    from kedge.cli.nab.kind import BACKING_UP
    from kedge.cli.nab.log import print_log

    on_cluster(lambda client: print_log(client, BACKING_UP, name, how))
