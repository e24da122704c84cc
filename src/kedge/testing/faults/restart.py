"""The embedded API server, stopped and started again: the same data on the same port."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from kedge.aio.clock import Clock
from kedge.apiserver.app import ApiServer
from kedge.apiserver.settings import ServerSettings


class Restartable:
    """An API server on a folder that can be stopped and started; `restartable` makes one."""

    def __init__(self, settings: ServerSettings, clock: Clock | None) -> None:
        """Nothing runs before `start`."""
        self._settings = settings
        self._clock = clock
        self._server: ApiServer | None = None

    async def start(self) -> None:
        """Run on the data that is there; does nothing while it runs."""
        if self._server is not None:
            return
        server = ApiServer(self._settings, self._clock)
        await server.__aenter__()
        self._server = server
        address = server.address
        self.url, self.token = address.url, address.token
        self.tls = ssl.create_default_context(cafile=str(address.pki.path("ca.crt")))
        port = urlsplit(self.url).port
        # Clients find it again where it was.
        self._settings = replace(self._settings, port=port or 0)

    async def stop(self) -> None:
        """End all requests, and be gone; does nothing while it is stopped."""
        server, self._server = self._server, None
        if server is not None:
            await server.__aexit__(None, None, None)

    async def restart(self) -> None:
        """Stop, and start again."""
        await self.stop()
        await self.start()


@asynccontextmanager
async def restartable(data: Path, *, clock: Clock | None = None) -> AsyncIterator[Restartable]:
    """Run a server on a folder of data while the block runs, except where it is stopped."""
    server = Restartable(ServerSettings(str(data)), clock)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
