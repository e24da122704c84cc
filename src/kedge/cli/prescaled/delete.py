"""`kedge prescaled delete`: PreScaledCronJobs go, and their CronJobs with them."""

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.selection import Wanted, change_options, confirm


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
    from kedge.cli.removal import remove_wanted

    chosen = named(wanted, PRESCALED)
    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: remove_wanted(client, PRESCALED, chosen, _words))
    found.end("PreScaledCronJobs", on_stdout=True)


def _words(name: str) -> str:
    return f"PreScaledCronJob deleted: {name}\n"
