"""`kedge nar describe`: all about NonAdminRestores, and what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.objects import part
from kedge.cli.output import write
from kedge.cli.program import as_called
from kedge.cli.selection import Wanted, find_objects, look_options

if TYPE_CHECKING:
    from kedge.cli.description import Description
    from kedge.kube.kind import Object

VOLUMES = {
    "fileSystemPodVolumeRestores": "Pod Volumes:",
    "dataMoverDataDownloads": "Data Downloads:",
}


@click.command("describe", cls=FlagCommand)
@look_options
@context_options
def describe(wanted: Wanted) -> None:
    """Tell all about NonAdminRestores.

    First what happens next, and what you can do.
    """
    from kedge.cli.nab.request import named
    from kedge.cli.nar.kind import NARS

    chosen = named(wanted, "nar")
    found = on_cluster(lambda client: find_objects(client, NARS, chosen))
    write("\n\n".join(description(one, wanted.place(one)) for one in found.objects))
    found.end("NonAdminRestores")


def description(obj: Object, place: str = "") -> str:
    """Describe one NonAdminRestore, whatever is missing in it; `place` is as for `as_called`."""
    from kedge.cli.description import Description
    from kedge.cli.nab.description import describe_run, describe_standing, describe_volumes
    from kedge.cli.nar.kind import RESTORING, nar_outlook

    text = Description()
    outlook = as_called(nar_outlook(obj), place)
    describe_standing(text, RESTORING, obj, outlook)
    describe_run(text, RESTORING, obj, place)
    describe_volumes(text, obj, VOLUMES)
    text.blank()
    _spec(text, obj)
    text.conditions(part(obj, "status", "conditions"))
    return str(text)


def _spec(text: Description, obj: Object) -> None:
    """Add what is to come back."""
    from kedge.cli.description import NONE, flag, listed
    from kedge.cli.objects import selector_text

    spec = part(obj, "spec", "restoreSpec")
    text.line("From Backup:", str(part(spec, "backupName") or NONE))
    text.blank()
    text.line("Resources:")
    text.line("Included:", listed(part(spec, "includedResources"), "*"), depth=1)
    text.line("Excluded:", listed(part(spec, "excludedResources")), depth=1)
    text.blank()
    text.line("Label selector:", selector_text(part(spec, "labelSelector")))
    either = [selector_text(one) for one in part(spec, "orLabelSelectors") or ()]
    text.line("Or label selector:", " or ".join(either) or NONE)
    text.line("Restore PVs:", flag(part(spec, "restorePVs"), "auto"))
    text.line("Existing Resource Policy:", str(part(spec, "existingResourcePolicy") or NONE))
