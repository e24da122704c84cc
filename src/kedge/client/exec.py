"""Runs a command in a container: its input, its outputs, its exit code."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, cast

from multidict import MultiDict

from kedge.aio.turn import turn
from kedge.client import channels
from kedge.client.channels import PROTOCOLS, STATUS, STDERR, STDOUT, V5
from kedge.client.errors import BadAnswer, DeadlineExceeded, Disconnected
from kedge.client.http import Transport
from kedge.client.requests import Request
from kedge.client.websocket import Socket
from kedge.kube.kind import plain

PODS: Final = plain("v1", "Pod", "pods")
OUTPUTS: Final = (STDOUT, STDERR)

Input = bytes | AsyncIterable[bytes]


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, and how."""

    words: Sequence[str]
    """The program and its arguments; no shell looks at them."""
    container: str | None = None
    """None: the only one, or the one that the pod names as its default."""
    has_input: bool = False
    tty: bool = False
    """Run it in a terminal: what it says of errors is then a part of its output."""
    protocols: tuple[str, ...] = PROTOCOLS
    """What the server may choose from."""

    def request(self, name: str, namespace: str) -> Request:
        """Ask to run it in a pod."""
        if isinstance(self.words, str | bytes) or not self.words:
            raise ValueError("a command is a list of words, the first of which is the program")
        query = MultiDict([("command", word) for word in self.words])
        if self.container is not None:
            query["container"] = self.container
        streams = {"stdin": self.has_input, "stdout": True, "stderr": not self.tty}
        for stream, is_wanted in {**streams, "tty": self.tty}.items():
            if is_wanted:
                query[stream] = "true"
        # A GET, as every WebSocket is; what the command does nobody knows.
        return Request("GET", PODS.path(name, namespace, "exec"), query, writes=True)


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended."""

    code: int
    """0: well."""
    stdout: bytes
    stderr: bytes
    cut_bytes: int = 0
    """Bytes of output that were thrown away, as there were more than the limit."""


@dataclass(slots=True)
class _Bounded:
    """The beginning of an output."""

    limit: int
    kept: bytearray = field(default_factory=bytearray)
    cut_bytes: int = 0

    def add(self, data: bytes) -> None:
        fits = data[: self.limit - len(self.kept)]
        self.kept += fits
        self.cut_bytes += len(data) - len(fits)


class Session:
    """A command that runs; one may read its outputs while another writes its input."""

    def __init__(self, socket: Socket) -> None:
        """Speak with a command over a WebSocket."""
        self._socket = socket
        self._code: int | None = None
        if socket.protocol not in PROTOCOLS:
            raise BadAnswer(f"the server speaks none of {', '.join(PROTOCOLS)}")

    @property
    def protocol(self) -> str:
        """The protocol that the server chose."""
        return self._socket.protocol

    @property
    def code(self) -> int | None:
        """The exit code; None: it runs."""
        return self._code

    async def read(self) -> tuple[int, bytes] | None:
        """Wait for output: its channel, 1 or 2, and the bytes. None: the command has ended.

        Raises ApiError where it could not be run, and Disconnected where the connection broke
        before its end: it may run on.
        """
        while self._code is None:
            message = channels.unpack(await self._socket.receive())
            if message.channel == STATUS and message.data:
                self._code = channels.exit_code(message.data)
            elif message.channel in OUTPUTS and message.data:
                return message.channel, message.data
        return None

    async def write(self, data: bytes) -> None:
        """Send input; raises Disconnected, as it does after the end of the command."""
        for message in channels.inputs(data):
            await self._socket.send(message)
            # Whoever reads may have come to the end, and sending alone waits for nobody.
            await turn()

    async def end_input(self) -> bool:
        """Tell the command that its input has ended; False: the protocol can not say that."""
        if self.protocol != V5:
            return False
        await self._socket.send(channels.end_of_input())
        return True

    async def resize(self, columns: int, rows: int) -> None:
        """Tell the size of the terminal."""
        await self._socket.send(channels.size(columns, rows))


@asynccontextmanager
async def session(
    transport: Transport, name: str, namespace: str, command: Command
) -> AsyncIterator[Session]:
    """Run a command while the block runs; what is left of it then is up to the server."""
    request = command.request(name, namespace)
    async with transport.upgrade(request, command.protocols) as socket:
        yield Session(socket)


async def run(
    transport: Transport,
    name: str,
    namespace: str,
    command: Command,
    stdin: Input | None,
    seconds: float,
) -> Result:
    """Run a command to its end, and keep the beginning of each of its outputs."""
    outputs = {channel: _Bounded(transport.settings.output_bytes) for channel in OUTPUTS}
    why = ""
    try:
        async with asyncio.timeout(seconds) as timer:
            async with session(transport, name, namespace, command) as running:
                if stdin is not None and running.protocol != V5:
                    why = f"; over {running.protocol} it is not told that its input has ended"
                code = await _converse(running, stdin, outputs)
    except TimeoutError:
        if not timer.expired():
            raise
        text = f"the command in pod {name!r} did not end within {seconds:g} s{why}"
        raise DeadlineExceeded(text) from None
    out, err = outputs[STDOUT], outputs[STDERR]
    return Result(code, bytes(out.kept), bytes(err.kept), out.cut_bytes + err.cut_bytes)


async def _converse(running: Session, stdin: Input | None, outputs: dict[int, _Bounded]) -> int:
    """Read the outputs to the end of the command, and write its input meanwhile."""
    try:
        async with asyncio.TaskGroup() as group:
            feeding = group.create_task(_feed(running, stdin))
            while (output := await running.read()) is not None:
                outputs[output[0]].add(output[1])
            # It has ended, and wants no more of its input.
            feeding.cancel()
    except BaseExceptionGroup as exc:
        raise exc.exceptions[0] from None
    return cast("int", running.code)


async def _feed(running: Session, stdin: Input | None) -> None:
    if stdin is None:
        return
    async for data in _pieces(stdin):
        if not await _took(running.write(data)):
            return
    await _took(running.end_input())


async def _took(sending: Awaitable[object]) -> bool:
    try:
        await sending
    except Disconnected:
        # Whoever reads finds out whether the command has ended or the connection is lost.
        return False
    return True


async def _pieces(stdin: Input) -> AsyncIterator[bytes]:
    if isinstance(stdin, bytes):
        yield stdin
        return
    async for data in stdin:
        yield data
