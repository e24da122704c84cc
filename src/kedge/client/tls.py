"""TLS over a socket of ours, with a fraction of the work that asyncio has with it.

Each request is one write and mostly one read. A socket that asks its fuse before it sends (see
`kedge.client.sockets`) is asked here too, in any event loop: the bytes go through its `send`.
"""

import asyncio
import socket
import ssl
from typing import Final

READ_BYTES: Final = 2**18
"""Taken from the kernel at once, at most."""
RECORD_BYTES: Final = 2**14
"""The most that one TLS record has (RFC 8446, 5.1)."""


async def connect(
    plug: socket.socket,
    context: ssl.SSLContext,
    name: str | None,
    protocol: asyncio.Protocol,
) -> None:
    """Greet the server at a connected socket, and tell the protocol of it; raises OSError."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    layer = context.wrap_bio(incoming, outgoing, server_hostname=name)
    loop = asyncio.get_running_loop()
    while True:
        try:
            layer.do_handshake()
        except ssl.SSLWantReadError:
            is_done = False
        except ssl.SSLError:
            await _send(loop, plug, outgoing)  # the server is told why
            raise
        else:
            is_done = True
        await _send(loop, plug, outgoing)
        if is_done:
            break
        data = await loop.sock_recv(plug, READ_BYTES)
        if not data:
            raise ConnectionResetError("the server ended the connection in the greeting")
        incoming.write(data)
    protocol.connection_made(Transport(plug, layer, (incoming, outgoing), protocol))


async def _send(
    loop: asyncio.AbstractEventLoop, plug: socket.socket, outgoing: ssl.MemoryBIO
) -> None:
    if outgoing.pending:
        await loop.sock_sendall(plug, outgoing.read())


class Transport(asyncio.Transport):
    """Carries the bytes of one protocol."""

    def __init__(
        self,
        plug: socket.socket,
        layer: ssl.SSLObject,
        buffers: tuple[ssl.MemoryBIO, ssl.MemoryBIO],
        protocol: asyncio.Protocol,
    ) -> None:
        """Begin to read."""
        super().__init__()
        self._plug = plug
        self._file = plug.fileno()  # the loop would write down the name of a socket each time
        self._layer = layer
        self._incoming, self._outgoing = buffers
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._unsent = b""
        self._is_closing = self._is_paused = False
        # One for all that comes: to be given memory anew each time costs more than to read.
        self._place = memoryview(bytearray(READ_BYTES))
        self._loop.add_reader(self._file, self._readable)
        if self._incoming.pending:
            self._loop.call_soon(self._take)  # it came with the end of the greeting

    def is_closing(self) -> bool:
        """Tell whether it is at its end."""
        return self._is_closing

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes, now as far as that can be."""
        if self._is_closing:
            return
        try:
            self._layer.write(data)
        except OSError as exc:
            self._end(exc)
        else:
            self._flush()

    def abort(self) -> None:
        """End it without a farewell."""
        self._end(None)

    def pause_reading(self) -> None:
        """Leave to the kernel what comes."""
        if not self._is_closing and not self._is_paused:
            self._is_paused = True
            self._loop.remove_reader(self._file)

    def resume_reading(self) -> None:
        """Read again."""
        if not self._is_closing and self._is_paused:
            self._is_paused = False
            self._loop.add_reader(self._file, self._readable)

    def look(self) -> None:
        """Read what has come, though it is paused: once, without asking when more does."""
        if not self._is_closing:
            self._readable()

    def _readable(self) -> None:
        try:
            size = self._plug.recv_into(self._place)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as exc:
            self._end(exc)
            return
        if size:
            self._incoming.write(self._place[:size])
        else:
            self._incoming.write_eof()
        self._take()

    def _take(self) -> None:
        """Give the protocol what has come in."""
        pieces: list[bytes] = []
        ended, why = False, None
        try:
            # What is not a whole record yet raises; that there is nothing more is cheaper to see.
            while not ended and (self._incoming.pending or self._layer.pending() or not pieces):
                piece = self._layer.read(RECORD_BYTES)
                pieces.append(piece)
                ended = not piece
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            ended = True
        except OSError as exc:
            ended, why = True, exc
        if self._outgoing.pending:  # such as the answer to a change of keys
            self._flush()
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        if data and not self._is_closing:
            self._protocol.data_received(data)
        if ended:
            self._end(why)

    def _flush(self) -> None:
        data = self._unsent + self._outgoing.read()
        try:
            sent = self._plug.send(data)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as exc:
            self._end(exc)
            return
        was_waiting, self._unsent = bool(self._unsent), data[sent:]
        if self._unsent and not was_waiting:
            self._loop.add_writer(self._file, self._flush)
        elif was_waiting and not self._unsent:
            self._loop.remove_writer(self._file)

    def _end(self, why: Exception | None) -> None:
        if self._is_closing:
            return
        self._is_closing = True
        self._loop.remove_reader(self._file)
        self._loop.remove_writer(self._file)
        self._plug.close()
        self._loop.call_soon(self._protocol.connection_lost, why)
