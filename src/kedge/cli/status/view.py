"""What was gathered, as the parts of a report look at it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from kedge.api.velero.labels import SCHEDULE_NAME
from kedge.cli.nab.request import Asking
from kedge.cli.objects import instant_in, name_of, part
from kedge.cli.status.gathering import FORBIDDEN
from kedge.cli.status.kinds import BACKUPS, NABS, NARS, RESTORES
from kedge.cli.status.report import Subject

if TYPE_CHECKING:
    from kedge.cli.status.gathering import Gathered
    from kedge.kube.kind import Object


@dataclass(frozen=True, slots=True)
class View:
    """All there is, at one moment."""

    found: Gathered
    present: datetime
    program: str = "kedge"
    """What people type for this command."""
    usual: str = "velero"
    """The namespace that needs not be named."""

    @property
    def is_admin(self) -> bool:
        """Whether Velero's own objects may be seen: others look at their namespace only."""
        return self.found.problem(BACKUPS) != FORBIDDEN

    def do(self, words: str) -> str:
        """Write the command to type for objects of Velero."""
        place = self.found.namespace
        return f"{self.program} {words}" + (f" -n {place}" if place != self.usual else "")

    def do_in(self, words: str, obj: Object) -> str:
        """Write the command to type for an object of any namespace."""
        return f"{self.program} {words} -n {text(obj, 'metadata', 'namespace')}"

    def plain(self) -> Iterator[Object]:
        """Give the Backups that were not made for a request: those are told of by the request."""
        made = self._made(NABS.plural, "veleroBackup")
        return (one for one in self.found.objects(BACKUPS) if name_of(one) not in made)

    def plain_restores(self) -> Iterator[Object]:
        """Give the Restores that were not made for a request."""
        made = self._made(NARS.plural, "veleroRestore")
        return (one for one in self.found.objects(RESTORES) if name_of(one) not in made)

    def _made(self, plural: str, field: str) -> set[str]:
        return {text(one, "status", field, "name") for one in self.found.lists[plural].objects}


def askings() -> tuple[Asking, Asking]:
    """Give the two kinds of requests of self-service."""
    from kedge.cli.nab.kind import BACKING_UP
    from kedge.cli.nar.kind import RESTORING

    return BACKING_UP, RESTORING


def subject(kind: str, obj: Object) -> Subject:
    """Name an object."""
    return Subject(kind, name_of(obj), text(obj, "metadata", "namespace"))


def schedule_of(backup: Object) -> str:
    """Give the Schedule that made a Backup; empty: it was made by hand."""
    labels = part(backup, "metadata", "labels")
    return str(labels.get(SCHEDULE_NAME) or "") if isinstance(labels, dict) else ""


def phase_of(obj: Object) -> str:
    """Give the phase of an object; one that nobody has seen yet is New."""
    return text(obj, "status", "phase") or "New"


def text(obj: Object, *path: str) -> str:
    """Look deep into an object for a text; empty where there is none."""
    found = part(obj, *path)
    return str(found) if found is not None else ""


def number(obj: Object, *path: str) -> int:
    """Look deep into an object for a number; 0 where there is none."""
    found = part(obj, *path)
    return found if isinstance(found, int) else 0


def ended(obj: Object) -> datetime | None:
    """Say when it came to its end, or else when it was made: what was refused has no end."""
    status = part(obj, "status")
    for name in ("completionTimestamp", "startTimestamp"):
        instant = instant_in(text(status or {}, name))
        if instant is not None:
            return instant
    return created(obj)


def created(obj: Object) -> datetime | None:
    """Say when it was made."""
    return instant_in(text(obj, "metadata", "creationTimestamp"))
