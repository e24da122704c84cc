"""`kedge prescaled delete`: PreScaledCronJobs go, and their CronJobs with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, change_options, confirm, find_objects

if TYPE_CHECKING:
    from kedge.client import Client


@click.command("delete", cls=FlagCommand)
@change_options("PreScaledCronJob")
@switch("--confirm", "confirmed", help="Do not ask.")
@context_options
def delete(wanted: Wanted, confirmed: bool) -> None:
    """Delete PreScaledCronJobs.

    The CronJobs that were made for them go with them, and the Jobs of those.
    """
    from kedge.cli.prescaled.kind import PRESCALED
    from kedge.cli.prescaled.reference import named

    chosen = named(wanted, PRESCALED)
    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: _delete(client, chosen))
    if not found.objects and not found.problems:
        write("No PreScaledCronJobs found\n")
    found.check()


async def _delete(client: Client, wanted: Wanted) -> Found:
    from kedge.cli.prescaled.kind import PRESCALED
    from kedge.cli.removal import remove

    found = await find_objects(client, PRESCALED, wanted)
    await remove(client, PRESCALED, found, lambda name: f"PreScaledCronJob deleted: {name}\n")
    return found
