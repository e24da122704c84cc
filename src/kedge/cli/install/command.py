"""`kedge install`: bring to a cluster what `kedge server` needs, and the server itself."""

from typing import TYPE_CHECKING, Any

import click

from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.durations import read_duration
from kedge.cli.errors import Failure, Misuse, complain
from kedge.cli.flags import switch
from kedge.cli.install.flags import settings_of, what_is_installed
from kedge.cli.install.refused import REFUSED
from kedge.cli.install.storageflags import storage_flags
from kedge.cli.output import say, write
from kedge.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # older versions of click can not be asked for what it gives


class _Form(_Choice):
    """The forms in which manifests are printed, of which a table is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the form; raises Misuse for a table, and what click raises for anything else."""
        if value == "table":
            raise Misuse("'table' format is not supported with 'install' command")
        return super().convert(value, param, ctx)


@click.command(cls=RefusingCommand, refused=REFUSED)
@storage_flags
@what_is_installed
@switch("--crds-only", help="Install the kinds alone.")
@switch(
    "--replace-crds",
    help="Put our CRDs in the place of a Velero's, which can then write no status any more.",
)
@switch("--dry-run", help="Print the manifests, and send nothing.")
@click.option(
    "-o",
    "--output",
    type=_Form(["yaml", "json"]),
    help="Print the manifests in this form, and send nothing.  [default with --dry-run: yaml]",
)
@switch("--apply", help="Apply server-side; it is done so whether it is said or not.")
@switch("--wait", help="Wait until the server runs.")
@click.option(
    "--timeout",
    default="3m",
    show_default=True,
    callback=read_duration,
    metavar="DURATION",
    help="How long to wait with --wait.",
)
@connection_options
def install(**flags: Any) -> None:
    """Install Kedge on a cluster.

    Kinds, namespace, service account with the rights that are used, a storage location if one is
    named, and the server, applied server-side. To install again changes what is different, and
    nothing else.
    """
    from kedge.cli.install.text import as_text

    is_printed = flags["dry_run"] or flags["output"] is not None
    if is_printed and flags["wait"]:
        raise Misuse("--wait goes with neither --dry-run nor -o: nothing is sent")
    objects = _objects(flags)
    if is_printed:
        write(as_text(objects, flags["output"] or "yaml"))
    else:
        _send(objects, flags)


def _objects(flags: dict[str, Any]) -> "list[Object]":
    from kedge.cli.install.checks import Wrong, check
    from kedge.cli.install.kinds import CRD, kind_of
    from kedge.cli.install.manifests import manifests

    settings = settings_of(namespace(), flags)
    try:
        check(settings)
    except Wrong as error:
        raise Misuse(str(error)) from error
    objects = manifests(settings)
    if flags["crds_only"]:
        return [obj for obj in objects if kind_of(obj) is CRD]
    return objects


def _send(objects: "list[Object]", flags: dict[str, Any]) -> None:
    from kedge.cli.install.failure import InstallError

    place = namespace()
    try:
        on_cluster(lambda client: _apply(client, objects, place, flags))
    except InstallError as error:
        raise Failure(str(error)) from error
    if not flags["crds_only"]:
        write(
            "Kedge is installed. See what it does with"
            f" `kubectl logs deployment/kedge -n {place}`.\n"
        )


async def _apply(
    client: "Client", objects: "list[Object]", place: str, flags: dict[str, Any]
) -> None:
    from kedge.cli.install.apply import Installation, doubt
    from kedge.cli.install.locations import check_default, hint
    from kedge.cli.install.waiting import rolled_out

    installation = Installation(client, lambda step: write(f"{step}\n"), flags["replace_crds"])
    if flags["crds_only"]:
        await installation.run(objects)
        return
    if warning := await doubt(client, place):
        complain(f"warning: {warning}")
    await check_default(client, objects, place)
    await installation.run(objects)
    await installation.clean(objects, place)
    if flags["wait"]:
        await rolled_out(client, place, flags["timeout"].total_seconds())
    say(await hint(client, place))
