"""`kedge backup logs`: the log of a backup that is over."""

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.errors import Failure
from kedge.cli.flags import FlagCommand


@click.command("logs", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@fetch_options("1m0s")
@connection_options
def logs(name: str, how: Fetching) -> None:
    """Print the log of a backup."""
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.download import Files
    from kedge.cli.runlog import Logged, print_log

    logged = Logged(BACKUPS, "BackupLog", Files.of_backup, _absent, _early)
    on_cluster(lambda client: print_log(client, logged, name, how))


def _absent(name: str) -> Failure:
    return Failure(f'backup "{name}" does not exist')


def _early(name: str) -> Failure:
    return Failure(
        f'logs for backup "{name}" are not available until it\'s finished processing, please '
        "wait until the backup has a phase of Completed or Failed and try again"
    )
