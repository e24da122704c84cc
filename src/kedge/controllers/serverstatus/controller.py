"""Wire ServerStatusRequests to the API: answer the new ones, remove the old ones on time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from kedge.aio.clock import Clock
from kedge.api.velero.server_status import (
    SERVER_STATUS_REQUEST,
    Plugin,
    ServerStatusPhase,
    ServerStatusRequest,
)
from kedge.client import Client, Deletion, Selection
from kedge.client.patches import merge
from kedge.controllers.serverstatus.decide import Answer, Remove, Wait, decide
from kedge.controllers.serverstatus.plugins import built_in
from kedge.kube.times import format_time
from kedge.runtime import AWAIT_CHANGE, Cache, Keeping, Key, Manager, On, Result, itself
from kedge.runtime.recording import Recording

NAME: Final = "server-status-request"


@dataclass(frozen=True, slots=True)
class ServerStatusSettings:
    """What the server says of itself."""

    version: str
    """Of the server, as `kedge version` shows it."""
    namespace: str | None = None
    """Where requests are looked for; None: in all namespaces."""
    plugins: Sequence[Plugin] = field(default_factory=built_in)
    workers: int = 10
    """Requests that are answered at once, as in Velero."""


@dataclass(slots=True)
class ServerStatusController:
    """Tells each ServerStatusRequest who the server is, and removes it a minute later."""

    client: Client
    requests: Cache[ServerStatusRequest]
    clock: Clock
    settings: ServerStatusSettings

    async def reconcile(self, key: Key) -> Result:
        """Bring one request up to date."""
        request = self.requests.get(key)
        if request is None or request.metadata.deletion_timestamp:
            return AWAIT_CHANGE
        now = self.clock.now()
        match decide(request, now):
            case Answer():
                await self._answer(key, request)
            case Remove():
                deletion = Deletion(uid=request.metadata.uid)
                await self.client.delete(SERVER_STATUS_REQUEST, key.name, key.namespace, deletion)
            case Wait(until):
                return Result(until, (until - now).total_seconds())
        return AWAIT_CHANGE

    async def _answer(self, key: Key, request: ServerStatusRequest) -> None:
        status = {
            "phase": ServerStatusPhase.PROCESSED.value,
            "processedTimestamp": format_time(self.clock.now()),
            "serverVersion": self.settings.version,
            "plugins": msgspec.to_builtins(list(self.settings.plugins)),
        }
        meta = {"resourceVersion": request.metadata.resource_version}
        patch = merge({"metadata": meta, "status": status})
        await self.client.patch_status(SERVER_STATUS_REQUEST, key.name, patch, key.namespace)


def add_to(
    manager: Manager,
    client: Client,
    recorder: Recording,
    settings: ServerStatusSettings,
) -> ServerStatusController:
    """Have a manager run the controller."""
    requests = manager.cache(SERVER_STATUS_REQUEST, Keeping(Selection(settings.namespace)))
    controller = ServerStatusController(client, requests, manager.clock, settings)
    watches = [On(requests, itself)]
    manager.control(NAME, controller.reconcile, watches, workers=settings.workers)
    return controller
