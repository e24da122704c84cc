"""`kedge schedule create`: a new Schedule, checked before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kedge.cli.backup.filters import filter_options, label_options
from kedge.cli.backup.template import Filters, check_locations, spec_of
from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.errors import Failure, Misuse, complain
from kedge.cli.flags import FlagCommand, switch, tristate
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


@click.command("create", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@click.option("--schedule", "expression", metavar="EXPR", help="When: a cron expression, quoted.")
@switch(
    "--use-owner-references-in-backup",
    help="Backups belong to the schedule, and are deleted with it.",
)
@switch("--paused", help="Create it paused.")
@tristate(
    "--skip-immediately",
    takes_word=True,
    help="Skip a run that is due as soon as it is created.",
)
@filter_options
@label_options("schedule")
@output_options("Print the schedule in this form, and do not send it.", default="")
@connection_options
def create(name: str, filters: Filters, form: Form, **given: Any) -> None:
    """Create a schedule.

    EXPR has five fields (minute, hour, day of month, month, day of week) or is a descriptor such
    as @daily or "@every 6h", in UTC or with CRON_TZ=Zone in front. It is checked before it is
    sent, and so are the options of Kedge (annotations under kedge.dev/).
    """
    from kedge.cli.schedule.columns import COLUMNS
    from kedge.cli.schedule.kind import SCHEDULES

    schedule = made(name, filters, given)
    if form.output:
        print_objects(SCHEDULES, COLUMNS, [schedule], form)
        return
    on_cluster(lambda client: _send(client, schedule, filters))
    write(f'Schedule "{name}" created successfully.\n')


def made(name: str, filters: Filters, given: dict[str, Any]) -> Object:
    """Make the Schedule; raises Failure where it could never run."""
    from kedge.cli.schedule.kind import SCHEDULES
    from kedge.cli.sending import new_object

    if not given["expression"]:
        raise Misuse("--schedule is required")
    check_expression(given["expression"])
    check_annotations(given["annotations"])
    spec: Object = {
        "schedule": given["expression"],
        "template": spec_of(filters),
        "useOwnerReferencesInBackup": bool(given["use_owner_references_in_backup"]),
    }
    if given["paused"]:
        spec["paused"] = True
    if given["skip_immediately"] is not None:
        spec["skipImmediately"] = given["skip_immediately"]
    return new_object(SCHEDULES, name, namespace(), spec, given)


def check_expression(expression: str) -> None:
    """Refuse an expression that can not be, naming each field that is wrong."""
    from kedge.cron.parser import problems

    if not expression.strip():
        raise Failure("Schedule must be a non-empty valid Cron expression")
    found = problems(expression)
    if found:
        raise Failure(*(f"invalid schedule: {problem}" for problem in found))


def check_annotations(annotations: dict[str, str]) -> None:
    """Refuse options of ours that can not be, and point out those that have no effect."""
    from kedge.api.options import options_of

    options = options_of(annotations)
    if options.errors:
        raise Failure(*options.errors)
    for warning in options.warnings:
        complain(warning)


async def _send(client: Client, schedule: Object, filters: Filters) -> None:
    from kedge.cli.schedule.kind import SCHEDULES
    from kedge.cli.sending import create_one

    await check_locations(client, filters)
    await create_one(client, SCHEDULES, schedule)
