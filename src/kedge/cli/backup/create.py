"""`kedge backup create`: a backup by hand, of what is said here or of what a schedule saves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kedge.cli.backup.filters import filter_options, label_options
from kedge.cli.backup.template import Filters, check_locations, spec_of
from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.errors import Misuse
from kedge.cli.flags import FlagCommand
from kedge.cli.instants import now
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.output import write
from kedge.cli.waiting import wait_option

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


@click.command("create", cls=FlagCommand)
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--from-schedule", metavar="SCHEDULE", help="The schedule whose template is used.")
@wait_option
@filter_options
@label_options("backup")
@output_options("Print the backup in this form, and do not send it.", default="")
@connection_options
def create(name: str | None, filters: Filters, form: Form, **given: Any) -> None:
    """Create a backup.

    With --from-schedule of what the schedule saves: it is made at once, also while the schedule
    is paused, and its next run comes as if nothing had been. Without a NAME it is then called
    after the schedule and the time.
    """
    from kedge.cli.backup.kind import BACKING_UP, BACKUPS
    from kedge.cli.sending import submit
    from kedge.cli.waiting import tell

    source = _source(given["from_schedule"])
    if not source and not name:
        raise Misuse("a backup name is required, unless you are creating based on a schedule")
    spec = spec_of(filters)

    async def made(client: Client) -> Object:
        return await _from_schedule(client, source, name, given)

    if form.output:
        from kedge.cli.backup.columns import COLUMNS

        backup = on_cluster(made) if source else _made(name or "", spec, given)
        print_objects(BACKUPS, COLUMNS, [backup], form)
        return

    async def work(client: Client) -> Object | None:
        if source:
            backup = await made(client)
            write("Creating backup from schedule, all other filters are ignored.\n")
        else:
            backup = _made(name or "", spec, given)
            await check_locations(client, filters)
        return await submit(client, BACKING_UP, backup, bool(given["wait"]))

    ended = on_cluster(work)
    if ended is not None:
        tell(BACKING_UP, ended)


def _source(given: str | None) -> str:
    source = given.strip() if given is not None else None
    if source == "":
        raise Misuse("flag must have a non-empty value: --from-schedule")
    return source or ""


def _made(name: str, spec: Object, given: dict[str, Any]) -> Object:
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.sending import new_object

    return new_object(BACKUPS, name, namespace(), spec, given)


async def _from_schedule(
    client: Client, source: str, name: str | None, given: dict[str, Any]
) -> Object:
    """Make the Backup of a Schedule; it is not marked as the run of an instant, as it is none."""
    from kedge.cli.schedule.kind import SCHEDULES
    from kedge.cli.selection import bare, read_one
    from kedge.controllers.schedule.children import backup_name, from_schedule

    schedule = await read_one(client, SCHEDULES, bare(SCHEDULES, source))
    backup = from_schedule(schedule, name or backup_name(schedule["metadata"]["name"], now()))
    meta = backup["metadata"]
    meta["labels"] = meta["labels"] | given["labels"]
    meta["annotations"] = meta["annotations"] | given["annotations"]
    return backup
