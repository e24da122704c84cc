"""Schedules as the commands read and send them: whole, with fields newer than we are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kedge.api.velero.schedule import SCHEDULE, Schedule
from kedge.cli.errors import Failure
from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.kube.kind import Object

SCHEDULES = SCHEDULE.into(dict)


def typed(schedule: Object) -> Schedule:
    """Read a Schedule into its type, or fail with what does not fit."""
    import msgspec

    from kedge.api.plain import from_plain

    try:
        return from_plain(SCHEDULE, schedule)
    except msgspec.ValidationError as exc:
        name = part(schedule, "metadata", "name") or ""
        raise Failure(f'Schedule "{name}" is not one that can be read: {exc}') from exc
