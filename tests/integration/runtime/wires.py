"""A wire between one process and a server, which can be split as a network is."""

import asyncio
from contextlib import suppress
from types import TracebackType
from urllib.parse import urlsplit

from kedge.aio.clock import SystemClock

LOOPBACK = "127.0.0.1"
CHUNK = 2**16


class Wire:
    """Passes bytes both ways; split, it passes none, and tells nobody.

    Bytes that were under way when it was split are lost: a network keeps nothing for later. New
    connections are taken, and hear nothing. With `cut` connections break at once, and new ones do,
    too.
    """

    def __init__(self, server: str) -> None:
        parts = urlsplit(server)
        self._scheme, self._host, self._port = parts.scheme, parts.hostname, parts.port
        self._whole = asyncio.Event()
        self._whole.set()
        self._is_cut = False
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Wire":
        self._listener = await asyncio.start_server(self._accept, LOOPBACK, 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()
        self._break()
        await asyncio.gather(*self._connections, return_exceptions=True)

    @property
    def url(self) -> str:
        return f"{self._scheme}://{LOOPBACK}:{self._listener.sockets[0].getsockname()[1]}"

    def stall(self) -> None:
        """Pass nothing until `mend`, which passes what has waited."""
        self._whole.clear()

    def cut(self) -> None:
        """Break all connections, and each new one."""
        self._is_cut = True
        self._break()

    def mend(self, *, lost: bool = False) -> None:
        """Be whole again; `lost`: what was under way never arrives."""
        if lost:
            self._break()
        self._is_cut = False
        self._whole.set()

    def _break(self) -> None:
        for task in self._connections:
            task.cancel()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(OSError):
                await self._connect(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            return
        await self._whole.wait()
        beyond, onward = await asyncio.open_connection(self._host, self._port)
        try:
            async with asyncio.TaskGroup() as group:
                ways = (
                    group.create_task(self._pass(reader, onward)),
                    group.create_task(self._pass(beyond, writer)),
                )
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
        finally:
            onward.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                await self._whole.wait()
                writer.write(data)
                await writer.drain()
            await SystemClock().sleep(0)
