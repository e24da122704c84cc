"""Schedules as the commands read and send them: whole, with fields newer than we are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kedge.api.velero.schedule import SCHEDULE, Schedule
from kedge.cli.objects import read_typed

if TYPE_CHECKING:
    from kedge.kube.kind import Object

SCHEDULES = SCHEDULE.into(dict)


def typed(schedule: Object) -> Schedule:
    """Read a Schedule into its type, or fail with what does not fit."""
    return read_typed(SCHEDULE, schedule)
