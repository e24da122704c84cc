"""`kedge restore describe`: all about restores, with what their files tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, find_objects, look_options

if TYPE_CHECKING:
    from kedge.client import Client


@click.command("describe", cls=FlagCommand)
@look_options
@switch("--details", help="Tell more, such as what became of each object.")
@fetch_options("30s")
@connection_options
def describe(wanted: Wanted, details: bool, how: Fetching) -> None:
    """Tell all about restores.

    Warnings, errors and lists of objects are in the storage location; where that can not be
    reached, the rest is told nevertheless.
    """
    found = on_cluster(lambda client: _describe(client, wanted, bool(details), how))
    found.end("restores")


async def _describe(client: Client, wanted: Wanted, details: bool, how: Fetching) -> Found:
    from kedge.cli.restore.description import description
    from kedge.cli.restore.gathering import gather
    from kedge.cli.restore.kind import RESTORES

    found = await find_objects(client, RESTORES, wanted)
    for number, one in enumerate(found.objects):
        gathered = await gather(client, one, how, details=details)
        write(("\n\n" if number else "") + description(gathered))
    return found
