"""`kedge nabsl create`: a bucket of one's own for backups of one's own namespace."""

from __future__ import annotations

from typing import Any, Final

import click

from kedge.cli.backup.filters import label_options
from kedge.cli.connection import context_options, on_cluster
from kedge.cli.errors import Misuse
from kedge.cli.flags import map_option
from kedge.cli.location.options import access_mode_option, credential_option, period_option
from kedge.cli.nab.options import DRY_RUN
from kedge.cli.objects import Form, output_options, print_objects
from kedge.cli.output import say
from kedge.cli.refusing import RefusingCommand

REFUSED: Final = {
    "--default": "the default location is the administrator's",
    "--dry-run": DRY_RUN,
}


@click.command("create", cls=RefusingCommand, refused=REFUSED)
@click.argument("name", metavar="NAME")
@click.option(
    "--provider", metavar="NAME", default="", help="Who keeps the bucket: aws, gcp or azure."
)
@click.option("--bucket", metavar="NAME", default="", help="The bucket.")
@click.option(
    "--prefix", metavar="FOLDER", default="", help="The folder in it, behind that of the namespace."
)
@map_option("--config", help="Settings of the provider, such as region=eu-west-1.")
@credential_option
@access_mode_option
@period_option("--backup-sync-period", "How often to look for backups in it; 0s is never.")
@period_option("--validation-frequency", "How often to see whether it can be used; 0s: once.")
@click.option("--cacert", metavar="FILE", default="", help="Certificates to trust, as PEM.")
@label_options("location")
@output_options("Print the location in this form, and do not send it.", default="")
@context_options
def create(name: str, form: Form, **given: Any) -> None:
    """Bring a bucket for backups of your namespace.

    --credential names a Secret of the namespace. The administrator may have to approve it.
    """
    from kedge.cli.location.create import spec_of
    from kedge.cli.nab.request import alone
    from kedge.cli.nab.sending import made, sent
    from kedge.cli.nabsl.columns import COLUMNS
    from kedge.cli.nabsl.kind import OWN_LOCATIONS
    from kedge.cli.selection import bare

    spec = spec_of(given | {"is_default": False})
    if "credential" not in spec:
        raise Misuse("--credential is required: the name of a Secret = the key in it")
    called = alone(bare(OWN_LOCATIONS, name), "nabsl")
    location = made(OWN_LOCATIONS, called, {"backupStorageLocationSpec": spec}, given)
    if form.output:
        print_objects(OWN_LOCATIONS, COLUMNS, [location], form)
        return
    on_cluster(lambda client: sent(client, OWN_LOCATIONS, location))
    say(f"Run `kedge nabsl describe {called}` to see what happens next.\n")
