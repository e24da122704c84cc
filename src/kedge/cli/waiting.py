"""The option -w: waits for the end of a backup or a restore, and says honestly how it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kedge.cli.errors import Failure
from kedge.cli.flags import switch
from kedge.cli.meter import Wonder, beside, meter
from kedge.cli.objects import part
from kedge.cli.output import say, write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object

FINE: Final = "Completed"
REFUSED: Final = "FailedValidation"
"""The phase of what never ran, and so has no log."""

wait_option = switch("-w", "--wait", help="Wait for the end; exit with 1 unless it is Completed.")


@dataclass(frozen=True, slots=True)
class Work:
    """Something that a server does, and that takes a while."""

    noun: str
    """`backup` or `restore`."""
    kind: Kind[Object]
    done: str
    """The field of status.progress that counts."""
    over: frozenset[str]
    """The phases after which nothing happens."""


async def wait_for(client: Client, work: Work, made: Object) -> Object:
    """Wait until it is over, and show how far it has come; raises Failure if it disappears."""
    from kedge.cli.following import until

    announce(work.noun)
    display = Wonder(client.clock, meter(client.clock, work.done))

    def look(one: Object | None) -> Object | None:
        if one is None:
            name = made["metadata"]["name"]
            raise Failure(f'{work.noun} "{name}" was deleted while it was waited for')
        display.show(one)
        return one if part(one, "status", "phase") in work.over else None

    return await beside(display, until(client, work.kind, made, look))


def announce(noun: str) -> None:
    """Say that the end of a backup or a restore is waited for."""
    write(
        f"Waiting for {noun} to complete. You may safely press ctrl-c to stop waiting - your "
        f"{noun} will continue in the background.\n"
    )


def tell(work: Work, obj: Object) -> None:
    """Say how it ended; raises Failure unless it is Completed."""
    name = obj["metadata"]["name"]
    phase = str(part(obj, "status", "phase"))
    describe, logs = (f"`kedge {work.noun} {verb} {name}`" for verb in ("describe", "logs"))
    where = f"command {describe}" if phase == REFUSED else f"commands {describe} and {logs}"
    say(
        f"{work.noun.capitalize()} completed with status: {phase}. You may check for more "
        f"information using the {where}.\n"
    )
    if phase == FINE:
        _mention(work, obj, name)
    else:
        reasons = why(obj)
        raise Failure(*(f'{work.noun} "{name}" is {phase}: {one}' for one in reasons))


def _mention(work: Work, obj: Object, name: str) -> None:
    """Point to warnings: something may be missing from what was saved or restored."""
    from kedge.cli.errors import complain

    if count := part(obj, "status", "warnings"):
        noun = "warning" if count == 1 else "warnings"
        complain(f"{count} {noun}: `kedge {work.noun} describe {name}` shows them")


def why(obj: Object) -> list[str]:
    """List what its status says about why it is not Completed."""
    status = obj.get("status") or {}
    found = [str(one) for one in status.get("validationErrors") or ()]
    if status.get("failureReason"):
        found.append(str(status["failureReason"]))
    if not found:
        counts = [
            f"{count} {noun}" if count == 1 else f"{count} {noun}s"
            for noun in ("error", "warning")
            if (count := status.get(f"{noun}s"))
        ]
        found.append(", ".join(counts) or "its status does not say why")
    return found
