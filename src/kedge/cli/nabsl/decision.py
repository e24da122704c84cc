"""`kedge nabsl approve` and `reject`: what the administrator says to a bucket of somebody's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.errors import Failure
from kedge.cli.flags import FlagCommand
from kedge.cli.objects import part
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

UNASKED: Final = (
    'nobody has asked for an approval of NonAdminBackupStorageLocation "{name}" yet; `kedge nabsl '
    "describe {name}` tells why"
)


@click.command("approve", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@context_options
def approve(name: str) -> None:
    """Let a bucket of somebody's be used.

    For administrators. It prints the bucket that was asked for, which is the one that counts.
    """
    bucket = on_cluster(lambda client: _decide(client, name, "approve"))
    write(f"{bucket} is approved.\n")


@click.command("reject", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@context_options
def reject(name: str) -> None:
    """Do not let a bucket of somebody's be used.

    For administrators. It takes an approval back, too: the server lets go of the bucket, and the
    data in it stays.
    """
    bucket = on_cluster(lambda client: _decide(client, name, "reject"))
    write(f"{bucket} is rejected.\n")


async def _decide(client: Client, name: str, decision: str) -> str:
    """Write a decision into the request for a location; give the bucket that it is about."""
    from kedge.api.nonadmin.location_request import NON_ADMIN_LOCATION_REQUEST
    from kedge.cli.nab.request import alone
    from kedge.cli.nabsl.kind import OWN_LOCATIONS
    from kedge.cli.selection import bare, read_one
    from kedge.client.patches import merge
    from kedge.kube.errors import NotFound

    name = alone(bare(OWN_LOCATIONS, name), "nabsl")
    location = await read_one(client, OWN_LOCATIONS, name)
    made = part(location, "status", "veleroBackupStorageLocation")
    called, home = part(made, "nacuuid"), part(made, "namespace")
    if not called or not home:
        raise Failure(UNASKED.format(name=name))
    requests = NON_ADMIN_LOCATION_REQUEST.into(dict)
    try:
        request = await client.get(requests, called, home)
    except NotFound as exc:
        raise Failure(UNASKED.format(name=name)) from exc
    # Bound to what was read: nothing is approved that is not printed.
    seen = {"resourceVersion": request["metadata"]["resourceVersion"]}
    change = merge({"metadata": seen, "spec": {"approvalDecision": decision}})
    await client.patch(requests, called, change, home)
    return _bucket(request)


def _bucket(request: Object) -> str:
    asked = part(request, "status", "nonAdminBackupStorageLocation")
    spec = part(asked, "requestedSpec")
    storage = part(spec, "objectStorage")
    folder = "/".join(filter(None, (part(storage, "bucket"), part(storage, "prefix"))))
    place = f"{part(asked, 'namespace')}/{part(asked, 'name')}"
    return f'NonAdminBackupStorageLocation "{place}" ({part(spec, "provider")}, {folder})'
