"""What waits: for its turn, for its end, or for somebody. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kedge.cli.nab.request import condition, is_early, position
from kedge.cli.objects import part
from kedge.cli.status.kinds import APPROVALS, NABSLS, SCHEDULES
from kedge.cli.status.past import DAWN
from kedge.cli.status.report import Waiting
from kedge.cli.status.view import View, askings, created, number, phase_of, subject, text

if TYPE_CHECKING:
    from kedge.kube.kind import Object

UNSTARTED: Final = frozenset({"New", "Queued", "ReadyToStart"})
PENDING: Final = "BslSpecApprovalPending"
LAST_PLACE: Final = 1 << 31


def waiting(view: View) -> list[Waiting]:
    """Give what runs first, then the queue in its order, then what waits for somebody."""
    return sorted(_all(view), key=_rank)


def _rank(one: Waiting) -> tuple[bool, bool, int, str, str]:
    is_waiting = one.phase in UNSTARTED
    since = (one.since or DAWN).isoformat()
    return bool(one.fix), is_waiting, one.position or LAST_PLACE, since, one.subject.name


def _all(view: View) -> Iterator[Waiting]:
    from kedge.cli.backup.kind import BACKING_UP
    from kedge.cli.restore.kind import RESTORING

    for kind, objects, work in (
        ("Backup", view.plain(), BACKING_UP),
        ("Restore", view.plain_restores(), RESTORING),
    ):
        for one in objects:
            if phase_of(one) not in work.over:
                place = number(one, "status", "queuePosition")
                note = _progress(one, work.done)
                yield Waiting(subject(kind, one), phase_of(one), place, note, since=created(one))
    yield from _requests(view)
    yield from _blocked(view)
    yield from _approvals(view)


def _requests(view: View) -> Iterator[Waiting]:
    for asking in askings():
        for one in view.found.objects(asking.kind):
            if asking.is_over(one):
                continue
            phase = asking.velero_phase(one) or "New"
            note = "waits for its backup" if is_early(one) else ""
            note = note or _progress({"status": asking.velero(one)}, asking.done)
            who = subject(asking.kind.name, one)
            yield Waiting(who, phase, position(one), note, since=created(one))
    for one in view.found.objects(NABSLS):
        if condition(one, "ClusterAdminApproved").get("reason") == PENDING and not view.is_admin:
            who = subject("NonAdminBackupStorageLocation", one)
            yield Waiting(who, "Pending", note="waits for the administrator", since=created(one))


def _blocked(view: View) -> Iterator[Waiting]:
    for one in view.found.objects(SCHEDULES):
        told = condition(one, "Blocked")
        if told.get("status") == "True":
            who = subject("Schedule", one)
            yield Waiting(who, "Blocked", note=str(told.get("message") or ""))


def _approvals(view: View) -> Iterator[Waiting]:
    for one in view.found.objects(APPROVALS):
        if part(one, "spec", "approvalDecision") in ("approve", "reject"):
            continue
        asked = part(one, "status", "nonAdminBackupStorageLocation") or {}
        place, name = text(asked, "namespace"), text(asked, "name")
        owner = f"{place}/{name}"
        fix = view.do_in(f"nabsl approve {name}", {"metadata": {"namespace": place}})
        who = subject("NonAdminBackupStorageLocationRequest", one)
        note = f"{owner} waits for an administrator"
        yield Waiting(who, "Pending", note=note, fix=fix, since=created(one))


def _progress(obj: Object, done: str) -> str:
    total = number(obj, "status", "progress", "totalItems")
    return f"{number(obj, 'status', 'progress', done)} of {total} objects" if total else ""
