"""The columns of `kedge schedule get`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from kedge.cli.objects import (
    Column,
    distance_text,
    duration_text,
    part,
    selector_text,
    time_text,
)

if TYPE_CHECKING:
    from kedge.kube.kind import Object


def _created(schedule: Object, present: datetime) -> str:
    return time_text(part(schedule, "metadata", "creationTimestamp"), "<unknown>")


COLUMNS = (
    Column("Name", lambda one, _: part(one, "metadata", "name") or ""),
    Column("Status", lambda one, _: part(one, "status", "phase") or "New"),
    Column("Created", _created),
    Column("Schedule", lambda one, _: part(one, "spec", "schedule") or ""),
    Column("Backup TTL", lambda one, _: duration_text(part(one, "spec", "template", "ttl") or "")),
    Column(
        "Last Backup",
        lambda one, present: distance_text(part(one, "status", "lastBackup"), present),
    ),
    Column(
        "Selector",
        lambda one, _: selector_text(part(one, "spec", "template", "labelSelector")),
    ),
    Column("Paused", lambda one, _: "true" if part(one, "spec", "paused") else "false"),
)
