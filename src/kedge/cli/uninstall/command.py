"""`kedge uninstall`: take Kedge off a cluster."""

import sys
from typing import TYPE_CHECKING, Any

import click

from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.durations import read_duration
from kedge.cli.errors import Failure, Misuse
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.output import say, write

if TYPE_CHECKING:
    from kedge.cli.uninstall.survey import Survey
    from kedge.client import Client

UNTOLD = "nobody can be asked here, and what is named above would be lost: use --force to go on"


@click.command(cls=FlagCommand)
@switch("--delete-crds", help="Delete our kinds, too, and all their objects in all namespaces.")
@switch("--all", "everything", help="Delete our kinds, their objects, and the namespace.")
@switch("--force", help="Do not ask.")
@switch("--wait", help="Wait for the end; it is done so whether it is said or not.")
@click.option(
    "--timeout",
    default="3m",
    show_default=True,
    callback=read_duration,
    metavar="DURATION",
    help="How long to wait for the end of the server's pods, of each kind, of the namespace.",
)
@connection_options
def uninstall(**flags: Any) -> None:
    """Take Kedge off a cluster.

    The server and its rights go. Schedules, Backups and all other objects stay with their kinds
    and the namespace, unless --delete-crds or --all is given; what is in the object storage stays
    in any case.
    """
    from kedge.cli.install.failure import InstallError

    try:
        found = on_cluster(lambda client: _survey(client, namespace()))
        _agree(found, flags)
        on_cluster(lambda client: _remove(client, found, flags))
    except InstallError as error:
        raise Failure(str(error)) from error


async def _survey(client: "Client", place: str) -> "Survey":
    from kedge.cli.install.failure import failure
    from kedge.cli.uninstall.remove import AS_ADMIN
    from kedge.cli.uninstall.survey import survey
    from kedge.client import ClientError
    from kedge.kube.errors import ApiError

    try:
        return await survey(client, place)
    except (ApiError, ClientError) as error:
        raise failure(f"Namespace/{place}", error, AS_ADMIN) from error


def _agree(found: "Survey", flags: dict[str, Any]) -> None:
    """Say what is lost, and ask; raises Failure where it must not be, Misuse where nobody says."""
    from kedge.cli.install.kinds import DEPLOYMENT
    from kedge.cli.selection import confirm
    from kedge.cli.uninstall.words import loss

    crds, everything = bool(flags["delete_crds"] or flags["everything"]), bool(flags["everything"])
    if crds and found.others:
        raise Failure(
            f"Kedge runs in {', '.join(found.others)} as well, where all would be lost:"
            " uninstall it there first, or leave the kinds"
        )
    for label, why in found.left:
        if label.startswith(f"{DEPLOYMENT.name}/"):
            # It would go on, without rights or without its objects.
            raise Failure(f"{label}: {why}")
    text = loss(found, crds=crds, namespace=everything)
    if not text or flags["force"]:
        return
    write(text)
    if sys.stdin is None or not sys.stdin.isatty():
        raise Misuse(UNTOLD)
    if not confirm():
        raise Failure("nothing was deleted")


async def _remove(client: "Client", found: "Survey", flags: dict[str, Any]) -> None:
    from kedge.cli.install.apply import Step
    from kedge.cli.uninstall.remove import Removal
    from kedge.cli.uninstall.words import farewell, kept

    crds, everything = bool(flags["delete_crds"] or flags["everything"]), bool(flags["everything"])

    def tell(step: Step) -> None:
        say(f"{step}\n")

    removal = Removal(client, tell, flags["timeout"].total_seconds())
    await removal.server(found)
    if crds:
        await removal.kinds(found)
    if everything and not found.home_left:
        await removal.home(found)
    for label, why in kept(found, crds=crds, namespace=everything):
        tell(Step(label, "left", why))
    say(farewell(found, crds=crds))
