"""What is wrong with requests of self-service, in the eyes of their owner. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from kedge.cli.nab.request import condition, is_leaving, is_refused, says
from kedge.cli.nabsl.columns import velero_phase
from kedge.cli.objects import name_of
from kedge.cli.status.kinds import NABSLS
from kedge.cli.status.queue import PENDING
from kedge.cli.status.report import Problem
from kedge.cli.status.view import View, askings, ended, subject
from kedge.cli.status.wrong import FAILED, RECENT
from kedge.cli.waiting import why


def refused_requests(view: View) -> list[Problem]:
    """Give the requests of which nothing comes unless their owner does something."""
    return [*_requests(view), *_locations(view)]


def _requests(view: View) -> Iterator[Problem]:
    for asking in askings():
        for one in view.found.objects(asking.kind):
            fix = view.do_in(f"{asking.command} describe {name_of(one)}", one)
            who = subject(asking.kind.name, one)
            if is_leaving(one):
                continue
            if is_refused(one) or asking.is_gone(one):
                yield Problem(who, says(one, "Accepted", "False") or "it is refused", fix)
            elif asking.velero_phase(one) in FAILED:
                told = {"status": asking.velero(one)}
                at = ended(told) or ended(one)
                if at is not None and view.present - at < RECENT:
                    reason = "; ".join(why(told))
                    yield Problem(who, f"{asking.velero_phase(one)}: {reason}", fix)


def _locations(view: View) -> Iterator[Problem]:
    for one in view.found.objects(NABSLS):
        told = [
            says(one, kind, "False")
            for kind in ("Accepted", "SpecUpdateApproved", "ClusterAdminApproved", "SecretSynced")
        ]
        is_pending = condition(one, "ClusterAdminApproved").get("reason") == PENDING
        reason = next(filter(None, told), "") if not is_pending else ""
        if not reason and velero_phase(one) == "Unavailable":
            reason = "the bucket can not be used"
        if reason and not is_leaving(one):
            fix = view.do_in(f"nabsl describe {name_of(one)}", one)
            yield Problem(subject("NonAdminBackupStorageLocation", one), reason, fix)
