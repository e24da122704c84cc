"""`kedge backup describe`: all about backups, with what their files tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.errors import complain
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, find_objects, look_options

if TYPE_CHECKING:
    from kedge.client import Client

FORMATS = ("plaintext", "json")


@click.command("describe", cls=FlagCommand)
@look_options
@switch("--details", help="Tell more, such as all objects that are in the backup.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(FORMATS),
    default="plaintext",
    show_default=True,
    help="How to tell it; json is for a single backup.",
)
@fetch_options("30s")
@connection_options
def describe(wanted: Wanted, details: bool, output: str, how: Fetching) -> None:
    """Tell all about backups.

    Warnings, errors and lists of objects are in the storage location; where that can not be
    reached, the rest is told nevertheless.
    """
    found = on_cluster(lambda client: _describe(client, wanted, bool(details), output, how))
    found.end("backups")


async def _describe(
    client: Client, wanted: Wanted, details: bool, output: str, how: Fetching
) -> Found:
    from kedge.cli.backup.gathering import gather
    from kedge.cli.backup.kind import BACKUPS

    found = await find_objects(client, BACKUPS, wanted)
    is_text = output != "json" or len(found.objects) != 1
    if is_text and output == "json" and found.objects:
        complain(f"-o json is for a single backup: {len(found.objects)} are described as text")
    for number, one in enumerate(found.objects):
        gathered = await gather(client, one, how, details=details)
        if not is_text:
            from kedge.cli.backup.structured import structured

            write(structured(gathered))
            continue
        from kedge.cli.backup.description import description

        write(("\n\n" if number else "") + description(gathered))
    return found
