"""Restores as the commands read and send them: whole, with fields newer than we are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kedge.api.velero.restore import RESTORE, TERMINAL, Restore
from kedge.cli.objects import read_typed
from kedge.cli.waiting import Work

if TYPE_CHECKING:
    from kedge.kube.kind import Object

RESTORES = RESTORE.into(dict)
RESTORING = Work("restore", RESTORES, "itemsRestored", frozenset(map(str, TERMINAL)))


def typed(restore: Object) -> Restore:
    """Read a Restore into its type, or fail with what does not fit."""
    return read_typed(RESTORE, restore)
