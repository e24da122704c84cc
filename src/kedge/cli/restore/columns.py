"""The columns of Restores in a table."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from kedge.cli.objects import Column, part, selector_text, time_text

if TYPE_CHECKING:
    from kedge.kube.kind import Object


def _phase(restore: Object, _: datetime) -> str:
    phase = part(restore, "status", "phase") or "New"
    return f"{phase} (Deleting)" if part(restore, "metadata", "deletionTimestamp") else phase


def _count(name: str) -> Column:
    return Column(name, lambda one, _: str(part(one, "status", name.lower()) or 0))


def _time(header: str, *path: str) -> Column:
    return Column(header, lambda one, _: time_text(part(one, *path), "<nil>"))


COLUMNS = (
    Column("Name", lambda one, _: part(one, "metadata", "name") or ""),
    Column("Backup", lambda one, _: part(one, "spec", "backupName") or ""),
    Column("Status", _phase),
    _time("Started", "status", "startTimestamp"),
    _time("Completed", "status", "completionTimestamp"),
    _count("Errors"),
    _count("Warnings"),
    _time("Created", "metadata", "creationTimestamp"),
    Column("Selector", lambda one, _: selector_text(part(one, "spec", "labelSelector"))),
)
