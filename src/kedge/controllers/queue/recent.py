"""What this process wrote, and its cache may not show yet.

A watch brings our own writes back a moment later. Who decides before that decides on the past, and
would start too many.
"""

from typing import Final

from kedge.aio.clock import Clock
from kedge.controllers.queue.heads import BackupHead
from kedge.runtime import Key
from kedge.runtime.version import is_older

LAG_SECONDS: Final = 5.0
"""A cache that does not show a write after so long may never do so: a store can go back in time."""


class Recent:
    """Remembers Backups as the last write left them, until the cache has caught up."""

    def __init__(self, clock: Clock) -> None:
        """Begin with nothing: after a start the cache is fresh."""
        self._clock = clock
        self._heads: dict[Key, tuple[BackupHead, float]] = {}

    def wrote(self, key: Key, head: BackupHead) -> None:
        """Take note of the answer to a write."""
        self._heads[key] = (head, self._clock.monotonic())

    def keys(self) -> list[Key]:
        """Give the Backups that were written of late."""
        return list(self._heads)

    def newer(self, key: Key, version: str) -> BackupHead | None:
        """Give a Backup as it was written, if the cache has an older version of it."""
        head, since = self._heads.get(key, (None, 0.0))
        if head is None:
            return None
        is_behind = is_older(version, head.metadata.resource_version)
        if is_behind and self._clock.monotonic() - since < LAG_SECONDS:
            return head
        del self._heads[key]
        return None
