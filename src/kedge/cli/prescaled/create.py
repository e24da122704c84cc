"""`kedge prescaled create`: a new PreScaledCronJob, checked before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kedge.cli.backup.filters import label_options
from kedge.cli.connection import context_options, given_namespace, namespace, on_cluster
from kedge.cli.errors import Misuse
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.instants import now
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.output import write
from kedge.cli.prescaled.options import lead_option

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

POLICIES = ("Allow", "Forbid", "Replace")
TEMPLATE = ("expression", "zone", "image", "command", "restart", "concurrency_policy", "suspend")
"""What a file says itself."""


@click.command("create", cls=FlagCommand)
@click.argument("name", metavar="[NAME]", required=False)
@click.argument("command", metavar="[COMMAND]...", nargs=-1)
@click.option("-f", "--filename", metavar="FILE", help="A CronJob to start early; - is stdin.")
@lead_option
@click.option(
    "--primer-schedule", "primer", metavar="EXPR", help="When to start, in place of a lead."
)
@click.option("--schedule", "expression", metavar="EXPR", help="When it runs, quoted.")
@click.option("--zone", metavar="ZONE", help="Time zone of it, such as Europe/Amsterdam.")
@click.option("--image", metavar="IMAGE", help="Image of the container.")
@click.option(
    "--restart",
    type=click.Choice(["OnFailure", "Never"]),
    help="What becomes of a container that fails.  [default: OnFailure]",
)
@click.option(
    "--concurrency-policy",
    type=click.Choice(POLICIES),
    help="Whether runs may overlap.  [default: Allow]",
)
@switch("--suspend", help="Start nothing for now.")
@label_options("PreScaledCronJob")
@output_options("Print it in this form, and do not send it.", default="")
@context_options
def create(form: Form, filename: str | None, **given: Any) -> None:
    """Create a PreScaledCronJob.

    From options, with COMMAND behind "--", or from a file with a CronJob. It is checked before it
    is sent.
    """
    from kedge.cli.prescaled.columns import COLUMNS
    from kedge.cli.prescaled.coming import planned
    from kedge.cli.prescaled.kind import PRESCALED

    objects = [_of_flags(given)] if filename is None else _of_file(filename, given)
    for one in objects:
        planned(one, now())
    if form.output:
        print_objects(PRESCALED, COLUMNS, objects, form)
        return
    on_cluster(lambda client: _send(client, objects))


def _of_flags(given: dict[str, Any]) -> Object:
    from kedge.cli.prescaled.made import made
    from kedge.cli.references import image_problem

    for option, field in (("NAME", "name"), ("--schedule", "expression"), ("--image", "image")):
        if not given[field]:
            raise Misuse(f"{option} is required, or a file with --filename")
    if problem := image_problem("--image", given["image"]):
        raise Misuse(problem)
    if (given["lead"] is None) == (not given["primer"]):
        raise Misuse("exactly one of --lead and --primer-schedule is required")
    spec: Object = {"schedule": given["expression"]}
    for field, option in (("timeZone", "zone"), ("concurrencyPolicy", "concurrency_policy")):
        if given[option]:
            spec[field] = given[option]
    if given["suspend"]:
        spec["suspend"] = True
    spec["jobTemplate"] = {"spec": {"template": {"spec": _pod(given)}}}
    cron_job = {"apiVersion": "batch/v1", "kind": "CronJob", "spec": spec}
    meta = {"name": given["name"]}
    if given_namespace():
        meta["namespace"] = given_namespace()
    return _labelled(made(meta, cron_job, given["lead"], given["primer"] or ""), given)


def _pod(given: dict[str, Any]) -> Object:
    container: Object = {"name": given["name"], "image": given["image"]}
    if given["command"]:
        container["command"] = list(given["command"])
    return {"containers": [container], "restartPolicy": given["restart"] or "OnFailure"}


def _of_file(filename: str, given: dict[str, Any]) -> list[Object]:
    from kedge.cli.prescaled.subjects import of_file

    beside = [one for one in TEMPLATE if given[one]]
    if beside or given["primer"]:
        raise Misuse("with --filename only NAME, --lead, --labels and --annotations are taken")
    objects = of_file(filename, given["lead"])
    if given["name"]:
        if len(objects) > 1:
            raise Misuse(f"there are {len(objects)} objects in {filename}, and one NAME")
        objects[0]["metadata"] = {**objects[0]["metadata"], "name": given["name"]}
    return [_labelled(one, given) for one in objects]


def _labelled(obj: Object, given: dict[str, Any]) -> Object:
    meta = dict(obj["metadata"])
    for field in ("labels", "annotations"):
        if given[field]:
            meta[field] = {**(meta.get(field) or {}), **given[field]}
    return {**obj, "metadata": meta}


async def _send(client: Client, objects: list[Object]) -> None:
    from kedge.cli.prescaled.kind import PRESCALED
    from kedge.cli.sending import create_one

    for one in objects:
        name, place = one["metadata"]["name"], one["metadata"].get("namespace") or namespace()
        await create_one(client, PRESCALED, one, place)
        write(f'PreScaledCronJob "{name}" created successfully.\n')
