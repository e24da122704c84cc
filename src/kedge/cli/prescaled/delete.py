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
    from kedge.client import Deletion
    from kedge.client.errors import ClientError
    from kedge.kube.errors import ApiError, NotFound

    found = await find_objects(client, PRESCALED, wanted)
    for one in found.objects:
        meta = one["metadata"]
        try:
            # By its uid: one that has the name by now is another, and nobody asked for its end.
            deletion = Deletion(uid=meta.get("uid", ""))
            await client.delete(PRESCALED, meta["name"], meta["namespace"], deletion)
        except NotFound:
            pass  # somebody was faster
        except (ApiError, ClientError) as exc:
            found.problems.append(str(exc))
            continue
        write(f"PreScaledCronJob deleted: {meta['name']}\n")
    return found
