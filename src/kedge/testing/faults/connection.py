"""One client's connection: requests in, answers out, with the faults that they meet."""

import asyncio
import logging
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Protocol

import msgspec

from kedge.testing.faults.answer import Answer, Cut, Forward
from kedge.testing.faults.call import Call, Traffic
from kedge.testing.faults.request import Request, read_request
from kedge.testing.faults.rules import Injection
from kedge.testing.faults.upstream import Server, Upstream
from kedge.testing.faults.wire import HEAD_LIMIT, Framing, Pieces, WireError

logger = logging.getLogger(__name__)

Task = asyncio.Task[None]

NO_LINGER = struct.pack("ii", 1, 0)
"""Closing breaks the connection off."""


class Host(Traffic, Protocol):
    """The proxy, as its connections see it."""

    server: Server

    def begin(self, request: Request) -> tuple[Call, list[Injection]]:
        """Enter a request in the log, and tell which faults it meets."""

    async def let_pass(self, call: Call) -> None:
        """Wait as long as the answer of this call is held back."""


class _Metadata(msgspec.Struct):
    resourceVersion: str = ""


class _Object(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _Line(msgspec.Struct):
    object: _Object


_decoder = msgspec.json.Decoder(_Line)


class Connection(asyncio.StreamReaderProtocol):
    """Serves one client until either side ends it."""

    def __init__(self, host: Host, start: Callable[["Connection"], Task | None]) -> None:
        """Be ready for a client; `start` makes the task that runs `serve`, or does not want it."""
        self._incoming = asyncio.StreamReader(limit=HEAD_LIMIT)
        super().__init__(self._incoming, self._opened)
        self._host = host
        self._start = start
        self._upstream = Upstream()
        self._is_closing = False
        self._task: Task | None = None

    def _opened(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._client = writer
        self._task = self._start(self)
        if self._task is None:
            writer.transport.abort()

    def eof_received(self) -> bool:
        """Take the end of what the client sends as its end."""
        self._gone()
        super().eof_received()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop what is under way for a client that is gone."""
        self._gone()
        super().connection_lost(exc)

    def _gone(self) -> None:
        if self._task is not None and not self._is_closing:
            self._task.cancel()

    def end(self) -> None:
        """Cut the connection, whatever is under way."""
        self._client.transport.abort()
        self._gone()

    async def serve(self) -> None:
        """Answer requests one after the other."""
        try:
            while request := await read_request(self._incoming, self._client):
                if not await self._exchange(request):
                    break
        except Cut as cut:
            if cut.reset:
                _break_off(self._client)
        except (OSError, EOFError, WireError) as exc:
            # To the client it looks like what it is: a connection that ends.
            logger.debug("connection ended", extra={"why": type(exc).__name__})
        finally:
            self._is_closing = True
            await self._upstream.close()
            self._client.close()
            with suppress(OSError):
                await self._client.wait_closed()

    async def _exchange(self, request: Request) -> bool:
        """Answer one request; tell whether the connection goes on."""
        call, injections = self._host.begin(request)
        with call.under_way():
            forward: Forward = partial(self._forward, call)
            for injection in injections:
                forward = partial(injection.fault, call, forward)
            answer = await forward()
            try:
                await self._pass(call, answer)
            finally:
                await answer.close()
        ends = answer.closes or answer.breaks or answer.framing is Framing.TO_END
        return not ends and not request.headers.lists("Connection", "close")

    async def _forward(self, call: Call) -> Answer:
        if call.sending.headers.get("Upgrade"):
            raise WireError("a request to upgrade, which is not passed on")
        call.reached += 1
        answer = await self._upstream.forward(self._host.server, call.sending)
        call.answered.append(answer.status)
        self._host.signal.notify()
        return answer

    async def _pass(self, call: Call, answer: Answer) -> None:
        if call.request.is_watch and answer.status == 200:
            answer.through(partial(self._followed, call))
        async for piece in answer.wire():
            await self._host.let_pass(call)
            self._client.write(piece)
            await self._client.drain()
            call.sent += len(piece)
            if call.status is None:
                call.status = answer.status
                self._host.signal.notify()

    async def _followed(self, call: Call, payload: Pieces) -> Pieces:
        """Note which events were passed on."""
        call.position = _number(call.query.get("resourceVersion", ""))
        rest = b""
        async for piece in payload:
            yield piece
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                call.position = max(call.position, _version(line))
            self._host.signal.notify()


def _version(line: bytes) -> int:
    try:
        return _number(_decoder.decode(line).object.metadata.resourceVersion)
    except msgspec.DecodeError:
        return 0


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _break_off(writer: asyncio.StreamWriter) -> None:
    sock = writer.get_extra_info("socket")
    with suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
    writer.transport.abort()
