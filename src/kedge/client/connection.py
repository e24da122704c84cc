"""One connection with a server: who hears what it says, and when."""

import asyncio
import ssl
from collections.abc import Callable
from math import ceil, inf
from typing import Final, Protocol, cast

from kedge.client import tls
from kedge.client.errors import Disconnected

TICK_SECONDS: Final = 0.1
"""Rests end together, at ticks of the clock: to wake up once for several connections costs little
more than for one."""


class Listener(Protocol):
    """Hears what the server says."""

    def hear(self, data: bytes) -> float:
        """Take what has come in; give the seconds for which there is no hurry to hear more."""

    def end(self, why: BaseException | None) -> None:
        """Take note that nothing more comes."""


class Connection(asyncio.Protocol):
    """A connection that one listener has at a time."""

    def __init__(self, trust: ssl.SSLContext | None, lost: Callable[["Connection"], None]) -> None:
        """Wait for the socket; `lost` is told when it is gone."""
        self.tls = trust
        self.idle_since = 0.0
        self.each_seconds = 0.0
        """What an answer took when several were asked for at once."""
        self._lost = lost
        self._transport: asyncio.Transport | None = None
        self._listener: Listener | None = None
        self._pause: asyncio.TimerHandle | None = None
        self._is_resting = False

    @property
    def is_open(self) -> bool:
        """Whether something can be said."""
        return self._transport is not None and not self._transport.is_closing()

    def say(self, data: bytes, listener: Listener) -> None:
        """Send bytes, and have the answer heard; raises Disconnected."""
        if self._transport is None:
            raise Disconnected("the connection was closed")
        self._listener = listener
        self._transport.write(data)

    def leave(self) -> None:
        """Have nobody listen any more."""
        self._listener = None
        self.listen()

    def rest(self, seconds: float = TICK_SECONDS) -> None:
        """Leave to the kernel what comes for about so long, until a tick; `inf`: until `listen`."""
        if self._transport is None:
            return
        self._is_resting = True
        self._transport.pause_reading()
        if seconds < inf:
            loop = asyncio.get_running_loop()
            now = loop.time() / TICK_SECONDS
            tick = max(round(now + seconds / TICK_SECONDS), ceil(now))
            self._pause = loop.call_at(tick * TICK_SECONDS, self._look)

    def listen(self) -> None:
        """Hear what has come meanwhile, and what comes."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        self._is_resting = False
        if self._transport is not None:
            self._transport.resume_reading()

    def _look(self) -> None:
        """Hear what has come; who wants to rest again does so without having listened."""
        self._pause = None
        self._is_resting = False
        if isinstance(self._transport, tls.Transport):
            self._transport.look()
        if not self._is_resting:
            self.listen()

    def close(self) -> None:
        """End the connection, without a farewell for which nobody would wait."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are no subclasses

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever listens."""
        self._transport = None
        self._lost(self)
        if self._pause is not None:
            self._pause.cancel()
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.end(exc)

    def eof_received(self) -> bool:
        """Close our side, too."""
        return False

    def data_received(self, data: bytes) -> None:
        """Hear what has come."""
        if self._listener is None:
            self.close()  # nobody has asked
        elif seconds := self._listener.hear(data):
            self.rest(seconds)
