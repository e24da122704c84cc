"""Backups as the commands read and send them: whole, with fields newer than we are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kedge.api.velero.backup import BACKUP, TERMINAL, Backup
from kedge.cli.objects import read_typed
from kedge.cli.waiting import Work

if TYPE_CHECKING:
    from kedge.kube.kind import Object

BACKUPS = BACKUP.into(dict)
BACKING_UP = Work("backup", BACKUPS, "itemsBackedUp", frozenset(map(str, TERMINAL)))


def typed(backup: Object) -> Backup:
    """Read a Backup into its type, or fail with what does not fit."""
    return read_typed(BACKUP, backup)
