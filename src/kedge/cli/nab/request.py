"""What people ask for themselves: how a request stands, whatever is missing in its status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from kedge.cli.objects import NONE, part

if TYPE_CHECKING:
    from kedge.cli.selection import Wanted
    from kedge.kube.kind import Kind, Object

WAITING: Final = frozenset({"", "New", "Queued", "ReadyToStart"})
"""Phases of a Velero object that nobody works on yet."""
GONE: Final = "<gone>"
BACKING_OFF: Final = "BackingOff"
CREATED: Final = "Created"
DELETING: Final = "Deleting"
NOT_READY: Final = "is not ready to be restored"
"""How the server ends what it says of a restore whose backup is still on its way."""
UNREADABLE: Final = "the administrator's policy can not be read"
"""How the server begins what it says when nothing is let through."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A kind of request, and where its object of Velero is told of."""

    noun: str
    """`backup` or `restore`."""
    command: str
    """Of `kedge`, and the short name of the kind."""
    kind: Kind[Object]
    made: str
    """The field of the status with the object of Velero."""
    done: str
    """The field of its progress that counts."""
    over: frozenset[str]
    """The phases of it after which nothing happens."""
    outlasts: bool
    """Whether what was done stays when the object of Velero is gone."""

    def velero(self, obj: Object) -> Object:
        """Give the status of the object of Velero, empty where there is none."""
        found = part(obj, "status", self.made, "status")
        return found if isinstance(found, dict) else {}

    def velero_phase(self, obj: Object) -> str:
        """Give the phase of the object of Velero, empty where it has none yet."""
        return str(self.velero(obj).get("phase") or "")

    def velero_name(self, obj: Object) -> str:
        """Give the name of the object of Velero, empty where there is none."""
        return str(part(obj, "status", self.made, "name") or "")

    def progress(self, obj: Object) -> tuple[int, int] | None:
        """Give how many objects are done, and how many there are; None where it is not known."""
        total = part(self.velero(obj), "progress", "totalItems")
        done = part(self.velero(obj), "progress", self.done)
        if not isinstance(total, int):
            return None
        return (done if isinstance(done, int) else 0), total

    def is_made(self, obj: Object) -> bool:
        """Tell whether the object of Velero was made; its name is known before that."""
        is_told = condition(obj, "Queued").get("status") == "True"
        return is_told or phase_of(obj) == CREATED or bool(self.velero(obj))

    def is_gone(self, obj: Object) -> bool:
        """Tell whether nothing is left of what was made, or nothing comes of it any more."""
        is_kept = self.outlasts and self.velero_phase(obj) in self.over
        return is_lost(obj) and not is_kept

    def is_over(self, obj: Object) -> bool:
        """Tell whether nothing more happens unless somebody does something."""
        is_ended = self.velero_phase(obj) in self.over
        return is_ended or is_refused(obj) or self.is_gone(obj) or is_leaving(obj)

    def state(self, obj: Object) -> str:
        """Write how the object of Velero stands: its last phase is known also when it is gone."""
        return GONE if self.is_gone(obj) else self.velero_phase(obj) or NONE

    def is_waiting(self, obj: Object) -> bool:
        """Tell whether nobody works on it yet."""
        return self.velero_phase(obj) in WAITING


def phase_of(obj: Object) -> str:
    """Give the phase of the request itself, empty before anybody has seen it."""
    return str(part(obj, "status", "phase") or "")


def is_leaving(obj: Object) -> bool:
    """Tell whether the object is being deleted."""
    return phase_of(obj) == DELETING or bool(part(obj, "metadata", "deletionTimestamp"))


def condition(obj: Object, kind: str) -> Mapping[str, Any]:
    """Give the condition of this type, empty where there is none."""
    found = part(obj, "status", "conditions")
    for one in found if isinstance(found, list) else ():
        if part(one, "type") == kind:
            return dict(one)
    return {}


def says(obj: Object, kind: str, status: str) -> str:
    """Give the message of a condition that has this status; empty where it has not."""
    found = condition(obj, kind)
    if found.get("status") != status:
        return ""
    return str(found.get("message") or found.get("reason") or kind)


def is_early(obj: Object) -> bool:
    """Tell whether a restore waits for its backup, and goes on by itself when that is ready."""
    is_held = says(obj, "Accepted", "False").endswith(NOT_READY)
    return phase_of(obj) == BACKING_OFF and is_held and not says(obj, "Failed", "True")


def is_refused(obj: Object) -> bool:
    """Tell whether nothing comes of a request unless somebody does something about it.

    One that was mended keeps its phase until it is made.
    """
    is_accepted = condition(obj, "Accepted").get("status") == "True"
    return phase_of(obj) == BACKING_OFF and not is_accepted and not is_early(obj)


def is_lost(obj: Object) -> bool:
    """Tell whether the object of Velero was there, or should have been, and is not any more.

    Whatever the phase: that does not go back, and what was last known of the object is kept.
    """
    found = condition(obj, "Accepted")
    return found.get("status") == "False" and str(found.get("reason") or "").endswith("NotFound")


def position(obj: Object) -> int:
    """Give the place in the queue: 0 where it is done, or where it is not known."""
    found = part(obj, "status", "queueInfo", "estimatedQueuePosition")
    return found if isinstance(found, int) else 0


def named(wanted: Wanted, command: str) -> Wanted:
    """Give the same with names alone where the short name of the kind stands in front of one."""
    return replace(wanted, names=[alone(one, command) for one in wanted.names])


def alone(name: str, command: str) -> str:
    """Give a name without the short name of the kind in front of it."""
    return name.removeprefix(f"{command}/")
