"""`kedge backup create`: a run of a schedule by hand, whenever it is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.backup.filters import label_options
from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.errors import Failure, Misuse
from kedge.cli.flags import FlagCommand
from kedge.cli.instants import now
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


@click.command("create", cls=FlagCommand)
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--from-schedule", metavar="SCHEDULE", help="The schedule whose template is used.")
@label_options("backup")
@output_options("Print the backup in this form, and do not send it.", default="")
@connection_options
def create(
    name: str | None,
    from_schedule: str | None,
    labels: dict[str, str],
    annotations: dict[str, str],
    form: Form,
) -> None:
    """Create a backup from a schedule.

    A run by hand: it is made at once, also while the schedule is paused, and its next run comes as
    if nothing had been. Without a NAME it is called after the schedule and the time.
    """
    from kedge.api.velero.backup import BACKUP
    from kedge.cli.backup.columns import COLUMNS

    if from_schedule == "":
        raise Misuse("flag must have a non-empty value: --from-schedule")
    if from_schedule is None:
        raise Misuse("--from-schedule is required: only backups of a schedule can be made by hand")
    source = from_schedule

    async def work(client: Client) -> Object:
        backup = await _made(client, source, name)
        meta = backup["metadata"]
        meta["labels"] = meta["labels"] | labels
        meta["annotations"] = meta["annotations"] | annotations
        if not form.output:
            write("Creating backup from schedule, all other filters are ignored.\n")
            await client.create(BACKUP.into(dict), backup, namespace())
        return backup

    backup = on_cluster(work)
    if form.output:
        print_objects(BACKUP, COLUMNS, [backup], form)
        return
    made = backup["metadata"]["name"]
    write(
        f'Backup request "{made}" submitted successfully.\n'
        f"Run `kedge backup describe {made}` or `kedge backup logs {made}` for more details.\n"
    )


async def _made(client: Client, source: str, name: str | None) -> Object:
    """Make the Backup; it is not marked as the run of an instant, as it is none."""
    from kedge.cli.schedule.kind import SCHEDULES
    from kedge.cli.selection import bare, missing
    from kedge.controllers.schedule.children import backup_name, from_schedule
    from kedge.kube.errors import NotFound

    try:
        schedule = await client.get(SCHEDULES, bare(SCHEDULES, source), namespace())
    except NotFound as exc:
        raise Failure(missing(SCHEDULES, exc)) from exc
    except ValueError as exc:
        raise Failure(str(exc)) from exc
    return from_schedule(schedule, name or backup_name(schedule["metadata"]["name"], now()))
