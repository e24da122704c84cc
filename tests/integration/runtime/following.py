"""A collection followed through a real client: what is in its cache, and who was woken."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from kedge.aio.background import background
from kedge.aio.clock import SystemClock
from kedge.client import Client, Selection
from kedge.client.where import explicit
from kedge.kube.errors import NotFound
from kedge.kube.kind import Kind, Object, plain
from kedge.runtime.entry import Change
from kedge.runtime.key import Key
from kedge.runtime.queue import Queue
from kedge.runtime.source import Keeping, Source
from kedge.runtime.watcher import WatchSettings
from tests.integration.runtime.fleet import CLIENT_SETTINGS, QUICK
from tests.integration.runtime.servers import Server

CONFIGS = plain("v1", "ConfigMap", "configmaps")
PATIENCE = 60.0
ROOT = "kube-root-ca.crt"
"""A ConfigMap that a controller puts into every namespace."""
SETTINGS = WatchSettings(page=3, backoff=QUICK)


class Followed:
    """What is known of the ConfigMaps of one namespace."""

    def __init__(self, source: Source[Any]) -> None:
        self.source = source
        self.woken: dict[str, str | None] = {}
        """The version that was there when each was woken last; None: it was gone."""
        self._changed = asyncio.Event()
        source.wake(self._note, Queue(SystemClock()))

    def _note(self, change: Change[Any]) -> Iterable[Key]:
        entry = self.source.cache.entry(change.key)
        self.woken[change.key.name] = entry.meta.resource_version if entry else None
        self._changed.set()
        return ()

    def data(self) -> dict[str, Any]:
        """Give the data of all ConfigMaps by name."""
        found = ((one.key.name, one.read()) for one in self.source.cache.entries())
        return {name: one.get("data") for name, one in found if name != ROOT}

    async def until(self, holds: Callable[["Followed"], bool]) -> None:
        """Wait until something holds of what is known; raises TimeoutError."""
        async with asyncio.timeout(PATIENCE):
            await self.source.cache.synced()
            while not holds(self):
                self._changed.clear()
                await self._changed.wait()

    async def until_data(self, expected: dict[str, Any]) -> None:
        """Wait until just this is known, and was told."""
        await self.until(lambda one: one.data() == expected)
        there = {name for name, version in self.woken.items() if version is not None} - {ROOT}
        assert there == set(expected)


@asynccontextmanager
async def following(
    server: Server,
    namespace: str,
    settings: WatchSettings = SETTINGS,
    kind: Kind[Any] = CONFIGS,
    *,
    url: str = "",
    labels: str = "",
) -> AsyncIterator[Followed]:
    """Follow a namespace while the block runs."""
    access = explicit(url or server.url, ca=server.ca, token=server.token)
    async with Client(access, CLIENT_SETTINGS) as client:
        keeping: Keeping[Any] = Keeping(Selection(namespace, labels))
        source = Source(client, kind, keeping, settings, SystemClock())
        followed = Followed(source)
        async with background(source.run()):
            yield followed


async def put(server: Server, namespace: str, name: str, data: dict[str, str]) -> Object:
    """Make or change a ConfigMap."""
    folder = f"/api/v1/namespaces/{namespace}/configmaps"
    try:
        return await server.plain.patch(f"{folder}/{name}", {"data": data})
    except NotFound:
        return await server.plain.create(folder, {"metadata": {"name": name}, "data": data})
