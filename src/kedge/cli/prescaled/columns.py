"""The columns of `kedge prescaled get`: those that kubectl shows."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from kedge.cli.objects import NONE, Column, instant_in, part

if TYPE_CHECKING:
    from kedge.kube.kind import Object

UNKNOWN = "<unknown>"


def ready(obj: Object) -> dict[str, Any]:
    """Give the condition `Ready`, empty where there is none yet."""
    for condition in part(obj, "status", "conditions") or ():
        if part(condition, "type") == "Ready":
            return dict(condition)
    return {}


def primers(obj: Object) -> str:
    """Write when the CronJobs start."""
    return ", ".join(map(str, part(obj, "status", "primerSchedules") or ())) or NONE


def _age(obj: Object, present: datetime) -> str:
    from kedge.kube.ages import human_duration

    made = instant_in(part(obj, "metadata", "creationTimestamp"))
    return UNKNOWN if made is None else human_duration(present - made)


COLUMNS = (
    Column("Name", lambda one, _: part(one, "metadata", "name") or ""),
    Column("Schedule", lambda one, _: part(one, "spec", "cronJob", "spec", "schedule") or ""),
    Column("Primer", lambda one, _: primers(one)),
    Column("Mode", lambda one, _: part(one, "status", "mode") or NONE),
    Column("Next warm-up", lambda one, _: part(one, "status", "nextWarmUpTime") or NONE),
    Column("Next run", lambda one, _: part(one, "status", "nextRunTime") or NONE),
    Column("Ready", lambda one, _: ready(one).get("status") or "Unknown"),
    Column("Age", _age),
)
