"""`kedge nab create`: a backup of one's own namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kedge.cli.backup.filters import label_options
from kedge.cli.backup.template import Filters, spec_of
from kedge.cli.connection import context_options, on_cluster
from kedge.cli.nab.options import REFUSED_FILTERS, own_filter_options
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.refusing import RefusingCommand
from kedge.cli.waiting import wait_option

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


@click.command("create", cls=RefusingCommand, refused=REFUSED_FILTERS)
@click.argument("name", metavar="NAME")
@wait_option
@own_filter_options
@label_options("NonAdminBackup")
@output_options("Print it in this form, and do not send it.", default="")
@context_options
def create(name: str, filters: Filters, form: Form, wait: bool, **given: Any) -> None:
    """Back up your own namespace.

    What the administrator enforces is filled in, and what is not allowed is refused: `kedge nab
    policy` prints the rules. --storage-location is a NonAdminBackupStorageLocation of the
    namespace.
    """
    from kedge.cli.nab.columns import columns
    from kedge.cli.nab.kind import BACKING_UP, NABS
    from kedge.cli.nab.request import alone
    from kedge.cli.nab.sending import awaited, check_there, made
    from kedge.cli.nab.waiting import tell
    from kedge.cli.nabsl.kind import OWN_LOCATIONS
    from kedge.cli.selection import bare

    spec = spec_of(filters)
    # It is always the own one: nothing else is accepted.
    del spec["includedNamespaces"]
    nab = made(NABS, alone(bare(NABS, name), "nab"), {"backupSpec": spec}, given)
    if form.output:
        print_objects(NABS, columns(BACKING_UP), [nab], form)
        return

    async def work(client: Client) -> Object | None:
        if filters.storage_location:
            await check_there(client, OWN_LOCATIONS, filters.storage_location)
        return await awaited(client, BACKING_UP, nab, bool(wait))

    ended = on_cluster(work)
    if ended is not None:
        tell(BACKING_UP, ended)
