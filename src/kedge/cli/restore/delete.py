"""`kedge restore delete`: restores go with their files; what they brought back stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.selection import Found, Wanted, change_options, confirm, find_objects

if TYPE_CHECKING:
    from kedge.client import Client


@click.command("delete", cls=FlagCommand)
@change_options("restore")
@switch("--confirm", "confirmed", help="Do not ask.")
@switch("-w", "--wait", help="Wait until they are gone.")
@connection_options
def delete(wanted: Wanted, confirmed: bool, wait: bool) -> None:
    """Delete restores.

    Their logs go with them; the objects that they brought back stay. If one that is named is not
    there, none is deleted.
    """
    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: _delete(client, wanted, bool(wait)))
    found.end("restores", on_stdout=True)


async def _delete(client: Client, wanted: Wanted, wait: bool) -> Found:
    from kedge.cli.removal import await_end, remove
    from kedge.cli.restore.kind import RESTORES

    found = await find_objects(client, RESTORES, wanted)
    found.check()
    asked = await remove(client, RESTORES, found, _words)
    for one in asked if wait else ():
        await await_end(client, RESTORES, one)
    return found


def _words(name: str) -> str:
    return (
        f'Request to delete restore "{name}" submitted successfully.\n'
        "The restore will be fully deleted after all associated data (restore files in object "
        "storage) are removed.\n"
    )
