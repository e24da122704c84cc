"""`kedge restore logs`: the log of a restore that is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.errors import Bare, Failure
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
    """Print the log of a restore."""
    on_cluster(lambda client: _print(client, name, how))


async def _print(client: Client, name: str, how: Fetching) -> None:
    from kedge.cli.download import FileAbsent, Files
    from kedge.cli.restore.kind import RESTORES
    from kedge.cli.selection import bare, is_object, missing
    from kedge.cli.stream import print_bytes
    from kedge.kube.errors import NotFound

    name = bare(RESTORES, name)
    try:
        restore = await client.get(RESTORES, name, namespace())
    except NotFound as exc:
        if not is_object(exc):
            raise Failure(missing(RESTORES, exc)) from exc
        raise Bare(f'Restore "{name}" does not exist.') from exc
    except ValueError as exc:
        raise Failure(str(exc)) from exc
    if part(restore, "status", "phase") not in LOGGED:
        raise Bare(
            f'Logs for restore "{name}" are not available until it\'s finished processing. Please '
            "wait until the restore has a phase of Completed or Failed and try again."
        )
    files = await Files.of_restore(client, restore, how)
    try:
        await print_bytes(files.text("RestoreLog", name))
    except FileAbsent as exc:
        raise Failure(f'file not found: no log of restore "{name}" was kept') from exc
