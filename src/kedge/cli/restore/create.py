"""`kedge restore create`: brings objects back from a backup, or shows what that would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kedge.cli.backup.filters import label_options
from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.download import Fetching, fetch_options
from kedge.cli.errors import Failure, Misuse, complain
from kedge.cli.flags import FlagCommand, switch, tristate
from kedge.cli.instants import now
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.output import encoded, write
from kedge.cli.restore.options import Choice, choice_options, spec_of
from kedge.cli.restore.source import check_source
from kedge.cli.waiting import wait_option

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

GOOD = ("Completed",)
USABLE = ("Completed", "PartiallyFailed")


@dataclass(frozen=True, slots=True)
class Source:
    """Where the objects come from."""

    backup: str
    schedule: str
    partial: bool
    """A backup of the schedule that is PartiallyFailed is good enough."""


@click.command("create", cls=FlagCommand)
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--from-backup", metavar="BACKUP", default="", help="The backup to restore from.")
@click.option(
    "--from-schedule",
    metavar="SCHEDULE",
    default="",
    help="The schedule whose newest Completed backup to restore from.",
)
@tristate("--allow-partially-failed", help="Or its newest that is PartiallyFailed, if newer.")
@switch("--preview", help="Show what would happen, and change nothing.")
@wait_option
@choice_options
@label_options("restore")
@fetch_options("1m0s")
@output_options("Print the restore, or the preview, in this form; send nothing.", default="")
@connection_options
def create(name: str | None, choice: Choice, how: Fetching, form: Form, **given: Any) -> None:
    """Restore from a backup, or preview it.

    Without a NAME it is called after the backup, or the schedule, and the time. --timeout,
    --cacert and --insecure-skip-tls-verify are for --preview, which fetches the archive.
    """
    check_source(given["from_backup"], given["from_schedule"])
    source = _source(given)
    restore = made(name, source, choice, given)
    if given["preview"]:
        if given["wait"]:
            raise Misuse("--preview and --wait can not be used together")
        _preview(restore, source, how, form)
        return
    if form.output and not source.partial:
        _print(restore, form)
        return
    _send(restore, source, form, bool(given["wait"]))


def made(name: str | None, source: Source, choice: Choice, given: dict[str, Any]) -> Object:
    """Make the Restore; raises Misuse where options do not go together."""
    from kedge.cli.restore.kind import RESTORES
    from kedge.cli.sending import new_object

    chosen = name or f"{source.schedule or source.backup}-{now().astimezone():%Y%m%d%H%M%S}"
    start = {"backupName": source.backup} if source.backup else {"scheduleName": source.schedule}
    return new_object(RESTORES, chosen, namespace(), start | spec_of(choice), given)


def _source(given: dict[str, Any]) -> Source:
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.schedule.kind import SCHEDULES
    from kedge.cli.selection import bare

    schedule = given["from_schedule"]
    return Source(
        bare(BACKUPS, given["from_backup"]) if given["from_backup"] else "",
        bare(SCHEDULES, schedule) if schedule else "",
        bool(schedule and given["allow_partially_failed"]),
    )


def _print(restore: Object, form: Form) -> None:
    from kedge.cli.restore.columns import COLUMNS
    from kedge.cli.restore.kind import RESTORES

    print_objects(RESTORES, COLUMNS, [restore], form)


def _send(restore: Object, source: Source, form: Form, wait: bool) -> None:
    from kedge.cli.restore.kind import RESTORING
    from kedge.cli.sending import submit
    from kedge.cli.waiting import tell

    async def work(client: Client) -> Object | None:
        await _settle(client, restore, source)
        if form.output:
            _print(restore, form)
            return None
        return await submit(client, RESTORING, restore, wait)

    ended = on_cluster(work)
    if ended is not None:
        tell(RESTORING, ended)


async def _settle(client: Client, restore: Object, source: Source) -> None:
    """Make sure that there is something to restore from, and say what where it is known."""
    from kedge.cli.restore.source import named_backup, newest, of_schedule

    if source.backup:
        await named_backup(client, source.backup)
        return
    backups = await of_schedule(client, source.schedule)
    found = newest(backups, USABLE) if source.partial else None
    if found is not None:
        spec = restore["spec"]
        del spec["scheduleName"]
        restore["spec"] = {"backupName": found["metadata"]["name"], **spec}


def _preview(restore: Object, source: Source, how: Fetching, form: Form) -> None:
    from kedge.cli.restore.forecast import forecast
    from kedge.cli.restore.preview import document, previewed

    if form.output == "name":
        raise Misuse("a preview has no names to print; use -o table, json or yaml")

    async def work(client: Client) -> None:
        backup = await _backup(client, source)
        name = str(backup["metadata"]["name"])
        # The server fills in the one that it has chosen.
        restore["spec"].pop("scheduleName", None)
        restore["spec"]["backupName"] = name
        changes, warnings = await previewed(client, restore, backup, how)
        for warning in warnings:
            complain(warning)
        if form.output in ("json", "yaml"):
            write(encoded(document(restore, name, changes), form.output))
        else:
            write(forecast(restore["metadata"]["name"], name, changes))

    on_cluster(work)


async def _backup(client: Client, source: Source) -> Object:
    from kedge.cli.restore.source import named_backup, newest, of_schedule

    if source.backup:
        return await named_backup(client, source.backup)
    backups = await of_schedule(client, source.schedule)
    found = newest(backups, USABLE if source.partial else GOOD)
    if found is None:
        raise Failure(f"No completed backups found for the schedule {source.schedule}")
    return found
