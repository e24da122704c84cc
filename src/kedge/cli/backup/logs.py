"""`kedge backup logs`: the log of a backup that is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.errors import Failure
from kedge.cli.flags import FlagCommand
from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.client import Client

LOGGED = frozenset(
    {
        "Completed",
        "PartiallyFailed",
        "Failed",
        "WaitingForPluginOperations",
        "WaitingForPluginOperationsPartiallyFailed",
    }
)


@click.command("logs", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@fetch_options("1m0s")
@connection_options
def logs(name: str, how: Fetching) -> None:
    """Print the log of a backup."""
    on_cluster(lambda client: _print(client, name, how))


async def _print(client: Client, name: str, how: Fetching) -> None:
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.download import FileAbsent, Files
    from kedge.cli.selection import bare, is_object, missing
    from kedge.cli.stream import print_bytes
    from kedge.kube.errors import NotFound

    name = bare(BACKUPS, name)
    try:
        backup = await client.get(BACKUPS, name, namespace())
    except NotFound as exc:
        told = f'backup "{name}" does not exist' if is_object(exc) else missing(BACKUPS, exc)
        raise Failure(told) from exc
    except ValueError as exc:
        raise Failure(str(exc)) from exc
    if part(backup, "status", "phase") not in LOGGED:
        raise Failure(
            f'logs for backup "{name}" are not available until it\'s finished processing, please '
            "wait until the backup has a phase of Completed or Failed and try again"
        )
    files = await Files.of_backup(client, backup, how)
    try:
        await print_bytes(files.text("BackupLog", name))
    except FileAbsent as exc:
        raise Failure(f'file not found: no log of backup "{name}" was kept') from exc
