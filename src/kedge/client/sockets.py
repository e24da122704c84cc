"""Sockets that notice a dead peer, and that can be told to send nothing more."""

import errno
import socket
import sys
from collections.abc import Callable
from typing import Any, Final

import aiohttp

KEEPALIVE: Final = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""A peer that is gone without a word is noticed in half a minute, where the system has these."""
UNACKNOWLEDGED_SECONDS: Final = 30.0
"""Bytes that nobody acknowledges: the same half minute."""

GONE: Final = (BrokenPipeError, ConnectionResetError)
"""The peer has closed the connection, and may have said why: a server that does not want the
rest of a body answers and closes. Whoever sends is told nothing, as asyncio would then throw
away what has come in; whoever reads gets the answer first, and then the end."""

Fuse = Callable[[], bool]
"""Tells whether bytes may still be sent; asked before each time that some are."""


def whole() -> bool:
    """Let everything be sent."""
    return True


class FusedSocket(socket.socket):
    """Asks its fuse right before bytes go to the kernel: nothing can come in between any more.

    A check at the start of a request is too early: the process can be frozen after it, and send
    when it thaws.
    """

    fuse: Fuse = staticmethod(whole)

    def send(self, data: Any, *args: Any) -> int:
        """Send bytes, or refuse as if the connection had been aborted."""
        self._ask()
        try:
            return super().send(data, *args)
        except GONE:
            return memoryview(data).nbytes

    def sendmsg(self, buffers: Any, *args: Any) -> int:
        """Send bytes from several buffers, or refuse."""
        self._ask()
        kept = list(buffers)
        try:
            return super().sendmsg(kept, *args)
        except GONE:
            return sum(memoryview(one).nbytes for one in kept)

    def _ask(self) -> None:
        if not self.fuse():
            raise ConnectionAbortedError(errno.ECONNABORTED, "nothing may be sent any more")


def make(
    address: aiohttp.AddrInfoType,
    fuse: Fuse = whole,
    unacknowledged_seconds: float = UNACKNOWLEDGED_SECONDS,
) -> socket.socket:
    """Make a socket for an address; the system itself gives up bytes that are not acknowledged."""
    family, kind, protocol, _, _ = address
    made = FusedSocket(family, kind, protocol)
    made.fuse = fuse
    watch_over(made, unacknowledged_seconds)
    return made


def watch_over(plug: socket.socket, unacknowledged_seconds: float) -> None:
    """Have the system notice a peer that is gone without a word."""
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):
            plug.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    if sys.platform == "linux":
        milliseconds = max(1, int(unacknowledged_seconds * 1000))
        plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
