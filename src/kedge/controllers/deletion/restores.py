"""The Restores of a Backup, on their way out: each goes when its finalizer lets it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from kedge.aio.clock import Clock
from kedge.client import Client, Deletion
from kedge.controllers.deletion.decide import PATIENCE
from kedge.controllers.deletion.heads import RESTORES, RestoreHead
from kedge.kube.durations import format_duration
from kedge.kube.errors import Forbidden, NotFound
from kedge.kube.foreign import cut
from kedge.kube.times import parse_time
from kedge.runtime import Cache

BACKUP: Final = "backup"


@dataclass(slots=True)
class Going:
    """Restores that are still there."""

    until: datetime | None = None
    """They are waited for until then; None: there are none."""
    errors: list[str] = field(default_factory=list)


class Restores:
    """Deletes the Restores of Backups, and tells how far that is."""

    def __init__(self, client: Client, cache: Cache[RestoreHead], clock: Clock) -> None:
        """Delete through a client what a cache shows."""
        self._client = client
        self._cache = cache
        self._clock = clock

    async def delete(self, namespace: str, backup: str) -> Going:
        """Have all Restores of a Backup go; they are gone when the cache shows none any more."""
        going, now = Going(), self._clock.now()
        for entry in self._cache.find(BACKUP, f"{namespace}/{backup}"):
            restore = entry.read()
            since = restore.metadata.deletion_timestamp
            begun = parse_time(since) if since else now
            if since is None:
                await self._begin(restore, going)
            elif begun + PATIENCE <= now:
                going.errors.append(
                    f"error deleting restore {entry.key}: it is not gone after "
                    f"{format_duration(PATIENCE)}; its finalizers are not done"
                )
            end = begun + PATIENCE
            going.until = end if going.until is None else max(end, going.until)
        return going

    async def _begin(self, restore: RestoreHead, going: Going) -> None:
        meta = restore.metadata
        try:
            await self._client.delete(RESTORES, meta.name, meta.namespace, Deletion(uid=meta.uid))
        except NotFound:
            pass  # the cache will tell
        except Forbidden as exc:
            place = f"{meta.namespace}/{meta.name}"
            going.errors.append(f"error deleting restore {place}: {cut(str(exc))}")
