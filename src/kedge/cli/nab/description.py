"""A request of self-service in words: how it stands, what comes next, and what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kedge.cli.backup.description import COLOURS, UNKNOWN
from kedge.cli.description import NONE, Description
from kedge.cli.nab.request import Asking, is_lost, phase_of, position, says
from kedge.cli.objects import name_of, part, time_text
from kedge.cli.program import as_called

if TYPE_CHECKING:
    from kedge.kube.kind import Object

COUNTS: Final = ("total", "completed", "inProgress", "failed", "canceled")


def describe_standing(text: Description, asking: Asking, obj: Object, outlook: str) -> None:
    """Add how a request stands; what is wrong with it, and what comes next, in front.

    `outlook` has its commands as they are to be typed.
    """
    text.metadata(obj)
    text.blank()
    text.line("Next:", outlook)
    text.blank()
    text.line("Request:", phase_of(obj) or NONE)
    text.state(f"{asking.noun.capitalize()}:", asking.state(obj), COLOURS)
    if asking.is_waiting(obj) and position(obj):
        text.line("Queue Position:", str(position(obj)))
    text.errors(_complaint(asking, obj), _some(says(obj, "Accepted", "False")))
    text.errors("Failed:", _failures(asking, obj))


def _complaint(asking: Asking, obj: Object) -> str:
    """Say what is not accepted: of what is made already, an edit alone, which changes nothing."""
    if is_lost(obj):
        return "Gone:"
    return "Edit Not Accepted:" if asking.is_made(obj) else "Not Accepted:"


def describe_run(text: Description, asking: Asking, obj: Object, place: str) -> None:
    """Add what is known of the object of Velero; `place` is as for `as_called`."""
    status = asking.velero(obj)
    text.blank()
    namespace = part(obj, "status", asking.made, "namespace") or ""
    name = asking.velero_name(obj)
    text.line(f"Velero {asking.noun.capitalize()}:", f"{namespace}/{name}" if name else NONE)
    text.line("Started:", time_text(part(status, "startTimestamp"), UNKNOWN))
    text.line("Completed:", time_text(part(status, "completionTimestamp"), UNKNOWN))
    if asking.noun == "backup":
        text.line("Expires:", time_text(part(status, "expiration"), UNKNOWN))
    progress = asking.progress(obj)
    if progress is not None:
        text.line("Items:", f"{progress[0]} of {progress[1]}")
    counts = {title: part(status, title.lower()) or 0 for title in ("Errors", "Warnings")}
    for title, count in counts.items():
        text.line(f"{title}:", str(count))
    if any(counts.values()):
        text.line("Told By:", _teller(asking, obj, place))


def _teller(asking: Asking, obj: Object, place: str) -> str:
    """Write who tells of errors and warnings: files of the administrator's are not given out."""
    own = as_called(f"`kedge {asking.command} logs {name_of(obj)}`", place)
    home, name = part(obj, "status", asking.made, "namespace"), asking.velero_name(obj)
    other = f"the administrator, with `kedge {asking.noun} describe {name} -n {home}`"
    if asking.noun == "backup":
        return own if part(obj, "spec", "backupSpec", "storageLocation") else other
    # Where its backup is kept a restore does not say.
    return f"{own}, if its backup is kept in a bucket of your own, or {other}"


def describe_volumes(text: Description, obj: Object, fields: dict[str, str]) -> None:
    """Add how far volumes have come, where there are any."""
    told = {
        title: ", ".join(
            f"{part(obj, 'status', field, one)} {'in progress' if one == 'inProgress' else one}"
            for one in COUNTS
            if part(obj, "status", field, one)
        )
        for field, title in fields.items()
    }
    if any(told.values()):
        text.blank()
    for title, counts in told.items():
        if counts:
            text.line(title, counts)


def _failures(asking: Asking, obj: Object) -> list[str]:
    status = asking.velero(obj)
    found = [str(one) for one in part(status, "validationErrors") or ()]
    return found + _some(str(part(status, "failureReason") or ""))


def _some(text: str) -> list[str]:
    return [text] if text else []
