"""`kedge prescaled convert`: the PreScaledCronJob for a CronJob, to be looked at and applied."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from kedge.cli.connection import context_options
from kedge.cli.errors import Failure, Misuse, complain
from kedge.cli.flags import FlagCommand
from kedge.cli.instants import now
from kedge.cli.output import encoded, write
from kedge.cli.prescaled.options import needed_lead_option
from kedge.cli.selection import Found, Wanted

if TYPE_CHECKING:
    from kedge.kube.kind import Object


@click.command("convert", cls=FlagCommand)
@click.argument("names", nargs=-1, metavar="[CRONJOB]...")
@click.option("-f", "--filename", metavar="FILE", help="CronJobs of a file; - is stdin.")
@needed_lead_option
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json"]),
    default="yaml",
    show_default=True,
    help="How to print it.",
)
@context_options
def convert(names: tuple[str, ...], filename: str | None, lead: timedelta, output: str) -> None:
    """Print the PreScaledCronJob for a CronJob.

    CRONJOB is cronjob/NAME or NAME. Nothing is changed on the cluster: look at what is printed,
    apply it, and then delete the CronJob, which would go on by itself.
    """
    found = _found(names, filename, lead)
    found.problems += _problems(found.objects)
    if found.objects and not found.problems:
        write(encoded(_whole(found.objects), output))
        for one in found.objects if filename is None else ():
            name = one["metadata"]["name"]
            complain(f"CronJob {name} goes on by itself: delete it once this is applied")
    found.check()


def _found(names: tuple[str, ...], filename: str | None, lead: timedelta) -> Found:
    from kedge.cli.prescaled.kind import CRON_JOBS, PRESCALED
    from kedge.cli.prescaled.reference import reference
    from kedge.cli.prescaled.subjects import of_cluster, of_file

    if bool(names) == (filename is not None):
        raise Misuse("name CronJobs, or give a file with --filename, one of the two")
    if filename is not None:
        return Found(of_file(filename, lead))
    for name in names:
        if reference(name, CRON_JOBS)[0] is PRESCALED:
            raise Misuse(f"{name!r} is a PreScaledCronJob; name a CronJob")
    return of_cluster(Wanted(names), lead, CRON_JOBS)


def _problems(objects: list[Object]) -> list[str]:
    """Find what no controller could do."""
    from kedge.cli.prescaled.coming import planned

    problems: list[str] = []
    for one in objects:
        try:
            planned(one, now())
        except Failure as exc:
            problems += exc.problems
    return problems


def _whole(objects: list[Object]) -> Object:
    if len(objects) == 1:
        return objects[0]
    return {"apiVersion": "v1", "kind": "List", "items": objects}
