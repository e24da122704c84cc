"""`kedge nab describe`: all about NonAdminBackups, and what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.errors import Failure
from kedge.cli.flags import FlagCommand
from kedge.cli.objects import part, read_typed
from kedge.cli.output import write
from kedge.cli.program import as_called
from kedge.cli.selection import Wanted, find_objects, look_options

if TYPE_CHECKING:
    from kedge.cli.description import Description
    from kedge.kube.kind import Object

UNSAID = "<as the server says>"
"""Of what is filled in when the backup is made."""
VOLUMES = {
    "fileSystemPodVolumeBackups": "Pod Volumes:",
    "dataMoverDataUploads": "Data Uploads:",
}


@click.command("describe", cls=FlagCommand)
@look_options
@context_options
def describe(wanted: Wanted) -> None:
    """Tell all about NonAdminBackups.

    First what happens next, and what you can do.
    """
    from kedge.cli.nab.kind import NABS
    from kedge.cli.nab.request import named

    chosen = named(wanted, "nab")
    found = on_cluster(lambda client: find_objects(client, NABS, chosen))
    write("\n\n".join(description(one, wanted.place(one)) for one in found.objects))
    found.end("NonAdminBackups")


def description(obj: Object, place: str = "") -> str:
    """Describe one NonAdminBackup, whatever is missing in it; `place` is as for `as_called`."""
    from kedge.cli.description import Description
    from kedge.cli.nab.description import describe_run, describe_standing, describe_volumes
    from kedge.cli.nab.kind import BACKING_UP
    from kedge.cli.nab.outlook import deletion_errors, nab_outlook

    text = Description()
    outlook = as_called(nab_outlook(BACKING_UP, obj), place)
    describe_standing(text, BACKING_UP, obj, outlook)
    text.errors("Deletion Failed:", deletion_errors(obj))
    describe_run(text, BACKING_UP, obj, place)
    describe_volumes(text, obj, VOLUMES)
    text.blank()
    _spec(text, obj)
    text.conditions(part(obj, "status", "conditions"))
    return str(text)


def _spec(text: Description, obj: Object) -> None:
    """Add what is saved: with all that is enforced, once that is known."""
    from kedge.api.velero.backup import BACKUP
    from kedge.cli.backup.spec import describe_policy, describe_spec

    meta = obj.get("metadata") or {}
    own = {"includedNamespaces": [meta.get("namespace") or ""]}
    asked = part(obj, "spec", "backupSpec")
    made = part(obj, "status", "veleroBackup", "spec")
    spec = made or own | (asked if isinstance(asked, dict) else {})
    name = meta.get("name")
    try:
        known = read_typed(BACKUP, {"metadata": {"name": name}, "spec": spec}).spec
    except Failure as exc:
        text.line("Spec:", f"<{exc.problems[0]}>")
        return
    describe_spec(text, known, "" if made else UNSAID)
    describe_policy(text, known)
