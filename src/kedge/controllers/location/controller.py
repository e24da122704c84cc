"""Wire locations to the API and to their buckets: look at what is due, say what was seen."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

import msgspec

from kedge.aio.clock import Clock
from kedge.api.velero.storage_location import (
    BACKUP_STORAGE_LOCATION,
    BackupStorageLocation,
    LocationPhase,
    StorageLocationSpec,
)
from kedge.client import Client, Selection
from kedge.client.patches import merge
from kedge.controllers.location.decide import (
    Plan,
    change_of_status,
    last_look,
    newer_default,
    plan,
    secrets_of,
)
from kedge.controllers.location.message import unavailable
from kedge.controllers.location.secrets import SECRETS
from kedge.engine.storage.open import Stores
from kedge.kube.errors import Forbidden
from kedge.kube.meta import Partial
from kedge.objects.errors import ObjectsError
from kedge.runtime import (
    AWAIT_CHANGE,
    Cache,
    Change,
    Entry,
    Keeping,
    Key,
    Manager,
    On,
    Result,
    itself,
    mapped,
)
from kedge.runtime.events import NORMAL, WARNING
from kedge.runtime.recording import Recording

logger = logging.getLogger(__name__)

NAME: Final = "backup-storage-location"
DEFAULT: Final = "default"
SECRET: Final = "secret"


class LocationMetrics(Protocol):
    """Tells of locations in numbers."""

    def look_at(self, locations: Cache[BackupStorageLocation]) -> None:
        """Tell of the locations in this cache."""


@dataclass(frozen=True, slots=True)
class LocationSettings:
    """How locations behave where they do not say it themselves."""

    namespace: str | None = None
    """Where locations are looked for; None: in all namespaces."""
    validation_frequency: timedelta = timedelta(minutes=1)
    """From one look at a location to the next, as in Velero; zero: only one look."""
    default_location: str = ""
    """The location that is made the default at the start, if there is one of this name."""
    workers: int = 8
    """Looks at once: a bucket that does not answer must not keep the others waiting."""


Seen = tuple[str, StorageLocationSpec, tuple[str, ...]]
"""A uid, a spec and the versions of its Secrets: when they change, it is looked at again."""


@dataclass(slots=True)
class LocationController:
    """Says of each location whether it can be used, and sees to it that one is the default."""

    client: Client
    stores: Stores
    locations: Cache[BackupStorageLocation]
    secrets: Cache[Partial]
    recorder: Recording
    clock: Clock
    settings: LocationSettings
    _seen: dict[Key, tuple[Seen, datetime]] = field(default_factory=dict)
    """What was looked at since the start; before that a spec may have changed unseen."""
    _first: set[Key] | None = None
    """The locations to be made the default; None before the first look."""

    async def reconcile(self, key: Key) -> Result:
        """Bring one location up to date."""
        self._begin()
        location = self.locations.get(key)
        if location is None or location.metadata.deletion_timestamp:
            self._seen.pop(key, None)
            return AWAIT_CHANGE
        await self._settle_default(key, location)
        now, seen = self.clock.now(), self._versions(key, location)
        last = self._last(key, location, seen, now)
        wanted = plan(location, last, self.settings.validation_frequency, now)
        if wanted.is_due:
            last = await self._look(key, location, wanted, seen)
        return self._until(wanted.next(last or now))

    def _begin(self) -> None:
        """Note which location is there at the start that is to be the default."""
        if self._first is None:
            wanted = self.settings.default_location
            places = [entry.key for entry in self.locations.entries()]
            self._first = {key for key in places if key.name == wanted}

    def _last(
        self, key: Key, location: BackupStorageLocation, seen: Seen, now: datetime
    ) -> datetime | None:
        """Tell when this very location was last looked at; the cache may not show that yet."""
        known, looked = self._seen.get(key, (None, None))
        if looked is None or known != seen:
            return None
        return max(looked, last_look(location, now) or looked) if looked <= now else None

    async def _look(
        self, key: Key, location: BackupStorageLocation, wanted: Plan, seen: Seen
    ) -> datetime:
        """See whether a location can be used, and write what was seen."""
        cause = wanted.wrong or await self._cause(location)
        problem = unavailable(key.name, cause) if cause else ""
        now = self.clock.now()
        change = change_of_status(location, problem, now)
        if change:
            # Not bound to a version: the time of the last sync is written into the same status,
            # and a spec that has changed meanwhile is looked at next.
            patch = merge({"metadata": {"uid": location.metadata.uid}, "status": change})
            await self.client.patch_status(BACKUP_STORAGE_LOCATION, key.name, patch, key.namespace)
        self._seen[key] = seen, now.replace(microsecond=0)
        if "phase" in change:
            self._tell(location, problem)
        return now.replace(microsecond=0)

    async def _cause(self, location: BackupStorageLocation) -> str:
        """Tell why a location can not be used; empty: it can."""
        try:
            store = await self.stores.open(location)
            await store.check()
        except (ObjectsError, Forbidden) as exc:
            return str(exc) or type(exc).__name__
        return ""

    def _tell(self, location: BackupStorageLocation, problem: str) -> None:
        name = location.metadata.name
        kind = BACKUP_STORAGE_LOCATION
        if problem:
            logger.warning("location is unavailable", extra={"location": name, "error": problem})
            self.recorder.record(location, WARNING, LocationPhase.UNAVAILABLE, problem, kind=kind)
        else:
            logger.info("location is available", extra={"location": name})
            text = "backups can be kept in the location"
            self.recorder.record(location, NORMAL, LocationPhase.AVAILABLE, text, kind=kind)

    async def _settle_default(self, key: Key, location: BackupStorageLocation) -> None:
        """Make a location the default that is to be it at the start; unset one that gives way."""
        defaults = [entry.read() for entry in self.locations.find(DEFAULT, key.namespace)]
        newer = newer_default(location, defaults)
        is_first = key in (self._first or ())
        if location.spec.default and newer is not None:
            await self._set_default(key, location, is_default=False)
            text = f"it is no longer the default: {newer} is newer, and there can be only one"
            self.recorder.record(
                location, NORMAL, "DefaultUnset", text, kind=BACKUP_STORAGE_LOCATION
            )
        elif is_first and not location.spec.default and newer is None:
            await self._set_default(key, location, is_default=True)
            text = "it is the default, as the server was told at its start"
            self.recorder.record(location, NORMAL, "DefaultSet", text, kind=BACKUP_STORAGE_LOCATION)
        if self._first:
            self._first.discard(key)

    async def _set_default(
        self, key: Key, location: BackupStorageLocation, *, is_default: bool
    ) -> None:
        meta = {"resourceVersion": location.metadata.resource_version}
        patch = merge({"metadata": meta, "spec": {"default": is_default}})
        await self.client.patch(BACKUP_STORAGE_LOCATION.into(dict), key.name, patch, key.namespace)

    def _versions(self, key: Key, location: BackupStorageLocation) -> Seen:
        """Give what a look depends on; who is the default does not matter to it."""
        versions = []
        for name in secrets_of(location.spec):
            secret = self.secrets.entry(Key(key.namespace, name))
            versions.append(f"{secret.meta.uid}/{secret.meta.resource_version}" if secret else "")
        spec = msgspec.structs.replace(location.spec, default=False, backup_sync_period=None)
        return location.metadata.uid, spec, tuple(versions)

    def _until(self, wake: datetime | None) -> Result:
        """Look again at an instant: by the clock on the wall, and by the time that passes."""
        if wake is None:
            return AWAIT_CHANGE
        return Result(wake, max(0.0, (wake - self.clock.now()).total_seconds()))


def _defaults(location: Entry[BackupStorageLocation]) -> Iterable[str]:
    return (location.key.namespace,) if location.read().spec.default else ()


def _secrets(location: Entry[BackupStorageLocation]) -> Iterable[str]:
    names = secrets_of(location.read().spec)
    return [str(Key(location.key.namespace, name)) for name in names]


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recording,
    settings: LocationSettings,
    stores: Stores,
    metrics: LocationMetrics | None = None,
) -> LocationController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    locations = manager.cache(
        BACKUP_STORAGE_LOCATION, Keeping(where, {DEFAULT: _defaults, SECRET: _secrets})
    )
    secrets = manager.cache(SECRETS, Keeping(where))

    def rivals(change: Change[Any]) -> Iterable[Key]:
        return [entry.key for entry in locations.find(DEFAULT, change.key.namespace)]

    def users(secret: Entry[Any]) -> Iterable[Key]:
        return [entry.key for entry in locations.find(SECRET, str(secret.key))]

    if metrics is not None:
        metrics.look_at(locations)
    controller = LocationController(
        client, stores, locations, secrets, recorder, manager.clock, settings
    )
    watches = [On(locations, itself), On(locations, rivals), On(secrets, mapped(users))]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
