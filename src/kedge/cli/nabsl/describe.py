"""`kedge nabsl describe`: all about NonAdminBackupStorageLocations, and what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.objects import part, time_text
from kedge.cli.output import write
from kedge.cli.program import as_called
from kedge.cli.selection import Wanted, find_objects, look_options

if TYPE_CHECKING:
    from kedge.kube.kind import Object

COLOURS = {"Available": "green", "Unavailable": "red"}


@click.command("describe", cls=FlagCommand)
@look_options
@context_options
def describe(wanted: Wanted) -> None:
    """Tell all about NonAdminBackupStorageLocations.

    First what happens next, and what you can do.
    """
    from kedge.cli.nab.request import named
    from kedge.cli.nabsl.kind import OWN_LOCATIONS

    chosen = named(wanted, "nabsl")
    found = on_cluster(lambda client: find_objects(client, OWN_LOCATIONS, chosen))
    write("\n\n".join(description(one, wanted.place(one)) for one in found.objects))
    found.end("NonAdminBackupStorageLocations")


def description(obj: Object, place: str = "") -> str:
    """Describe one NonAdminBackupStorageLocation, whatever is missing in it.

    `place` is as for `as_called`.
    """
    from kedge.cli.description import NONE, Description
    from kedge.cli.nab.request import phase_of
    from kedge.cli.nabsl.columns import bucket, velero_phase
    from kedge.cli.nabsl.outlook import location_outlook

    spec = part(obj, "spec", "backupStorageLocationSpec")
    status = part(obj, "status", "veleroBackupStorageLocation", "status")
    phase = velero_phase(obj)
    text = Description()
    text.metadata(obj)
    text.blank()
    text.line("Next:", as_called(location_outlook(obj), place))
    text.blank()
    text.line("Request:", phase_of(obj) or NONE)
    text.state("Location:", phase or NONE, COLOURS)
    message = part(status, "message")
    text.errors("Message:", [str(message)] if message else [])
    text.blank()
    text.line("Provider:", str(part(spec, "provider") or NONE))
    text.line("Bucket:", bucket(obj))
    text.line("Access Mode:", str(part(spec, "accessMode") or "ReadWrite"))
    text.line("Credentials:", _credential(spec) or NONE)
    text.pairs("Config:", part(spec, "config"))
    text.line("Last Validated:", time_text(part(status, "lastValidationTime"), "<never>"))
    text.conditions(part(obj, "status", "conditions"))
    return str(text)


def _credential(spec: Object) -> str:
    """Write which Secret has the credentials, and under which key."""
    name, key = part(spec, "credential", "name"), part(spec, "credential", "key")
    return f"{name}, {key}" if name else ""
