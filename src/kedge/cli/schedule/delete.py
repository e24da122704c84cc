"""`kedge schedule delete`: schedules go, their backups stay."""

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.selection import Wanted, change_options, confirm


@click.command("delete", cls=FlagCommand)
@change_options("schedule")
@switch("--confirm", "confirmed", help="Do not ask.")
@connection_options
def delete(wanted: Wanted, confirmed: bool) -> None:
    """Delete schedules.

    Their backups stay, unless they were made to belong to the schedule.
    """
    from kedge.cli.removal import remove_wanted
    from kedge.cli.schedule.kind import SCHEDULES

    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: remove_wanted(client, SCHEDULES, wanted, _words))
    found.end("schedules", on_stdout=True)


def _words(name: str) -> str:
    return f"Schedule deleted: {name}\n"
