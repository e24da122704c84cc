"""Wire DeleteBackupRequests to the API and to the buckets; every step can be done twice."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol

from kedge.aio.clock import Clock
from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.delete_request import (
    DELETE_BACKUP_REQUEST,
    DeleteBackupRequest,
    DeletePhase,
)
from kedge.api.velero.labels import BACKUP_NAME, BACKUP_UID, SCHEDULE_NAME, valid_name
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION, BackupStorageLocation
from kedge.client import Client, Deletion, Selection
from kedge.client.patches import merge
from kedge.controllers.deletion.decide import (
    NOT_FOUND,
    Act,
    Clean,
    Refuse,
    Remove,
    Wait,
    decide,
    is_for,
    labels_for,
    objection,
)
from kedge.controllers.deletion.files import NO_STORE, Files
from kedge.controllers.deletion.heads import BACKUPS, RESTORES, BackupHead, RestoreHead
from kedge.controllers.deletion.restores import Restores
from kedge.engine.storage.open import Stores
from kedge.kube.errors import Forbidden, Invalid, NotFound
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind
from kedge.objects.errors import ObjectsError
from kedge.runtime import (
    AWAIT_CHANGE,
    Cache,
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

NAME: Final = "backup-deletion"
BACKUP: Final = "backup"
KEEPS_FILES: Final = "kedge.dev/keeps-files"
"""On a request: the files under the name of its Backup are those of another one."""


class DeletionMetrics(Protocol):
    """Counts deletions."""

    def look_at(self, schedules: Cache[Any]) -> None:
        """Tell numbers of these schedules, and of no others."""

    def count(self, what: str, schedule: str) -> None:
        """Count an attempt, a success or a failure."""


class _NoMetrics:
    def look_at(self, schedules: Cache[Any]) -> None: ...

    def count(self, what: str, schedule: str) -> None: ...


@dataclass(frozen=True, slots=True)
class DeletionSettings:
    """How Backups are deleted."""

    namespace: str | None = None
    """Where requests are looked for; None: in all namespaces."""
    workers: int = 4
    """Backups that are deleted at once."""


@dataclass(slots=True)
class DeletionController:
    """Deletes the Backup that a DeleteBackupRequest names, with all that belongs to it."""

    client: Client
    requests: Cache[DeleteBackupRequest]
    restores: Restores
    files: Files
    recorder: Recording
    clock: Clock
    metrics: DeletionMetrics
    _tried: set[str] = field(default_factory=set)
    """The uids of requests that were counted."""

    async def reconcile(self, key: Key) -> Result:
        """Bring one request up to date."""
        request = self.requests.get(key)
        if request is None or request.metadata.deletion_timestamp:
            return AWAIT_CHANGE
        others = self._others(request)
        match decide(request, others, self.clock.now()):
            case Wait(until):
                return self._until(until)
            case Remove():
                await self._remove(request)
            case Clean():
                await self._clean(request)
            case Refuse(error):
                await self._end(request, [error])
            case Act(is_resumed):
                return await self._act(request, others, is_resumed=is_resumed)
        return AWAIT_CHANGE

    async def _act(
        self, request: DeleteBackupRequest, others: list[DeleteBackupRequest], *, is_resumed: bool
    ) -> Result:
        if not is_resumed:
            for one in others:
                if (one.metadata.labels or {}).get(BACKUP_NAME) == _label(request):
                    await self._remove(one)
        backup = await self._backup(request)
        if backup is None or (is_resumed and not _is_meant(backup, request)):
            # It goes last, so that all of it is gone.
            await self._end(request, [] if is_resumed else [NOT_FOUND])
            return AWAIT_CHANGE
        location = await self._location(backup)
        if not _is_placeless(backup):
            error = objection(backup.phase, location, backup.spec.storage_location)
            if error:
                await self._end(request, [error], backup)
                return AWAIT_CHANGE
        if not is_resumed:
            try:
                request = await self._accept(request, backup, location)
            except ObjectsError as exc:
                await self._end(request, [f"{NO_STORE}: {cut(str(exc))}"], backup)
                return AWAIT_CHANGE
        return await self._delete(request, backup, location)

    async def _accept(
        self,
        request: DeleteBackupRequest,
        backup: BackupHead,
        location: BackupStorageLocation | None,
    ) -> DeleteBackupRequest:
        """Bind a request to a Backup, for whoever goes on with it, and begin."""
        change: dict[str, Any] = {}
        if labels := labels_for(request, backup.metadata.uid, _label(request)):
            change["labels"] = labels
        if location is not None and not await self.files.are_of(backup, location):
            change["annotations"] = {KEEPS_FILES: "true"}
        if change:
            version = request.metadata.resource_version
            patch = merge({"metadata": {**change, "resourceVersion": version}})
            request = await self.client.patch(
                DELETE_BACKUP_REQUEST, request.metadata.name, patch, request.metadata.namespace
            )
        return await self._write(request, {"phase": DeletePhase.IN_PROGRESS.value})

    async def _delete(
        self,
        request: DeleteBackupRequest,
        backup: BackupHead,
        location: BackupStorageLocation | None,
    ) -> Result:
        """Delete what belongs to a Backup, and then the Backup itself."""
        self._count_once(request, backup)
        try:
            await self._mark(backup)
        except (Invalid, Forbidden) as exc:
            error = f"error setting backup phase to deleting: {cut(str(exc))}"
            await self._end(request, [error], backup)
            return AWAIT_CHANGE
        errors = []
        keeps = KEEPS_FILES in (request.metadata.annotations or {})
        if location is not None and not keeps:
            errors = await self.files.delete(backup, location)
        going = await self.restores.delete(backup.metadata.namespace, backup.metadata.name)
        errors += going.errors
        if going.until is not None and not errors:
            return self._until(going.until)
        if not errors:
            errors = await self._delete_backup(backup)
        await self._end(request, errors, backup)
        return AWAIT_CHANGE

    async def _mark(self, backup: BackupHead) -> None:
        """Say of a Backup that it is being deleted."""
        if backup.phase == BackupPhase.DELETING:
            return
        meta = {"resourceVersion": backup.metadata.resource_version}
        status = {"phase": BackupPhase.DELETING.value}
        patch = merge({"metadata": meta, "status": status})
        await self.client.patch_status(
            BACKUPS, backup.metadata.name, patch, backup.metadata.namespace
        )

    async def _delete_backup(self, backup: BackupHead) -> list[str]:
        try:
            await self._drop(BACKUPS, backup.metadata)
        except (Invalid, Forbidden) as exc:
            place = f"{backup.metadata.namespace}/{backup.metadata.name}"
            return [f"error deleting backup {place}: {cut(str(exc))}"]
        return []

    async def _end(
        self, request: DeleteBackupRequest, errors: list[str], backup: BackupHead | None = None
    ) -> None:
        """Write how it went, and tell of it."""
        status = {"phase": DeletePhase.PROCESSED.value, "errors": errors or None}
        done = await self._write(request, status)
        self.files.forget(request.spec.backup_name)
        if request.metadata.uid in self._tried:
            self._tried.discard(request.metadata.uid)
            self.metrics.count("failure" if errors else "success", _schedule(backup))
        name, text = request.spec.backup_name, "; ".join(errors)
        if errors:
            logger.warning("backup is not deleted", extra={"backup": name, "error": cut(text)})
            self.recorder.record(done, WARNING, "DeletionFailed", text, kind=DELETE_BACKUP_REQUEST)
            return
        logger.info("backup is deleted", extra={"backup": name})
        self.recorder.record(
            done, NORMAL, "Deleted", f"Backup {name} is deleted", kind=DELETE_BACKUP_REQUEST
        )
        await self._clean(done)

    async def _clean(self, request: DeleteBackupRequest) -> None:
        """Delete all requests for a Backup that is gone, this one last."""
        for other in self._others(request):
            if is_for(other, request):
                await self._remove(other)
        await self._remove(request)

    async def _remove(self, request: DeleteBackupRequest) -> None:
        await self._drop(DELETE_BACKUP_REQUEST, request.metadata)

    async def _drop(self, kind: Kind[Any], meta: Any) -> None:
        with suppress(NotFound):  # that is what was wanted
            await self.client.delete(kind, meta.name, meta.namespace, Deletion(uid=meta.uid))

    async def _write(
        self, request: DeleteBackupRequest, status: dict[str, Any]
    ) -> DeleteBackupRequest:
        meta = request.metadata
        patch = merge({"metadata": {"resourceVersion": meta.resource_version}, "status": status})
        return await self.client.patch_status(
            DELETE_BACKUP_REQUEST, meta.name, patch, meta.namespace
        )

    async def _backup(self, request: DeleteBackupRequest) -> BackupHead | None:
        """Read the Backup from the server: that there is none must be true now."""
        name = request.spec.backup_name
        if "/" in name or name in (".", ".."):
            return None
        try:
            return await self.client.get(BACKUPS, name, request.metadata.namespace)
        except NotFound:
            return None

    async def _location(self, backup: BackupHead) -> BackupStorageLocation | None:
        name = backup.spec.storage_location
        if not name or "/" in name or name in (".", ".."):
            return None
        try:
            return await self.client.get(BACKUP_STORAGE_LOCATION, name, backup.metadata.namespace)
        except NotFound:
            return None

    def _others(self, request: DeleteBackupRequest) -> list[DeleteBackupRequest]:
        """Give all other requests for a Backup of the same name, by what they ask for."""
        found = self.requests.find(BACKUP, _place(request))
        others = (entry.read() for entry in found if entry.key.name != request.metadata.name)
        return [one for one in others if not one.metadata.deletion_timestamp]

    def _count_once(self, request: DeleteBackupRequest, backup: BackupHead) -> None:
        if request.metadata.uid not in self._tried:
            self._tried.add(request.metadata.uid)
            self.metrics.count("attempt", _schedule(backup))

    def _until(self, wake: datetime | None) -> Result:
        """Look again at an instant: by the clock on the wall, and by the time that passes."""
        if wake is None:
            return AWAIT_CHANGE
        return Result(wake, max(0.0, (wake - self.clock.now()).total_seconds()))


def _label(request: DeleteBackupRequest) -> str:
    return valid_name(request.spec.backup_name)


def _is_meant(backup: BackupHead, request: DeleteBackupRequest) -> bool:
    """Tell whether a Backup is the one that a request was bound to, not a later namesake."""
    return (request.metadata.labels or {}).get(BACKUP_UID) == backup.metadata.uid


def _is_placeless(backup: BackupHead) -> bool:
    """Tell whether a Backup has never been given a place, so that there are no files of it."""
    return not backup.spec.storage_location and not backup.started


def _schedule(backup: BackupHead | None) -> str:
    return (backup.metadata.labels or {}).get(SCHEDULE_NAME, "") if backup else ""


def _place(request: DeleteBackupRequest) -> str:
    return f"{request.metadata.namespace}/{request.spec.backup_name}"


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recording,
    settings: DeletionSettings,
    stores: Stores,
    metrics: DeletionMetrics | None = None,
) -> DeletionController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    requests = manager.cache(
        DELETE_BACKUP_REQUEST, Keeping(where, {BACKUP: lambda entry: (_place(entry.read()),)})
    )
    restores = manager.cache(RESTORES, Keeping(where, {BACKUP: _backup_of}))
    if metrics is not None:
        metrics.look_at(manager.cache(SCHEDULE.partial, Keeping(where)))

    def for_same(request: Entry[DeleteBackupRequest]) -> Iterable[Key]:
        found = requests.find(BACKUP, _place(request.read()))
        return [entry.key for entry in found]

    def for_backup(restore: Entry[RestoreHead]) -> Iterable[Key]:
        places = _backup_of(restore)
        return [entry.key for place in places for entry in requests.find(BACKUP, place)]

    controller = DeletionController(
        client,
        requests,
        Restores(client, restores, manager.clock),
        Files(stores),
        recorder,
        manager.clock,
        metrics or _NoMetrics(),
    )
    watches = [
        On(requests, itself),
        On(requests, mapped(for_same)),
        On(restores, mapped(for_backup)),
    ]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller


def _backup_of(restore: Entry[RestoreHead]) -> Iterable[str]:
    name = restore.read().spec.backup_name
    return (f"{restore.key.namespace}/{name}",) if name else ()
