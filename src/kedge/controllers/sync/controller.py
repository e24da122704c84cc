"""Wire the sync to the API: a location at a time, at its exact time."""

import asyncio
import logging
import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from kedge.aio.clock import Clock
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION, BackupStorageLocation
from kedge.client import Client, Deletion, Selection
from kedge.client.errors import ClientError
from kedge.client.patches import merge
from kedge.controllers.sync.adopt import Home
from kedge.controllers.sync.bringing import Bringing
from kedge.controllers.sync.decide import Due, Wait, last_sync, orphans, plan, wanted
from kedge.controllers.sync.heads import BACKUP_HEAD, BackupHead
from kedge.engine.storage.open import Stores
from kedge.kube.durations import ZERO
from kedge.kube.errors import ApiError, Conflict, Forbidden, NotFound
from kedge.kube.foreign import cut
from kedge.kube.gotext import quote
from kedge.kube.kind import Object
from kedge.kube.times import format_time
from kedge.objects.errors import ObjectsError
from kedge.runtime import AWAIT_CHANGE, Cache, Keeping, Key, Manager, On, Result, itself
from kedge.runtime.events import NORMAL, WARNING
from kedge.runtime.recording import Recording
from kedge.selfservice.marks import NABSL, origin_of

logger = logging.getLogger(__name__)

NAME: Final = "backup-sync"
DEFAULT_PERIOD: Final = timedelta(minutes=1)
AT_ONCE: Final = 8
"""Backups of one location that are brought at once: each waits for bucket and server."""
ROUND_SECONDS: Final = 120.0
"""So long backups of a bucket of people's own are begun with, and the rest in the next round: what
is in there is as much as they like, and others wait for their turn."""
TOLD_AT_ONCE: Final = 50
"""Backups of one location that are told of, one by one, in a round; the rest is a number."""
FIRST_SECONDS: Final = 1.0
"""So often is looked whether the default location has had its turn, after a start."""


@dataclass(frozen=True, slots=True)
class SyncSettings:
    """How locations are synced where they do not say it themselves."""

    namespace: str | None = None
    """Where locations are looked for; None: in all namespaces."""
    period: timedelta = DEFAULT_PERIOD
    """From one sync of a location to the next; zero and less are as good as a minute."""
    workers: int = 4
    """Locations that are synced at once."""


@dataclass(slots=True)
class SyncController:
    """Makes the Backups of the cluster those of its locations."""

    client: Client
    stores: Stores
    locations: Cache[BackupStorageLocation]
    backups: Cache[BackupHead]
    recorder: Recording
    clock: Clock
    settings: SyncSettings
    _tried: set[Key] = field(default_factory=set)
    """Locations that have had their turn since the start."""
    _done: dict[Key, tuple[str, datetime]] = field(default_factory=dict)
    """When each location, by its uid, was last synced."""
    _told: dict[Key, dict[str, str]] = field(default_factory=dict)
    """What was told of the backups of each location: it is not told again each time."""

    async def reconcile(self, key: Key) -> Result:
        """Bring one location up to date."""
        location = self.locations.get(key)
        if location is None or location.metadata.deletion_timestamp:
            self._tried.discard(key)
            self._told.pop(key, None)
            self._done.pop(key, None)
            return AWAIT_CHANGE
        due = self._plan(key, location)
        if isinstance(due, Wait):
            return self._until(due.until)
        if self._waits_for_default(key):
            return Result(after_seconds=FIRST_SECONDS)
        try:
            await self._sync(key, location)
        except (ObjectsError, Forbidden) as exc:
            extra = {"location": key.name, "error": cut(str(exc))}
            logger.warning("location is not synced", extra=extra)
            return Result(after_seconds=due.period.total_seconds())
        finally:
            self._tried.add(key)
        following = self._plan(key, location)
        return self._until(following.until if isinstance(following, Wait) else self.clock.now())

    def _plan(self, key: Key, location: BackupStorageLocation) -> Due | Wait:
        """Decide by when a location was last synced; the cache may not show that yet."""
        now = self.clock.now()
        uid, done = self._done.get(key, ("", None))
        times = [last_sync(location, now)]
        if uid == location.metadata.uid and done is not None and done <= now:
            times.append(done)
        last = max((one for one in times if one is not None), default=None)
        period = self.settings.period
        return plan(location, last, period if period > ZERO else DEFAULT_PERIOD, now)

    def _until(self, wake: datetime | None) -> Result:
        """Look again at an instant: by the clock on the wall, and by the time that passes."""
        if wake is None:
            return AWAIT_CHANGE
        return Result(wake, max(0.0, (wake - self.clock.now()).total_seconds()))

    def _waits_for_default(self, key: Key) -> bool:
        """Tell whether the default location comes first: of two of a name its Backup counts."""
        if key in self._tried:
            return False
        for entry in self.locations.entries(key.namespace):
            one = entry.read()
            if one.spec.default and entry.key != key and entry.key not in self._tried:
                return isinstance(self._plan(entry.key, one), Due)
        return False

    async def _sync(self, key: Key, location: BackupStorageLocation) -> None:
        # Before the bucket is listed: whatever has ended by now has its files in it.
        known = {entry.key.name: entry.read() for entry in self.backups.entries(key.namespace)}
        store = await self.stores.open(location)
        stored = await store.backups()
        home = Home(key.namespace, key.name, _tenant(location))
        told: dict[str, str] = {}
        bringing = Bringing(self.client, store, home, self.clock, told.__setitem__)
        await self._bring_all(bringing, wanted(stored, known, key.name))
        for orphan in orphans(known.values(), set(stored), key.name):
            await self._remove(orphan, location)
        self._tell(key, location, told)
        now = self.clock.now().replace(microsecond=0)
        status = {"lastSyncedTime": format_time(now)}
        # Not bound to a version: the location may have been looked at meanwhile.
        patch = merge({"metadata": {"uid": location.metadata.uid}, "status": status})
        await self.client.patch_status(BACKUP_STORAGE_LOCATION, key.name, patch, key.namespace)
        self._done[key] = location.metadata.uid, now

    async def _bring_all(self, bringing: Bringing, names: list[str]) -> None:
        left, errors = list(reversed(names)), list[Exception]()
        until = self.clock.monotonic() + (ROUND_SECONDS if bringing.home.tenant else math.inf)

        async def work() -> None:
            while left and not errors and self.clock.monotonic() < until:
                try:
                    self._brought(await bringing.bring(left.pop()))
                except (ApiError, ClientError, ObjectsError) as exc:
                    errors.append(exc)  # raised below: one of them says enough

        async with asyncio.TaskGroup() as group:
            for _ in range(min(AT_ONCE, len(names))):
                group.create_task(work())
        if errors:
            raise errors[0]

    def _brought(self, backup: Object | None) -> None:
        if backup is not None:
            name, location = backup["metadata"]["name"], backup["spec"]["storageLocation"]
            text = f"it was found in the location {location}"
            self.recorder.record(backup, NORMAL, "Synced", text, kind=BACKUP_HEAD)
            logger.info("backup synced", extra={"backup": name})

    async def _remove(self, orphan: BackupHead, location: BackupStorageLocation) -> None:
        """Remove a Backup from the cluster whose files are gone, unless it has changed."""
        meta = orphan.metadata
        deletion = Deletion(meta.uid, meta.resource_version)
        try:
            await self.client.delete(BACKUP_HEAD, meta.name, meta.namespace, deletion)
        except (Conflict, NotFound):
            return  # the next sync sees what it has become
        text = f"Backup {meta.name} is removed: its files are gone from the location"
        self.recorder.record(location, NORMAL, "OrphanRemoved", text, kind=BACKUP_STORAGE_LOCATION)
        logger.info("orphaned backup removed", extra={"backup": meta.name})

    def _tell(self, key: Key, location: BackupStorageLocation, told: dict[str, str]) -> None:
        """Tell what is wrong in a location, and was not told before."""
        before = self._told.get(key, {})
        new = [(name, why) for name, why in sorted(told.items()) if before.get(name) != why]
        texts = [
            f"{quote(cut(name))} in backups/ is not synced: {cut(why)}"
            for name, why in new[:TOLD_AT_ONCE]
        ]
        if len(new) > TOLD_AT_ONCE:
            texts.append(f"{len(new) - TOLD_AT_ONCE} more in backups/ are not synced")
        for text in texts:
            logger.warning("a backup is not synced", extra={"error": text})
            self.recorder.record(
                location, WARNING, "BackupNotSynced", text, kind=BACKUP_STORAGE_LOCATION
            )
        self._told[key] = told


def _tenant(location: BackupStorageLocation) -> str:
    """Give the namespace of the people whose bucket it is; empty: the administrator's."""
    meta = location.metadata
    origin = origin_of(NABSL, meta.labels, meta.annotations)
    return origin.namespace if origin is not None else ""


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recording,
    settings: SyncSettings,
    stores: Stores,
) -> SyncController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    locations = manager.cache(BACKUP_STORAGE_LOCATION, Keeping(where))
    backups = manager.cache(BACKUP_HEAD, Keeping(where))
    controller = SyncController(
        client, stores, locations, backups, recorder, manager.clock, settings
    )
    watches = [On(locations, itself)]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
