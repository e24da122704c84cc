"""`kedge backup-location set`: changes what is named, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.errors import Failure, Misuse
from kedge.cli.flags import FlagCommand, tristate
from kedge.cli.location.options import (
    BOTH,
    credential_of,
    credential_option,
    defaults,
    read_certificate,
)
from kedge.cli.objects import part
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


@click.command("set", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@tristate("--default", "is_default", help="Keep backups that name no location here, or not.")
@credential_option
@click.option("--cacert", metavar="FILE", help="Certificates to trust, as PEM; '': none any more.")
@connection_options
def set_(
    name: str, is_default: bool | None, credential: dict[str, str], cacert: str | None
) -> None:
    """Change a storage location.

    What is not named stays as it is.
    """
    from kedge.cli.location.kind import LOCATIONS
    from kedge.cli.selection import bare

    change: Object = {}
    reference = credential_of(credential)
    if reference is not None:
        change["credential"] = reference
    if cacert is not None:
        change["objectStorage"] = {"caCert": read_certificate(cacert) if cacert else None}
    if not change and is_default is None:
        raise Misuse("there is nothing to set: use --default, --credential or --cacert")
    name = bare(LOCATIONS, name)
    told = on_cluster(lambda client: _set(client, name, is_default, change))
    write(f'Backup storage location "{name}" {told}\n')


async def _set(client: Client, name: str, is_default: bool | None, change: Object) -> str:
    from kedge.cli.location.kind import LOCATIONS
    from kedge.cli.selection import read_one
    from kedge.client.patches import merge

    place = namespace()
    location = await read_one(client, LOCATIONS, name)
    if part(change, "objectStorage", "caCert") and part(
        location, "spec", "objectStorage", "caCertRef"
    ):
        raise Failure(BOTH)
    if is_default is not None:
        known = await defaults(client, place) if is_default else []
        if known == [name]:
            if not change:
                return "is already the default backup storage location."
        elif known:
            raise Failure(
                "there are already exist default backup storage locations, please unset them first"
            )
        change = {**change, "default": is_default}
    # Of this version: what was looked at must still be so.
    version = {"resourceVersion": location["metadata"]["resourceVersion"]}
    await client.patch(LOCATIONS, name, merge({"metadata": version, "spec": change}), place)
    return "configured successfully."
