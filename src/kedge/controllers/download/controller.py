"""Wire DownloadRequests to the API: answer the new ones, remove the old ones on time."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from kedge.aio.clock import Clock
from kedge.api.velero.download_request import DOWNLOAD_REQUEST, DownloadRequest
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION, BackupStorageLocation
from kedge.client import Client, Deletion, Selection
from kedge.client.patches import merge
from kedge.controllers.download.decide import Remove, Wait, answered, decide, expiry
from kedge.controllers.download.source import Missing, find_source
from kedge.engine.storage.open import Stores
from kedge.kube.foreign import cut
from kedge.kube.times import format_time
from kedge.objects.errors import ObjectsError
from kedge.runtime import AWAIT_CHANGE, Cache, Keeping, Key, Manager, On, Result, itself
from kedge.runtime.events import WARNING
from kedge.runtime.recording import Recording

logger = logging.getLogger(__name__)

NAME: Final = "download-request"
FILESYSTEM: Final = "kedge.dev/filesystem"
RETRY_SECONDS: Final = 10.0
"""Between two tries for a store that does not answer; a client waits for some of them."""


@dataclass(frozen=True, slots=True)
class DownloadSettings:
    """How downloads are answered."""

    namespace: str | None = None
    """Where requests are looked for; None: in all namespaces."""
    workers: int = 4
    """Requests that are answered at once: people wait for them."""


@dataclass(slots=True)
class DownloadController:
    """Gives each DownloadRequest its URL, and removes it when that is of no use any more."""

    client: Client
    stores: Stores
    requests: Cache[DownloadRequest]
    locations: Cache[BackupStorageLocation]
    """For whoever serves the files of folders."""
    recorder: Recording
    clock: Clock

    async def reconcile(self, key: Key) -> Result:
        """Bring one request up to date."""
        request = self.requests.get(key)
        if request is None or request.metadata.deletion_timestamp:
            return AWAIT_CHANGE
        now = self.clock.now()
        match decide(request, now):
            case Remove():
                deletion = Deletion(uid=request.metadata.uid)
                await self.client.delete(DOWNLOAD_REQUEST, key.name, key.namespace, deletion)
                return AWAIT_CHANGE
            case Wait(until):
                return self._until(until)
            case answer:
                return await self._answer(key, request, answer.until)

    async def _answer(self, key: Key, request: DownloadRequest, until: datetime | None) -> Result:
        """Write the URL; where there is none, no more than when the request will be removed."""
        try:
            location, file = await find_source(self.client, request.spec.target, key.namespace)
            store = await self.stores.open(location)
            url = await store.sign(file, self.clock.now())
        except (Missing, ObjectsError) as exc:
            return await self._fail(key, request, until, exc)
        end = expiry(self.clock.now())
        await self._write(key, request, answered(url, end))
        return self._until(end)

    async def _fail(
        self, key: Key, request: DownloadRequest, until: datetime | None, why: Exception
    ) -> Result:
        if until is None:
            until = expiry(self.clock.now())
            await self._write(key, request, {"expiration": format_time(until)})
            text = f"no URL can be given: {cut(str(why))}"
            self.recorder.record(request, WARNING, "DownloadFailed", text, kind=DOWNLOAD_REQUEST)
        logger.warning("a download has no URL", extra={"error": cut(str(why))})
        result = self._until(until)
        if isinstance(why, Missing):
            return result
        return Result(result.wake, min(RETRY_SECONDS, result.after_seconds or 0.0))

    async def _write(self, key: Key, request: DownloadRequest, status: dict[str, Any]) -> None:
        meta = {"resourceVersion": request.metadata.resource_version}
        patch = merge({"metadata": meta, "status": status})
        await self.client.patch_status(DOWNLOAD_REQUEST, key.name, patch, key.namespace)

    def _until(self, wake: datetime) -> Result:
        """Look again at an instant: by the clock on the wall, and by the time that passes."""
        return Result(wake, max(0.0, (wake - self.clock.now()).total_seconds()))


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recording,
    settings: DownloadSettings,
    stores: Stores,
) -> DownloadController:
    """Have a manager run the controller."""
    where = Selection(settings.namespace)
    requests = manager.cache(DOWNLOAD_REQUEST, Keeping(where))
    locations = manager.cache(BACKUP_STORAGE_LOCATION, Keeping(where))
    controller = DownloadController(client, stores, requests, locations, recorder, manager.clock)
    watches = [On(requests, itself)]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
