"""`kedge schedule delete`: schedules go, their backups stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, change_options, confirm, find_objects

if TYPE_CHECKING:
    from kedge.client import Client


@click.command("delete", cls=FlagCommand)
@change_options("schedule")
@switch("--confirm", "confirmed", help="Do not ask.")
@connection_options
def delete(wanted: Wanted, confirmed: bool) -> None:
    """Delete schedules.

    Their backups stay, unless they were made to belong to the schedule.
    """
    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: _delete(client, wanted))
    if not found.objects and not found.problems:
        write("No schedules found\n")
    found.check()


async def _delete(client: Client, wanted: Wanted) -> Found:
    from kedge.cli.removal import remove
    from kedge.cli.schedule.kind import SCHEDULES

    found = await find_objects(client, SCHEDULES, wanted)
    await remove(client, SCHEDULES, found, lambda name: f"Schedule deleted: {name}\n")
    return found
