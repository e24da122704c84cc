"""Brings one backup of a bucket into the cluster; what was begun before is gone on with."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from kedge.aio.clock import Clock
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.pod_volume_backup import POD_VOLUME_BACKUP
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.synced import SYNCED_FROM
from kedge.archive.layout import backup_pod_volumes
from kedge.client import Client, Deletion, Writing
from kedge.client.patches import merge
from kedge.controllers.sync.adopt import Home, NotYet, Unfit, adopt, read_found, schedules_of
from kedge.controllers.sync.volumes import MOST, adopt_volume
from kedge.engine.storage.limited import read_list
from kedge.engine.storage.store import BackupStore
from kedge.kube.errors import AlreadyExists, BadRequest, Invalid, NotFound, TooLarge
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind, Object
from kedge.objects.errors import BucketNotFound, ObjectNotFound, ObjectsError, Unreachable

logger = logging.getLogger(__name__)

BACKUPS: Final = BACKUP.into(dict)
VOLUMES: Final = POD_VOLUME_BACKUP.into(dict)
SCHEDULES: Final = SCHEDULE.partial
QUIETLY: Final = Writing(validation="Ignore")
"""A newer Velero's Backups have fields that this cluster does not know: they are left out."""
REFUSALS: Final = (Invalid, BadRequest, TooLarge)

Tell = Callable[[str, str], None]
"""Hears of what is wrong with a backup of that name."""


@dataclass(slots=True)
class Bringing:
    """Takes in the backups of one location."""

    client: Client
    store: BackupStore
    home: Home
    clock: Clock
    tell: Tell
    _schedules: dict[str, str] = field(default_factory=dict)

    async def bring(self, name: str) -> Object | None:
        """Take in one backup; gives it unless there is none, or none that can be taken in."""
        try:
            found = read_found(await self.store.metadata(name), name)
            schedules = await self._uids(schedules_of(found))
            wanted = adopt(found, self.home, schedules, self.clock.now())
            return await self._put(name, wanted)
        except (ObjectNotFound, NotYet):
            logger.debug("a backup is not there yet", extra={"backup": cut(name)})
        except (Unreachable, BucketNotFound):
            raise  # it is not this backup that is at fault
        except (ObjectsError, Unfit) as exc:
            self.tell(name, str(exc))
        return None

    async def _put(self, name: str, wanted: Object) -> Object | None:
        """Create a Backup, its volumes, and last its status, which says that it is whole."""
        volumes = await self._volumes(name)
        # Where the status is no subresource, one without volumes is whole at once.
        first = {**wanted, "status": {}} if volumes else wanted
        backup = await self._create(BACKUPS, first)
        if backup is None:
            return None
        try:
            for volume in volumes:
                await self._put_volume(name, volume, backup)
            return await self._complete(BACKUPS, backup, wanted)
        except REFUSALS as exc:
            # Without its status it would be of no use to anybody.
            meta = backup["metadata"]
            deletion = Deletion(uid=meta["uid"])
            await self.client.delete(BACKUPS, meta["name"], meta["namespace"], deletion)
            raise Unfit(f"the server does not take its status: {cut(str(exc))}") from exc

    async def _volumes(self, name: str) -> list[Any]:
        """Read the PodVolumeBackups of a backup, as they are."""
        try:
            found = await read_list(self.store, backup_pod_volumes(name))
        except ObjectNotFound:
            return []
        except (Unreachable, BucketNotFound):
            raise
        except ObjectsError as exc:
            self.tell(name, str(exc))
            return []
        return found[:MOST]

    async def _put_volume(self, name: str, found: Any, backup: Object) -> None:
        try:
            wanted = adopt_volume(found, backup, self.home)
            volume = await self._create(VOLUMES, wanted)
            if volume is not None:
                await self._complete(VOLUMES, volume, wanted)
        except (Unfit, *REFUSALS) as exc:
            self.tell(name, str(exc))

    async def _create(self, kind: Kind[Object], wanted: Object) -> Object | None:
        """Create an object; one that is there already is given if it is ours and not complete."""
        meta = wanted["metadata"]
        try:
            return await self.client.create(kind, wanted, self.home.namespace, QUIETLY)
        except AlreadyExists:
            there = await self._read(kind, meta["name"])
            return there if there is not None and _is_begun(there, wanted) else None
        except REFUSALS as exc:
            raise Unfit(f"the server does not take it: {cut(str(exc))}") from exc

    async def _read(self, kind: Kind[Object], name: str) -> Object | None:
        try:
            return await self.client.get(kind, name, self.home.namespace)
        except NotFound:
            return None

    async def _complete(self, kind: Kind[Object], there: Object, wanted: Object) -> Object:
        """Write the status of an object, where its creation has not done so."""
        if _phase(there):
            return there
        meta = there["metadata"]
        version = {"resourceVersion": meta["resourceVersion"]}
        patch = merge({"metadata": version, "status": wanted["status"]})
        return await self.client.patch_status(kind, meta["name"], patch, meta["namespace"], QUIETLY)

    async def _uids(self, schedules: list[str]) -> dict[str, str]:
        """Give the uids of those Schedules that this cluster has."""
        for name in schedules:
            if name not in self._schedules and "/" not in name and name not in (".", ".."):
                try:
                    schedule = await self.client.get(SCHEDULES, name, self.home.namespace)
                    self._schedules[name] = schedule.metadata.uid
                except NotFound:
                    self._schedules[name] = ""
        return self._schedules


def _phase(obj: Object) -> str:
    status: dict[str, Any] = obj.get("status") or {}
    return str(status.get("phase") or "")


def _is_begun(there: Object, wanted: Object) -> bool:
    """Tell whether an object is what we wanted to make, without its status."""
    mine, others = wanted["metadata"], there["metadata"]
    if _phase(there):
        return False
    if mark := mine["annotations"].get(SYNCED_FROM):
        return bool((others.get("annotations") or {}).get(SYNCED_FROM) == mark)
    owners = mine.get("ownerReferences")
    return bool(owners and others.get("ownerReferences") == owners)
