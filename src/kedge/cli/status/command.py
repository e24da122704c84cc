"""`kedge status`: one screen about all of Kedge on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import (
    connection_options,
    given_namespace,
    namespace,
    on_cluster,
    usual_namespace,
)
from kedge.cli.errors import Failure, Misuse
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.instants import now
from kedge.cli.output import output_option, show
from kedge.cli.program import program
from kedge.cli.screen import is_terminal

if TYPE_CHECKING:
    from kedge.cli.status.report import Report
    from kedge.client import Client


@click.command("status", cls=FlagCommand)
@switch("-w", "--watch", help="Go on, and draw it again when something changes.")
@output_option
@connection_options
def status(watch: bool, output: str) -> None:
    """Tell what ran, what runs next, what waits and what is wrong.

    Each thing that is wrong comes with the command to type. Exits with 1 if there is any, and with
    0 if not. It only reads, and as far as you may: without rights on Velero's namespace it
    tells of your own.
    """
    from kedge.cli.status.drawing import drawn
    from kedge.cli.status.watching import redraw

    if watch and (output != "table" or not is_terminal()):
        raise Misuse("--watch draws on a terminal; without it, -o json and -o yaml go anywhere")
    if watch:
        on_cluster(lambda client: redraw(client, seen))
        return
    report = on_cluster(seen)
    show(output, report.document, lambda: drawn(report, program()))
    if not report.is_healthy:
        raise click.exceptions.Exit(1)


async def seen(client: Client) -> Report:
    """Look at the cluster, and report."""
    from kedge.cli.status.gathering import gather
    from kedge.cli.status.reporting import report_of
    from kedge.cli.status.server import ask_in_doubt
    from kedge.cli.status.view import View

    own = given_namespace() or client.access.namespace
    found = await gather(client, namespace(), own)
    if not found.is_installed:
        raise Failure(
            "Kedge is not installed on this cluster: none of its kinds is there; install it with "
            f"`{program()} install`, or name another cluster with --kubeconfig or --kubecontext"
        )
    view = View(found, now(), program(), usual_namespace())
    await ask_in_doubt(client, view)
    return report_of(view)
