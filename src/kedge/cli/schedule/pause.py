"""`kedge schedule pause` and `unpause`: a patch of the one field, and of what was asked for."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.errors import complain
from kedge.cli.flags import FlagCommand, tristate
from kedge.cli.instants import now
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, change_options, find_objects

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object


@click.command("pause", cls=FlagCommand)
@change_options("schedule")
@tristate(
    "--skip-immediately",
    takes_word=True,
    help="Skip a run that is due when it is unpaused, or with =false do not."
    "  [default: as the schedule says]",
)
@connection_options
def pause(wanted: Wanted, skip_immediately: bool | None) -> None:
    """Pause schedules.

    No backups are made until they are unpaused.
    """
    change = _change(True, skip_immediately)
    _finish(on_cluster(lambda client: _set(client, wanted, change)))


@click.command("unpause", cls=FlagCommand)
@change_options("schedule")
@tristate(
    "--skip-immediately",
    takes_word=True,
    help="Skip a run that is due at once, or with =false do not.  [default: as the schedule says]",
)
@connection_options
def unpause(wanted: Wanted, skip_immediately: bool | None) -> None:
    """Unpause schedules.

    A run that came due in the meantime is made at once, unless it is to be skipped.
    """
    change = _change(False, skip_immediately)
    found = on_cluster(lambda client: _set(client, wanted, change))
    present = now()
    for one in found.objects:
        _warn_of_pause_until(one, present)
    _finish(found)


def _change(paused: bool, skip_immediately: bool | None) -> dict[str, bool]:
    skip = {} if skip_immediately is None else {"skipImmediately": skip_immediately}
    return {"paused": paused, **skip}


async def _set(client: Client, wanted: Wanted, change: dict[str, bool]) -> Found:
    from kedge.cli.hints import explained
    from kedge.cli.schedule.kind import SCHEDULES
    from kedge.client.errors import ClientError
    from kedge.client.patches import merge
    from kedge.kube.errors import ApiError

    found = await find_objects(client, SCHEDULES, wanted)
    word, other = ("paused", "not paused") if change["paused"] else ("unpaused", "paused")
    for one in found.objects:
        meta = one["metadata"]
        name = meta["name"]
        if bool(one.get("spec", {}).get("paused")) == change["paused"]:
            write(f"Schedule {name} is already {word}, skip\n")
            if "skipImmediately" in change:
                complain(f"Schedule {name}: --skip-immediately is for those that are {other}")
            continue
        try:
            await client.patch(SCHEDULES, name, merge({"spec": change}), meta["namespace"])
        except (ApiError, ClientError) as exc:
            found.problems.append(explained(exc))
            continue
        write(f"Schedule {name} {word} successfully\n")
    return found


def _finish(found: Found) -> None:
    found.end("schedules", on_stdout=True)


def _warn_of_pause_until(schedule: Object, present: datetime) -> None:
    from kedge.api.options import PAUSE_UNTIL, options_of
    from kedge.kube.times import format_time

    meta = schedule["metadata"]
    until = options_of(meta.get("annotations")).pause_until
    if until is not None and until > present:
        when = format_time(until)
        complain(f"Schedule {meta['name']} waits until {when}: annotation {PAUSE_UNTIL} says so")
