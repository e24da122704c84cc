"""`kedge restore logs`: the log of a restore that is over."""

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.errors import Bare
from kedge.cli.flags import FlagCommand


@click.command("logs", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@fetch_options("1m0s")
@connection_options
def logs(name: str, how: Fetching) -> None:
    """Print the log of a restore."""
    from kedge.cli.download import Files
    from kedge.cli.restore.kind import RESTORES
    from kedge.cli.runlog import Logged, print_log

    logged = Logged(RESTORES, "RestoreLog", Files.of_restore, _absent, _early)
    on_cluster(lambda client: print_log(client, logged, name, how))


def _absent(name: str) -> Bare:
    return Bare(f'Restore "{name}" does not exist.')


def _early(name: str) -> Bare:
    return Bare(
        f'Logs for restore "{name}" are not available until it\'s finished processing. Please '
        "wait until the restore has a phase of Completed or Failed and try again."
    )
