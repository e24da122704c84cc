"""`kedge restore delete`: restores go with their files; what they brought back stays."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, change_options, confirm, find_objects

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


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
    if not found.objects and not found.problems:
        write("No restores found\n")
    found.check()


async def _delete(client: Client, wanted: Wanted, wait: bool) -> Found:
    from kedge.cli.restore.kind import RESTORES
    from kedge.client import Deletion
    from kedge.client.errors import ClientError
    from kedge.kube.errors import ApiError, NotFound

    found = await find_objects(client, RESTORES, wanted)
    found.check()
    asked = []
    for one in found.objects:
        meta = one["metadata"]
        try:
            # By its uid: one that has the name by now is another, and nobody asked for its end.
            deletion = Deletion(uid=meta.get("uid", ""))
            await client.delete(RESTORES, meta["name"], meta["namespace"], deletion)
        except NotFound:
            pass  # somebody was faster
        except (ApiError, ClientError) as exc:
            found.problems.append(str(exc))
            continue
        asked.append(one)
        write(
            f'Request to delete restore "{meta["name"]}" submitted successfully.\n'
            "The restore will be fully deleted after all associated data (restore files in object "
            "storage) are removed.\n"
        )
    for one in asked if wait else ():
        await _gone(client, one)
    return found


async def _gone(client: Client, restore: Object) -> None:
    from kedge.cli.following import states
    from kedge.cli.restore.kind import RESTORES
    from kedge.client import Selection

    meta = restore["metadata"]
    chosen = Selection(meta["namespace"], fields=f"metadata.name={meta['name']}")
    async with aclosing(states(client, RESTORES, chosen)) as following:
        async for found in following:
            one = found.get(meta["name"])
            if one is None or one["metadata"].get("uid") != meta.get("uid"):
                write(f'Restore "{meta["name"]}" deleted successfully.\n')
                return
