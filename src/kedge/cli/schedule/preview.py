"""`kedge schedule preview`: when a schedule will run, and what stands in the way."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.cron.options import LOCAL_TIME
from kedge.cli.errors import Failure, complain
from kedge.cli.flags import FlagCommand
from kedge.cli.instants import Moment, now, read_instant, stamp
from kedge.cli.objects import part
from kedge.cli.output import encoded, output_option, write
from kedge.cli.selection import Found, Wanted, find_objects, look_options

if TYPE_CHECKING:
    from kedge.cli.schedule.coming import Coming
    from kedge.kube.kind import Object

FEW, MANY = 5, 1000
"""Runs that are listed where neither a number nor an end is given, and where only an end is."""


def _read_until(ctx: click.Context, param: click.Parameter, given: str | None) -> Moment | None:
    return None if given is None else read_instant(ctx, param, given)


@click.command("preview", cls=FlagCommand)
@look_options
@click.option("-f", "--filename", metavar="FILE", help="Schedules of a file; - is stdin.")
@click.option(
    "--count",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="How many runs to list.  [default: 5]",
)
@click.option(
    "--until",
    callback=_read_until,
    metavar="TIME",
    help=f"List the runs up to this time. {LOCAL_TIME}",
)
@output_option
@connection_options
def preview(
    wanted: Wanted, filename: str | None, count: int | None, until: Moment | None, output: str
) -> None:
    """List the coming runs of schedules.

    In the zone of each schedule, with its own jitter and clock changes marked. Without a NAME,
    all schedules of the namespace; with -f, those of a file, without a cluster.
    """
    from kedge.cli.schedule.coming import coming_runs, described

    found = _found(wanted, filename)
    limit = count or (FEW if until is None else MANY)
    present = now()
    previews: list[Coming] = []
    for one in found.objects:
        try:
            previews.append(coming_runs(one, present, limit, until))
        except Failure as exc:
            found.problems += exc.problems
    if output == "table":
        write("\n".join(described(one, present) for one in previews))
    elif previews:
        documents = [_document(one) for one in previews]
        whole = documents[0] if len(documents) == 1 else {"items": documents}
        write(encoded(whole, output))
    if count is None and any(one.is_cut and until is not None for one in previews):
        complain(f"stopped after {limit} runs; --count lists more")
    found.end("schedules")


def _found(wanted: Wanted, filename: str | None) -> Found:
    from kedge.cli.schedule.kind import SCHEDULES

    if filename is None:
        return on_cluster(lambda client: find_objects(client, SCHEDULES, wanted))
    from kedge.cli.manifest import read_objects
    from kedge.kube.selectors import parse_labels

    objects = read_objects(filename, SCHEDULES.api_version, SCHEDULES.name)
    selector = parse_labels(wanted.selector)
    chosen = [one for one in objects if selector.matches(_labels(one))]
    if not wanted.names:
        return Found(chosen)
    known = {part(one, "metadata", "name") for one in chosen}
    return Found(
        [one for one in chosen if part(one, "metadata", "name") in wanted.names],
        [f'there is no Schedule "{n}" in {filename}' for n in wanted.names if n not in known],
    )


def _labels(schedule: Object) -> dict[str, str]:
    labels = part(schedule, "metadata", "labels")
    return labels if isinstance(labels, dict) else {}


def _document(coming: Coming) -> dict[str, Any]:
    return {
        "name": coming.name,
        "namespace": coming.namespace,
        "expression": coming.given.expression,
        "zone": coming.given.schedule.zone,
        "dst": str(coming.given.schedule.dst),
        "delaySeconds": coming.delay // timedelta(seconds=1),
        "notes": list(coming.notes),
        "next": [stamp(run) for run in coming.runs],
    }
