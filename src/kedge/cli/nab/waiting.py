"""The option -w of requests: waits for the end, shows the place in the queue, and is honest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kedge.cli.errors import Failure, complain
from kedge.cli.meter import Bar, Silent, Wonder, beside, meter
from kedge.cli.nab.request import (
    BACKING_OFF,
    Asking,
    is_early,
    is_leaving,
    is_refused,
    phase_of,
    position,
    says,
)
from kedge.cli.objects import name_of, part
from kedge.cli.output import say
from kedge.cli.waiting import FINE, announce, why

if TYPE_CHECKING:
    from kedge.aio.clock import Clock
    from kedge.cli.meter import Meter
    from kedge.client import Client
    from kedge.kube.kind import Object


WAITING: Final = "Waiting"
EARLY: Final = "Waiting for its backup"
NEW: Final = "New"
UNSEEN: Final = "nobody has looked at it yet: ask the administrator whether the server runs"


class Lines(Silent):
    """A line on stderr for each step, where there is no terminal to draw a bar on."""

    _last = ""

    def show(self, obj: Object) -> None:
        """Write how it stands, unless that was written last."""
        line = str(part(obj, "status", "phase") or NEW)
        place = part(obj, "status", "queuePosition")
        if place:
            line += f", {place} in the queue"
        elif line == WAITING:
            return  # the place comes soon
        if line != self._last:
            self._last = line
            complain(line, head="")


def display(clock: Clock, asking: Asking) -> Meter:
    """Choose what to show by what stderr is; say so if nobody looks at a request."""
    chosen = meter(clock, asking.done)
    return Wonder(clock, chosen if isinstance(chosen, Bar) else Lines(clock), UNSEEN)


def view(asking: Asking, obj: Object) -> Object:
    """Give what is shown of a request while it is waited for."""
    phase = asking.velero_phase(obj)
    shown: Object = {"phase": phase}
    if is_early(obj):
        shown["phase"] = EARLY
    elif asking.is_waiting(obj):
        shown["phase"] = WAITING if asking.is_made(obj) else _begun(obj)
        shown["queuePosition"] = position(obj)
    elif part(asking.velero(obj), "progress") is not None:
        shown["progress"] = asking.velero(obj)["progress"]
    return {"status": shown}


def _begun(obj: Object) -> str:
    return BACKING_OFF if is_refused(obj) else NEW if phase_of(obj) else ""


async def wait_for(client: Client, asking: Asking, made: Object) -> Object:
    """Wait until a request is over, and show how far it has come; Failure if it disappears."""
    from kedge.cli.following import until

    announce(asking.noun)
    shown = display(client.clock, asking)

    def look(one: Object | None) -> Object | None:
        if one is None:
            name = name_of(made)
            raise Failure(f'{asking.kind.name} "{name}" was deleted while it was waited for')
        shown.show(view(asking, one))
        return one if asking.is_over(one) else None

    return await beside(shown, until(client, asking.kind, made, look))


def tell(asking: Asking, obj: Object) -> None:
    """Say how it ended; raises Failure unless it is Completed."""
    name, phase = name_of(obj), asking.velero_phase(obj)
    subject = f'{asking.kind.name} "{name}"'
    more = f"`kedge {asking.command} describe {name}`"
    if phase not in asking.over and is_leaving(obj):
        raise Failure(f"{subject} is being deleted: {says(obj, 'Deleting', 'True') or more}")
    if asking.is_gone(obj):
        raise Failure(f"the {asking.noun} of {subject} is gone, and is not made again: {more}")
    if is_refused(obj):
        problem = says(obj, "Accepted", "False") or "its status does not say why"
        raise Failure(f"{subject} was not accepted: {problem}")
    say(f"{subject} ended with status: {phase}. {more} tells more.\n")
    if phase != FINE:
        status = {"status": asking.velero(obj)}
        raise Failure(*(f"{subject} is {phase}: {one}" for one in why(status)))
    if count := part(asking.velero(obj), "warnings"):
        complain(f"{count} {'warning' if count == 1 else 'warnings'}: {more} tells more")
