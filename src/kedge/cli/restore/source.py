"""The backup that a restore is made from: one that is named, or the newest of a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from kedge.cli.connection import namespace
from kedge.cli.errors import Failure, Misuse
from kedge.cli.objects import instant_in, part

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

BOTH: Final = (
    "either a backup or schedule must be specified, but not both; use --from-backup or"
    " --from-schedule"
)
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


def check_source(backup: str, schedule: str) -> None:
    """Fail unless exactly one of them is named."""
    if bool(backup) == bool(schedule):
        raise Misuse(BOTH)


async def named_backup(client: Client, name: str) -> Object:
    """Read the Backup of this name, or fail."""
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.selection import bare, read_one

    return await read_one(client, BACKUPS, bare(BACKUPS, name))


async def of_schedule(client: Client, schedule: str) -> list[Object]:
    """Read the Backups of a schedule, which may be gone, or fail if there are none."""
    from kedge.api.velero.labels import SCHEDULE_NAME, valid_name
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.schedule.kind import SCHEDULES
    from kedge.cli.selection import read_one
    from kedge.client import Selection

    chosen = Selection(namespace(), f"{SCHEDULE_NAME}={valid_name(schedule)}")
    found = [one async for one in client.list(BACKUPS, chosen)]
    if not found:
        await read_one(client, SCHEDULES, schedule)  # fails where there is none
        raise Failure(
            f"No backups found for the schedule {schedule};"
            f" `kedge backup create --from-schedule {schedule}` makes one"
        )
    return found


def newest(backups: Sequence[Object], phases: Sequence[str]) -> Object | None:
    """Give the one that was started last, of those in these phases."""
    fitting = [one for one in backups if part(one, "status", "phase") in phases]
    return max(fitting, key=_started, default=None)


def _started(backup: Object) -> datetime:
    return instant_in(part(backup, "status", "startTimestamp")) or _LONG_AGO
