"""How a backup comes to its end: finished, failed, or found unfinished by the next server."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from kedge.aio.clock import Clock
from kedge.api.velero.backup import BackupPhase, is_terminal
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.client import Client
from kedge.controllers.backup.files import Files, Unwhole
from kedge.controllers.backup.heads import UNFINISHED
from kedge.controllers.backup.held import Held
from kedge.controllers.backup.telling import Telling
from kedge.engine.storage.errors import ContentError
from kedge.engine.storage.open import Stores
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.kube.times import format_time
from kedge.objects.errors import ObjectsError

logger = logging.getLogger(__name__)

INTERRUPTED: Final = (
    'found a backup with status "InProgress" during the server starting, mark it as "Failed"'
)
EXISTS: Final = "backup already exists in object storage"
KEPT: Final = (
    "phase",
    "completionTimestamp",
    "errors",
    "warnings",
    "progress",
    "hookStatus",
    "failureReason",
)
"""Of the status in the bucket, what is told of the end."""


async def _at_once() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Leftover:
    """Files of a Backup that may be gone from the cluster."""

    namespace: str
    name: str
    uid: str
    location: str


@dataclass(slots=True)
class Ending:
    """Brings backups to their end."""

    client: Client
    stores: Stores
    clock: Clock
    telling: Telling
    quiet: Callable[[], Awaitable[None]] = _at_once
    """Waits while another Backup is started: whoever waits comes before what is done."""

    async def complete(self, held: Held, files: Files) -> None:
        """Say in the bucket that there is a backup, and then in the cluster."""
        is_whole = held.phase == BackupPhase.FINALIZING
        status: Object = {
            "phase": BackupPhase.COMPLETED if is_whole else BackupPhase.PARTIALLY_FAILED,
            "completionTimestamp": format_time(self.clock.now()),
        }
        try:
            spec = held.spec if held.ran is None else held.ran
            whole = {**held.obj, "spec": spec, "status": {**held.status, **status}}
            await files.put_metadata(whole)
        except ObjectsError:
            if not await _is_there(files, held.uid):
                raise
            # It was written, and only the answer was lost.
        await self.quiet()
        await held.write(status)
        self.telling.ended(held)

    async def resume(self, held: Held) -> None:
        """Finish a Backup that was about to be; raises ObjectsError while the store is away."""
        files = await self._files(held)
        if files is None:
            await self.fail(held, f"backup storage location {held.location} is gone")
            return
        found = await files.metadata()
        if found is not None and _uid(found) != held.uid:
            await self.fail(held, EXISTS)
            return
        if found is not None and is_terminal(_phase(found)):
            await self._adopt(held, found)
            return
        try:
            await files.summary()
        except Unwhole as exc:
            await self.fail(held, str(exc), has_files=True)
            return
        await self.complete(held, files)

    async def fail(self, held: Held, why: str, *, has_files: bool = False) -> None:
        """Say that it has failed, and why; then remove its files.

        Raises ObjectsError where they could not be removed: a mark on the Backup remembers it.
        """
        status: Object = {
            "phase": BackupPhase.FAILED,
            "failureReason": why,
            "completionTimestamp": format_time(self.clock.now()),
        }
        held.has_files = has_files
        mark = {"metadata": {"annotations": {UNFINISHED: "true"}}} if has_files else None
        await held.write(status, mark)
        self.telling.ended(held)
        if has_files:
            await self.clean(held)

    async def clean(self, held: Held) -> None:
        """Remove the files of a Backup that has failed; raises ObjectsError."""
        found = await self.remove(Leftover(held.key.namespace, held.name, held.uid, held.location))
        unmark = {"metadata": {"annotations": {UNFINISHED: None}}}
        is_whole = found is not None and _uid(found) == held.uid and is_terminal(_phase(found))
        if found is not None and is_whole and held.phase == BackupPhase.FAILED:
            # It was whole after all: the last word that came from the store was lost.
            await self._adopt(held, found)
        await held.write(change=unmark)

    async def remove(self, leftover: Leftover) -> Object | None:
        """Remove the files of a backup, unless it is there as a whole: then it is given back."""
        files = await self._open(leftover.namespace, leftover.location, leftover.name)
        if files is None:
            return None
        try:
            found = await files.metadata()
        except ContentError as exc:
            logger.warning("files of a backup are left as they are", extra={"error": str(exc)})
            return None
        if found is None:
            await files.store.delete_backup(leftover.name)
        return found

    async def _adopt(self, held: Held, found: Object) -> None:
        """Say in the cluster what the bucket says."""
        told = found.get("status") or {}
        status = {name: told[name] for name in KEPT if name in told}
        if held.status.get("failureReason") and "failureReason" not in status:
            status["failureReason"] = None
        await held.write(status)
        self.telling.ended(held)

    async def _files(self, held: Held) -> Files | None:
        return await self._open(held.key.namespace, held.location, held.name)

    async def _open(self, namespace: str, location: str, name: str) -> Files | None:
        """Open the bucket of a location; None where there is no such location any more."""
        if not location:
            return None
        try:
            found = await self.client.get(BACKUP_STORAGE_LOCATION, location, namespace)
        except NotFound:
            return None
        return Files(await self.stores.open(found), name, self.clock)


async def _is_there(files: Files, uid: str) -> bool:
    """Tell whether a backup is in the bucket, and is this one; not known is not there."""
    try:
        found = await files.metadata()
    except ObjectsError:
        return False
    return found is not None and _uid(found) == uid


def _uid(backup: Object) -> str:
    return str((backup.get("metadata") or {}).get("uid") or "")


def _phase(backup: Object) -> str:
    return str((backup.get("status") or {}).get("phase") or "")
