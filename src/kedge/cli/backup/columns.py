"""The columns of Backups in a table."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from kedge.cli.objects import Column, distance_text, instant_in, part, selector_text, time_text

if TYPE_CHECKING:
    from kedge.kube.kind import Object


def _phase(backup: Object, _: datetime) -> str:
    if part(backup, "metadata", "deletionTimestamp"):
        return "Deleting"
    return part(backup, "status", "phase") or "New"


def _expires(backup: Object, present: datetime) -> str:
    from kedge.kube.durations import DurationError, parse_duration
    from kedge.kube.times import format_time

    told = part(backup, "status", "expiration")
    made = instant_in(part(backup, "metadata", "creationTimestamp"))
    kept = part(backup, "spec", "ttl")
    if not told and made is not None and kept:
        try:
            told = format_time(made + parse_duration(kept))
        except (DurationError, OverflowError):
            told = None
    return distance_text(told, present)


def _count(name: str) -> Column:
    return Column(name, lambda one, _: str(part(one, "status", name.lower()) or 0))


COLUMNS = (
    Column("Name", lambda one, _: part(one, "metadata", "name") or ""),
    Column("Status", _phase),
    _count("Errors"),
    _count("Warnings"),
    Column("Created", lambda one, _: time_text(part(one, "status", "startTimestamp"), "<nil>")),
    Column("Expires", _expires),
    Column("Storage Location", lambda one, _: part(one, "spec", "storageLocation") or ""),
    Column("Queue Position", lambda one, _: str(part(one, "status", "queuePosition") or "")),
    Column("Selector", lambda one, _: selector_text(part(one, "spec", "labelSelector"))),
)
