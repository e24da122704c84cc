"""The whole server: opens the store, wires the parts, listens, and closes in reverse order."""

import asyncio
import logging
import ssl
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from kedge.aio.clock import Clock, SystemClock
from kedge.apiserver.auth import kubeconfig
from kedge.apiserver.auth.certificates import Pki, folder_of, prepare, ssl_context
from kedge.apiserver.auth.tokens import admin, admin_token, load_tokens
from kedge.apiserver.http.connection import Connections, Limits
from kedge.apiserver.http.handler import Handler
from kedge.apiserver.lifecycle.history import TICK_SECONDS
from kedge.apiserver.settings import MEMORY, ServerSettings
from kedge.apiserver.wiring import Parts, wire
from kedge.store import Log

logger = logging.getLogger(__name__)

STOP_SECONDS = 1.0
"""How long requests may go on after the end was asked for."""
DATABASE = "kedge.db"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is, and how to get in."""

    url: str
    kubeconfig: Path
    token: str
    pki: Pki


class ApiServer:
    """A running server, as an async context manager."""

    def __init__(
        self, settings: ServerSettings, clock: Clock | None = None, limits: Limits | None = None
    ) -> None:
        """Nothing is opened before the context is entered."""
        self.settings = settings
        self.clock = clock or SystemClock()
        self.limits = limits or Limits()
        self._stack = AsyncExitStack()
        self._stopping = asyncio.Event()

    async def __aenter__(self) -> "ApiServer":
        """Start: returns when requests are answered. Raises StoreError and OSError."""
        async with AsyncExitStack() as stack:
            settings = self.settings
            folder = stack.enter_context(folder_of(settings.data))
            log = Log.open(database_of(settings.data))
            stack.push_async_callback(log.close)
            # Clients compare certificates with the real time, whatever the server is told.
            pki = prepare(folder, SystemClock(), settings.names)
            token = admin_token(folder)
            tokens = {token: admin()}
            if settings.token_file is not None:
                tokens.update(load_tokens(settings.token_file))
            self.parts = await wire(log, self.clock, pki, tokens)
            stack.callback(self.parts.aside.close)
            url = await self._listen(stack, ssl_context(pki))
            path = settings.kubeconfig or folder.parent / "kubeconfig"
            if settings.data == MEMORY and settings.kubeconfig is None:
                path = folder / "kubeconfig"
            self.parts.documents.address = url.removeprefix("https://")
            kubeconfig.write(path, url, pki)
            self.address = Address(url, path, token, pki)
            # Last, since a group of tasks wraps the errors of whatever is started within it.
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            self._start_tasks(tasks, self.parts)
            stack.callback(self._stopping.set)
            stack.callback(self._end_tasks)
            for life in self.parts.lives:
                await life.caught_up.wait()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop: the life cycles, then the requests, then the store."""
        await self._stack.__aexit__(None, None, None)

    def _start_tasks(self, group: asyncio.TaskGroup, parts: Parts) -> None:
        self._tasks = [group.create_task(life.run()) for life in parts.lives]
        self._tasks.append(group.create_task(self._tick(parts)))

    def _end_tasks(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _tick(self, parts: Parts) -> None:
        while not self._stopping.is_set():
            try:
                await parts.history.tick()
            except Exception:  # the next minute brings another chance
                logger.exception("forgetting old history failed")
            try:
                async with asyncio.timeout(TICK_SECONDS):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def _listen(self, stack: AsyncExitStack, context: ssl.SSLContext) -> str:
        connections = Connections(Handler(self.parts.server, self.limits), self.limits)
        listener = await asyncio.get_running_loop().create_server(
            connections,
            self.settings.host,
            self.settings.port,
            ssl=context,
            backlog=1024,
            ssl_handshake_timeout=self.limits.head_seconds,
        )
        stack.push_async_callback(connections.shutdown, STOP_SECONDS)
        stack.callback(connections.pre_shutdown)
        stack.callback(self.parts.server.watch.end)
        stack.callback(listener.close)
        host, port = listener.sockets[0].getsockname()[:2]
        shown = "127.0.0.1" if host in {"0.0.0.0", "::"} else host
        return f"https://[{shown}]:{port}" if ":" in shown else f"https://{shown}:{port}"


def database_of(data: str) -> str | Path:
    """Give the place of the database; make its folder if it is not there."""
    if data == MEMORY:
        return MEMORY
    folder = Path(data)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / DATABASE
