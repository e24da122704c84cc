"""Whether the controllers run, by what they leave behind in the API."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from kedge.cli.durations import span
from kedge.cli.errors import Failure
from kedge.cli.objects import instant_in, part
from kedge.cli.status.kinds import LOCATIONS
from kedge.cli.status.report import Problem, Server, Subject
from kedge.cli.status.view import View, number, text

if TYPE_CHECKING:
    from kedge.cli.status.gathering import Gathered
    from kedge.client import Client

RUNNING, AWAY, UNKNOWN = "running", "away", "unknown"
SILENCE: Final = timedelta(minutes=1)
"""A leader renews its lease every few seconds; clocks may differ, and a successor takes over."""
LOOKED: Final = timedelta(minutes=5)
"""Locations are looked at every minute, unless they say otherwise."""
LABEL: Final = "app.kubernetes.io/name=kedge"


def server_of(view: View) -> Server:
    """Tell whether the server runs."""
    found = view.found
    if found.lease is not None:
        told = _by_lease(view)
        # One that was left by another server says nothing of a server that needs none.
        return _answers(found) if told.state == AWAY and found.answer else told
    if _was_looked_at(view):
        return Server(RUNNING, "it looks at the storage locations")
    if found.answer:
        return _answers(found)
    if found.is_homeless:
        return Server(AWAY, f'there is no namespace "{found.namespace}"')
    if not view.is_admin or not found.is_asked:
        return Server(UNKNOWN)
    return Server(AWAY, "it does not answer, and has left no Lease")


async def ask_in_doubt(client: Client, view: View) -> None:
    """Ask the server itself whether it runs, where nothing else tells; note what it says."""
    from kedge.cli.version import ALIVE_SECONDS, Homeless, Silence, ask
    from kedge.kube.errors import Forbidden

    found = view.found
    state = _by_lease(view).state if found.lease is not None else ""
    if not view.is_admin or state in (RUNNING, UNKNOWN) or (not state and _was_looked_at(view)):
        return
    try:
        told = await ask(client, ALIVE_SECONDS)
    except Homeless:
        found.is_homeless = True
    except Silence:
        found.is_asked = True
    except (Failure, Forbidden):
        return  # nobody knows
    else:
        found.is_asked, found.answer = True, str(told.get("serverVersion") or "")


def _answers(found: Gathered) -> Server:
    return Server(RUNNING, f"it answers: {found.answer}")


def _by_lease(view: View) -> Server:
    lease = view.found.lease or {}
    holder = text(lease, "spec", "holderIdentity")
    if not holder:
        return Server(AWAY, "it has ended, and released its Lease")
    renewed = instant_in(text(lease, "spec", "renewTime"))
    if renewed is None:
        return Server(UNKNOWN, f"{holder} has the Lease")
    lasts = timedelta(seconds=number(lease, "spec", "leaseDurationSeconds"))
    silent = view.present - renewed
    if silent > max(SILENCE, 2 * lasts):
        return Server(AWAY, f"{holder} has not renewed the Lease for {span(silent)}")
    return Server(RUNNING, f"{holder} leads")


def _was_looked_at(view: View) -> bool:
    told = (
        instant_in(text(one, "status", "lastValidationTime"))
        for one in view.found.objects(LOCATIONS)
    )
    return any(one is not None and view.present - one < LOOKED for one in told)


def absence(view: View, server: Server) -> Problem:
    """Say what to do about a server that does not run."""
    place = view.found.namespace
    who = Subject("Deployment", "kedge", place)
    text = f"the server does not run: {server.detail}"
    if view.found.deployment is None:
        if view.found.elsewhere:
            fix = f"{view.program} status -n {view.found.elsewhere}"
            return Problem(who, f"{text}; Velero's objects are in another namespace", fix)
        return Problem(who, text, f"{view.program} install -n {place} --wait")
    if part(view.found.deployment, "spec", "replicas") == 0:
        fix = f"kubectl scale deployment/kedge --replicas 1 -n {place}"
        return Problem(who, f"{text}; it is scaled to 0", fix)
    return Problem(who, text, f"kubectl describe pods -n {place} -l {LABEL}")
