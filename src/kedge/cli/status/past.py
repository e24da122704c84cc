"""What ran: the last backups and restores, and how they ended. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from kedge.cli.nab.request import is_refused
from kedge.cli.status.report import Ran
from kedge.cli.status.view import View, askings, ended, number, phase_of, subject

if TYPE_CHECKING:
    from kedge.kube.kind import Object

LAST: Final = 20
"""So many are told of."""
DAWN: Final = datetime.min.replace(tzinfo=UTC)


def ran(view: View) -> tuple[list[Ran], int]:
    """Give the last ones, the newest first, and how many there are."""
    every = sorted(_all(view), key=lambda one: (one.at or DAWN, one.subject.name), reverse=True)
    return every[:LAST], len(every)


def _all(view: View) -> Iterator[Ran]:
    from kedge.cli.backup.kind import BACKING_UP
    from kedge.cli.restore.kind import RESTORING

    for kind, objects, over in (
        ("Backup", view.plain(), BACKING_UP.over),
        ("Restore", view.plain_restores(), RESTORING.over),
    ):
        yield from (_ran(kind, one, one) for one in objects if phase_of(one) in over)
    for asking in askings():
        for one in view.found.objects(asking.kind):
            if asking.velero_phase(one) in asking.over and not is_refused(one):
                yield _ran(asking.kind.name, one, {"status": asking.velero(one)})


def _ran(kind: str, named: Object, told: Object) -> Ran:
    at = ended(told) or ended(named)
    errors, warnings = number(told, "status", "errors"), number(told, "status", "warnings")
    return Ran(subject(kind, named), phase_of(told), at, errors, warnings)
