"""`kedge nar create`: brings objects of one's own namespace back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kedge.cli.backup.filters import label_options
from kedge.cli.connection import context_options, on_cluster
from kedge.cli.instants import now
from kedge.cli.nab.options import REFUSED_CHOICES, own_choice_options
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.refusing import RefusingCommand
from kedge.cli.restore.options import Choice, spec_of
from kedge.cli.waiting import wait_option

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


@click.command("create", cls=RefusingCommand, refused=REFUSED_CHOICES)
@click.argument("name", required=False, metavar="[NAME]")
@click.option(
    "--from-backup", metavar="NAB", required=True, help="The NonAdminBackup to restore from."
)
@wait_option
@own_choice_options
@label_options("NonAdminRestore")
@output_options("Print it in this form, and do not send it.", default="")
@context_options
def create(
    name: str | None, from_backup: str, choice: Choice, form: Form, wait: bool, **given: Any
) -> None:
    """Restore your own namespace from a backup of it.

    Objects that are there already stay as they are. Without a NAME it is called after the backup
    and the time.
    """
    from kedge.cli.nab.columns import columns
    from kedge.cli.nab.kind import NABS
    from kedge.cli.nab.request import alone
    from kedge.cli.nab.sending import awaited, check_there, made
    from kedge.cli.nab.waiting import tell
    from kedge.cli.nar.kind import NARS, RESTORING
    from kedge.cli.selection import bare

    backup = alone(bare(NABS, from_backup), "nab")
    spec = {"backupName": backup, **spec_of(choice)}
    # It is always the own one: nothing else is accepted.
    del spec["includedNamespaces"]
    called = (
        alone(bare(NARS, name), "nar") if name else f"{backup}-{now().astimezone():%Y%m%d%H%M%S}"
    )
    nar = made(NARS, called, {"restoreSpec": spec}, given)
    if form.output:
        print_objects(NARS, columns(RESTORING), [nar], form)
        return

    async def work(client: Client) -> Object | None:
        await check_there(client, NABS, backup)
        return await awaited(client, RESTORING, nar, bool(wait))

    ended = on_cluster(work)
    if ended is not None:
        tell(RESTORING, ended)
