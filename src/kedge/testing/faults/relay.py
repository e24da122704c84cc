"""The proxy: listens on the loopback address, passes requests on, and makes the faults."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from types import TracebackType

from kedge.aio.turn import turn
from kedge.testing.client import Client
from kedge.testing.cluster import Cluster
from kedge.testing.faults.call import Call
from kedge.testing.faults.connection import Connection
from kedge.testing.faults.hold import Hold
from kedge.testing.faults.request import Matcher, Request
from kedge.testing.faults.rules import Fault, Injection, every
from kedge.testing.faults.signal import PATIENCE_SECONDS, Signal
from kedge.testing.faults.upstream import Server

LOOPBACK = "127.0.0.1"
CLOSING_TURNS = 3
"""Turns after which a listener that was closed has let go of its port."""


class Proxy:
    """A proxy in front of one API server, as an async context manager; `proxy` makes one."""

    def __init__(self, server: Server, tls: ssl.SSLContext | None = None) -> None:
        """Stand in front of `server`; with `tls` clients must speak https."""
        self.server = server
        """Where requests go; it can be changed at any time."""
        self.calls: list[Call] = []
        """All requests so far, in the order in which they came."""
        self.signal = Signal()
        self._tls = tls
        self._injections: list[Injection] = []
        self._holds: list[Hold] = []
        self._connections: dict[Connection, asyncio.Task[None]] = {}
        self._listener: asyncio.Server | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> "Proxy":
        """Listen on a free port."""
        async with AsyncExitStack() as stack:
            # Keeps the port while the proxy refuses connections: bound, and never listening.
            seat = stack.enter_context(socket.socket())
            seat.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            seat.bind((LOOPBACK, 0))
            self._port: int = seat.getsockname()[1]
            await self._listen()
            self._tasks = await stack.enter_async_context(asyncio.TaskGroup())
            stack.callback(self._refuse)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cut all connections; raise what went wrong in a fault or a hook."""
        await self._stack.__aexit__(None, None, None)

    @property
    def url(self) -> str:
        """Where clients find the proxy."""
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://{LOOPBACK}:{self._port}"

    def client(self, token: str = "") -> Client:
        """Make a plain client of the proxy, which the caller closes."""
        if self._tls is not None:
            return Client(self.url, token, ssl.create_default_context())
        # Plain HTTP trusts nobody, and the system's authorities take some time to read.
        return Client(self.url, token, ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))

    def inject(
        self, fault: Fault, when: Matcher = every, *, times: int | None = None, after: int = 0
    ) -> Injection:
        """Put a fault in force at once: for `times` matching requests, after `after` of them.

        A request can meet several faults; the one that was injected last is next to the client.
        """
        injection = Injection(fault, when, times, after, self.signal)
        self._injections.append(injection)
        return injection

    def hold(self, when: Matcher = every) -> Hold:
        """Hold back the answers to these requests, those under way too, until it is released."""
        self._holds = [hold for hold in self._holds if not hold.is_released]
        hold = Hold(when, self.signal)
        self._holds.append(hold)
        return hold

    async def seen(
        self, when: Matcher = every, *, times: int = 1, seconds: float = PATIENCE_SECONDS
    ) -> list[Call]:
        """Wait until so many matching requests have been answered; raises TimeoutError."""

        def found() -> list[Call]:
            return [call for call in self.calls if call.status and when(call.request)]

        await self.signal.until(lambda: len(found()) >= times, seconds)
        return found()

    async def cut(self) -> None:
        """Cut all connections, in the middle of whatever they carry; new ones are taken."""
        tasks = list(self._connections.values())
        for connection in list(self._connections):
            connection.end()
        if tasks:
            await asyncio.wait(tasks)

    @asynccontextmanager
    async def down(self) -> AsyncIterator[None]:
        """Be as a server that is not running: all connections cut, new ones refused."""
        self._refuse()
        await self.cut()
        try:
            yield
        finally:
            await self._listen()

    def begin(self, request: Request) -> tuple[Call, list[Injection]]:
        """Enter a request in the log, and tell which faults it meets."""
        call = Call(len(self.calls), request, request, self)
        self.calls.append(call)
        self.signal.notify()
        return call, [each for each in self._injections if each.meets(call)]

    async def let_pass(self, call: Call) -> None:
        """Wait as long as the answer of this call is held back."""
        if self._holds:
            await self.signal.until(lambda: not self._is_held(call), None)

    def _is_held(self, call: Call) -> bool:
        return any(not hold.is_released and hold.when(call.request) for hold in self._holds)

    async def _listen(self) -> None:
        for _ in range(CLOSING_TURNS):
            await turn()  # the listener before may be about to close, and has the port
        self._listener = await asyncio.get_running_loop().create_server(
            lambda: Connection(self, self._serve),
            LOOPBACK,
            self._port,
            ssl=self._tls,
            reuse_address=True,
        )

    def _serve(self, connection: Connection) -> asyncio.Task[None] | None:
        if self._listener is None:
            return None
        task = self._tasks.create_task(connection.serve())
        self._connections[connection] = task
        task.add_done_callback(lambda _: self._ended(connection))
        return task

    def _ended(self, connection: Connection) -> None:
        task = self._connections.pop(connection)
        if not task.cancelled() and task.exception() is not None:
            # The group of tasks ends, too, and takes no more.
            self._refuse()

    def _refuse(self) -> None:
        if self._listener is not None:
            _close(self._listener)
            self._listener = None
        for connection in list(self._connections):
            connection.end()


def _close(listener: asyncio.Server) -> None:
    """Accept nobody any more, and close once those who were accepted have been let in.

    asyncio forgets a connection whose server is closed between the two.
    """
    loop = asyncio.get_running_loop()
    for plug in listener.sockets:
        loop.remove_reader(plug.fileno())
    loop.call_soon(loop.call_soon, listener.close)


def proxy(
    server: str | Cluster,
    *,
    token: str = "",
    tls: ssl.SSLContext | None = None,
    serve_tls: ssl.SSLContext | None = None,
) -> Proxy:
    """Make a proxy in front of an API server, to be entered with `async with`.

    Of a cluster of the test kit all is known; of another server give the URL, `tls` to trust it,
    which may hold a client certificate, and a `token` for requests without an Authorization of
    their own. Clients speak plain http to the proxy unless `serve_tls` has a certificate.
    """
    if isinstance(server, str):
        return Proxy(Server(server.rstrip("/"), token, tls), serve_tls)
    tls = tls or ssl.create_default_context(cafile=str(server.ca))
    return Proxy(Server(server.url, token or server.token, tls), serve_tls)
