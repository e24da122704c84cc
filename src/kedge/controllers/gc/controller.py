"""Wire garbage collection to the API: each Backup is looked at when its time is over."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from kedge.aio.clock import Clock
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.labels import BACKUP_UID, GC_FAILURE
from kedge.client import Client, Selection
from kedge.client.patches import merge
from kedge.controllers.gc.decide import Expired, Stuck, Wait, decide, request_for
from kedge.controllers.gc.heads import (
    BACKUPS,
    LOCATIONS,
    REQUESTS,
    BackupHead,
    LocationHead,
    RequestHead,
)
from kedge.kube.errors import AlreadyExists
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
    when,
)
from kedge.runtime.events import NORMAL, WARNING
from kedge.runtime.recording import Recording

logger = logging.getLogger(__name__)

NAME: Final = "gc"
LOCATION: Final = "location"
UID: Final = "uid"
DEFAULT_FREQUENCY: Final = timedelta(minutes=60)


@dataclass(frozen=True, slots=True)
class GcSettings:
    """How Backups are removed when their time is over."""

    namespace: str | None = None
    """Where Backups are looked for; None: in all namespaces."""
    frequency: timedelta = DEFAULT_FREQUENCY
    """How long after a deletion that failed it is tried again; zero is as good as 60 minutes."""
    workers: int = 4
    """Backups that are looked at at once."""


@dataclass(slots=True)
class GcController:
    """Asks for the deletion of each Backup whose time is over."""

    client: Client
    backups: Cache[BackupHead]
    locations: Cache[LocationHead]
    requests: Cache[RequestHead]
    recorder: Recording
    clock: Clock
    settings: GcSettings

    async def reconcile(self, key: Key) -> Result:
        """Look at one Backup."""
        backup = self.backups.get(key)
        if backup is None:
            return AWAIT_CHANGE
        frequency = self.settings.frequency
        decision = decide(
            backup,
            self._location(backup),
            [entry.read() for entry in self.requests.find(UID, backup.metadata.uid)],
            frequency if frequency > timedelta(0) else DEFAULT_FREQUENCY,
            self.clock.now(),
        )
        match decision:
            case Wait(until):
                return self._until(until)
            case Stuck(label, why):
                await self._label(key, backup, label, why)
                return AWAIT_CHANGE
            case Expired(request, wake):
                await self._label(key, backup, None, "")
                if request is not None:
                    await self._ask(backup, request)
                return self._until(wake)

    def _location(self, backup: BackupHead) -> LocationHead | None:
        name = backup.spec.storage_location
        return self.locations.get(Key(backup.metadata.namespace, name))

    async def _ask(self, backup: BackupHead, name: str) -> None:
        """Make the request, unless it is there and the cache does not show it yet."""
        with suppress(AlreadyExists):
            await self.client.create(DELETE_BACKUP_REQUEST.into(dict), request_for(backup, name))
            logger.info("backup has expired", extra={"backup": backup.metadata.name})
            text = f"its time is over: it is deleted by DeleteBackupRequest {name}"
            self.recorder.record(backup, NORMAL, "Expired", text, kind=BACKUPS)

    async def _label(self, key: Key, backup: BackupHead, label: str | None, why: str) -> None:
        """Say on a Backup why it can not be removed, or that nothing is in the way any more."""
        if (backup.metadata.labels or {}).get(GC_FAILURE) == label:
            return
        meta = {
            "resourceVersion": backup.metadata.resource_version,
            "labels": {GC_FAILURE: label},
        }
        await self.client.patch(BACKUPS, key.name, merge({"metadata": meta}), key.namespace)
        if label is not None:
            text = f"its time is over, and it can not be deleted: {why}"
            self.recorder.record(backup, WARNING, "GarbageCollectionFailed", text, kind=BACKUPS)

    def _until(self, wake: datetime | None) -> Result:
        """Look again at an instant: by the clock on the wall, and by the time that passes."""
        if wake is None:
            return AWAIT_CHANGE
        return Result(wake, max(0.0, (wake - self.clock.now()).total_seconds()))


def _location_of(backup: Entry[BackupHead]) -> Iterable[str]:
    return (str(Key(backup.key.namespace, backup.read().spec.storage_location)),)


def matters(change: Change[LocationHead]) -> bool:
    """Tell whether a change of a location decides on its Backups: most are of times only."""
    if change.old is None or change.new is None:
        return True
    old, new = change.old.read(), change.new.read()
    return (old.spec, old.status) != (new.spec, new.status)


def add_to(
    manager: Manager, client: Client, recorder: Recording, settings: GcSettings
) -> GcController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    backups = manager.cache(
        BACKUPS, Keeping(where, {LOCATION: _location_of, UID: lambda entry: (entry.meta.uid,)})
    )
    locations = manager.cache(LOCATIONS, Keeping(where))
    requests = manager.cache(
        REQUESTS, Keeping(where, {UID: lambda entry: (entry.labels.get(BACKUP_UID, ""),)})
    )

    def kept_there(location: Entry[Any]) -> Iterable[Key]:
        return [entry.key for entry in backups.find(LOCATION, str(location.key))]

    def meant(request: Entry[RequestHead]) -> Iterable[Key]:
        uid = request.labels.get(BACKUP_UID, "")
        return [entry.key for entry in backups.find(UID, uid)] if uid else []

    controller = GcController(
        client, backups, locations, requests, recorder, manager.clock, settings
    )
    watches = [
        On(backups, itself),
        On(locations, when(matters, mapped(kept_there))),
        On(requests, mapped(meant)),
    ]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
