"""Puts a report together. Pure."""

from kedge.cli.status.future import coming
from kedge.cli.status.notice import notices, unseen
from kedge.cli.status.past import ran
from kedge.cli.status.queue import waiting
from kedge.cli.status.report import Report
from kedge.cli.status.requested import refused_requests
from kedge.cli.status.server import server_of
from kedge.cli.status.view import View
from kedge.cli.status.wrong import LATE, wrong


def report_of(view: View) -> Report:
    """Report what is there; what is wrong with a request of somebody else's is a notice."""
    server = server_of(view)
    last, total = ran(view)
    refused = refused_requests(view)
    problems, told = wrong(view, server), notices(view)
    return Report(
        view.found.namespace,
        view.present,
        server,
        last,
        total,
        [one for one in coming(view) if view.present - one.at < LATE],
        waiting(view),
        problems if view.is_admin else [*problems, *refused],
        [*told, *refused] if view.is_admin else told,
        unseen(view),
    )
