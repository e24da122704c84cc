"""`kedge backup-location create`: a new place for backups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.errors import Failure, Misuse
from kedge.cli.flags import FlagCommand, map_option, switch
from kedge.cli.location.bucket import bucket_problem
from kedge.cli.location.options import (
    access_mode_option,
    credential_of,
    credential_option,
    defaults,
    period_option,
    read_certificate,
)
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


@click.command("create", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@click.option(
    "--provider",
    metavar="NAME",
    default="",
    help="Who keeps the bucket: aws, gcp, azure or kedge.dev/filesystem.",
)
@click.option("--bucket", metavar="NAME", default="", help="The bucket.")
@click.option("--prefix", metavar="FOLDER", default="", help="The folder in the bucket.")
@map_option("--config", help="Settings of the provider, such as region=eu-west-1.")
@credential_option
@switch("--default", "is_default", help="Backups that name no location are kept here.")
@access_mode_option
@period_option("--backup-sync-period", "How often to look for backups in it; 0s is never.")
@period_option("--validation-frequency", "How often to see whether it can be used; 0s: once.")
@map_option("--labels", help="Labels of the location.")
@click.option("--cacert", metavar="FILE", default="", help="Certificates to trust, as PEM.")
@output_options("Print the location in this form, and do not send it.", default="")
@connection_options
def create(name: str, form: Form, **given: Any) -> None:
    """Create a storage location."""
    from kedge.cli.location.columns import COLUMNS
    from kedge.cli.location.kind import LOCATIONS

    location = made(name, given)
    if form.output:
        print_objects(LOCATIONS, COLUMNS, [location], form)
        return
    on_cluster(lambda client: _send(client, location))
    write(f'Backup storage location "{name}" configured successfully.\n')


def made(name: str, given: dict[str, Any]) -> Object:
    """Make the BackupStorageLocation; raises Misuse where something is missing."""
    from kedge.cli.location.kind import LOCATIONS
    from kedge.cli.sending import new_object

    return new_object(LOCATIONS, name, namespace(), spec_of(given), given)


def spec_of(given: dict[str, Any]) -> Object:
    """Make the spec of a location; raises Misuse where something is missing or wrong."""
    for required in ("provider", "bucket"):
        if not given[required]:
            raise Misuse(f"--{required} is required")
    if problem := bucket_problem(given["bucket"]):
        raise Misuse(problem)
    storage = {"bucket": given["bucket"], "prefix": given["prefix"]}
    if given["cacert"]:
        storage["caCert"] = read_certificate(given["cacert"])
    spec = {
        "provider": given["provider"],
        "objectStorage": {key: value for key, value in storage.items() if value},
        "config": given["config"],
        "credential": credential_of(given["credential"]),
        "default": bool(given["is_default"]),
        "accessMode": given["access_mode"],
        "backupSyncPeriod": given["backup_sync_period"],
        "validationFrequency": given["validation_frequency"],
    }
    return {key: value for key, value in spec.items() if value}


async def _send(client: Client, location: Object) -> None:
    from kedge.cli.hints import explained
    from kedge.cli.location.kind import LOCATIONS
    from kedge.cli.selection import is_object, missing
    from kedge.kube.errors import NotFound

    place = namespace()
    try:
        if location["spec"].get("default") and await defaults(client, place):
            raise Failure(
                "there is already exist default backup storage location, please unset it first "
                "or do not set --default flag"
            )
        await client.create(LOCATIONS, location, place)
    except NotFound as exc:
        # A namespace that is not there is an object, and told as such.
        raise Failure(explained(exc) if is_object(exc) else missing(LOCATIONS, exc)) from exc
