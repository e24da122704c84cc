"""`kedge nar delete`: restores go, and what was restored stays."""

from __future__ import annotations

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.selection import Wanted, change_options, confirm


@click.command("delete", cls=FlagCommand)
@change_options("NonAdminRestore")
@switch("--confirm", "confirmed", help="Do not ask.")
@switch("-w", "--wait", help="Wait until they are gone.")
@context_options
def delete(wanted: Wanted, confirmed: bool, wait: bool) -> None:
    """Delete NonAdminRestores.

    What was restored stays where it is.
    """
    from kedge.cli.nab.request import named
    from kedge.cli.nar.kind import NARS
    from kedge.cli.removal import remove_wanted

    chosen = named(wanted, "nar")
    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: remove_wanted(client, NARS, chosen, _words, wait=bool(wait)))
    found.end("NonAdminRestores", on_stdout=True)


def _words(name: str) -> str:
    return f'NonAdminRestore "{name}" is being deleted.\n'
